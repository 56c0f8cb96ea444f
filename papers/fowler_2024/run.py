"""Draw the figures of this paper again: the same as `aucmax reproduce fowler_2024`."""

from pathlib import Path

from aucmax.comparison.reproduction.figures import draw_figure, figure_names

PAPERS = Path(__file__).parents[1]

if __name__ == "__main__":
    for figure in figure_names(PAPERS, "fowler_2024"):
        draw_figure(PAPERS, "fowler_2024", figure)
