"""Figure 6.4 of Natole (2020): test AUC against passes, anomaly detection; the lines are those of figure 6.2.

aucmax reproduce natole_2020 --figure 6.4
"""

from __future__ import annotations

import runpy
from pathlib import Path

from aucmax.comparison.reproduction.curves import Curve, figure_panels, plot_panels, write_figure

FOLDER = Path(__file__).parent
DATA = ("arrhythmia", "australian", "breastw", "mammography", "spambase", "thyroid")


def main(folder: Path = FOLDER, small: bool = False) -> dict[str, list[Curve]]:
    """Compute the curves and write the figure."""
    benchmark = runpy.run_path(str(FOLDER / "figure6_2.py"))
    panels = figure_panels(DATA, benchmark["LINES"], small=small)
    text = benchmark["text"](panels, "6.4", kind="anomaly detection")
    write_figure(folder, "figure6_4", plot_panels(panels), text)
    return panels


if __name__ == "__main__":
    main()
