"""Figure 5.1 of Natole (2020): test AUC against passes of SPDAM for several batch sizes.

aucmax reproduce natole_2020 --figure 5.1
"""

from __future__ import annotations

from pathlib import Path

from aucmax.comparison.reproduction.curves import (
    Curve,
    CurveSetting,
    curve_table,
    figure_panels,
    plot_panels,
    write_figure,
)
from aucmax.solvers import SPDAM

FOLDER = Path(__file__).parent
DATA = ("diabetes", "splice", "a9a")
SIZES = {"1 row": 1, "1 %": 0.01, "5 %": 0.05, "10 %": 0.1, "20 %": 0.2}
LINES = {
    f"{label}{end}": CurveSetting(SPDAM(batch_size=size, steps=steps, max_epochs=10, tol=0.0))
    for steps, end in (("corrected", ""), ("printed", ", printed steps"))
    for label, size in SIZES.items()
    if steps == "corrected" or size == 1
}


def main(folder: Path = FOLDER, small: bool = False) -> dict[str, list[Curve]]:
    """Compute the curves and write the figure."""
    panels = figure_panels(DATA, LINES, small=small)
    write_figure(folder, "figure5_1", plot_panels(panels, x="passes"), text(panels))
    return panels


def text(panels: dict[str, list[Curve]]) -> str:
    """What the dissertation shows, and whether ours agrees."""
    printed = {name: found[-1].auc[0] for name, found in panels.items()}
    corrected = {name: found[0].auc[0] for name, found in panels.items()}
    best = {name: max(found[:-1], key=lambda curve: curve.auc[0]).label for name, found in panels.items()}
    numbers = "; ".join(f"{name}: {printed[name]:.4f} and {corrected[name]:.4f}" for name in panels)
    return f"""# Figure 5.1 of Natole: batch sizes of SPDAM

The dissertation shows that large batches converge faster in iterations, and says that a batch of one row makes
SPDAM useless. Counted in passes over the rows, ours does not agree: after the first pass the best batch size is
{"; ".join(f"{label} on {name}" for name, label in best.items())}. One row with the steps as printed, whose sigma
lacks lambda, and with corrected ones, after one pass: {numbers}.

Penalty .01, 80 % for training, at most 20,000 rows. The data sets of the panels cannot be read in the text.

{curve_table(panels)}"""


if __name__ == "__main__":
    main()
