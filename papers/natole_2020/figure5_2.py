"""Figure 5.2 of Natole (2020): test AUC against passes of SPDAM, batches of 10 %, and regSOLAM.

aucmax reproduce natole_2020 --figure 5.2
"""

from __future__ import annotations

from pathlib import Path

from aucmax.comparison.reproduction.curves import (
    Curve,
    CurveSetting,
    curve_table,
    figure_panels,
    leaders,
    listed,
    plot_panels,
    write_figure,
)
from aucmax.solvers import SOLAM, SPDAM

FOLDER = Path(__file__).parent
DATA = ("diabetes", "fourclass", "german", "splice", "usps", "a9a")
LINES = {
    "SPDAM, 10 %": CurveSetting(SPDAM(batch_size=0.1, max_epochs=10, tol=0.0)),
    "regSOLAM": CurveSetting(SOLAM(max_epochs=10, tol=0.0)),
}


def main(folder: Path = FOLDER, small: bool = False) -> dict[str, list[Curve]]:
    """Compute the curves and write the figure."""
    panels = figure_panels(DATA, LINES, small=small)
    write_figure(folder, "figure5_2", plot_panels(panels, x="passes"), text(panels))
    return panels


def text(panels: dict[str, list[Curve]]) -> str:
    """What the dissertation shows, and whether ours agrees."""
    first = leaders(panels)
    wins = sum(label.startswith("SPDAM") for label in first.values())
    return f"""# Figure 5.2 of Natole: SPDAM against regSOLAM

The dissertation shows SPDAM with batches of 10 % converging faster than regSOLAM, counted in iterations: of SPDAM
one is a tenth of the rows, of regSOLAM one row. Counted in passes over the rows, SPDAM has the higher mean AUC
over ten passes on {wins} of {len(panels)} data sets ({listed(first)}).

Penalty .01, 80 % for training, at most 20,000 rows. The data sets of the panels cannot be read in the text.

{curve_table(panels)}"""


if __name__ == "__main__":
    main()
