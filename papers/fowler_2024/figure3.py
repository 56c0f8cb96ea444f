"""Figure 3 of Fowler and Hocking (2024): AUC, AUM and thresholds along a line, for four rows of two classes.

aucmax reproduce fowler_2024 --figure 3
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from aucmax.aum import ErrorFunctions, aum, error_auc, exact_line_search
from aucmax.aum.line_search import StepTable
from aucmax.comparison.reproduction.curves import write_figure

FOLDER = Path(__file__).parent
Y = np.array([1, -1, 1, -1])
PRED = np.array([-1.0, 2.0, 0.5, -0.5])
ERRORS = ErrorFunctions.from_labels(Y, np.full(4, 0.5))  # rates


def main(folder: Path = FOLDER, small: bool = False) -> np.ndarray:
    """Write the figure; gives the steps at which thresholds cross."""
    slopes = aum(ERRORS, PRED)
    direction = -(slopes.left + slopes.right) / 2.0
    table = exact_line_search(ERRORS, PRED, direction, until="all").table
    steps = np.linspace(0.0, 1.3 * table.step[-1], 2001)
    scores = PRED + steps[:, None] * direction
    aucs = np.array([error_auc(ERRORS, pred) for pred in scores])
    aums = np.array([aum(ERRORS, pred).value for pred in scores])
    figure = Figure(figsize=(7.0, 7.0), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    top.plot(steps, aucs, color="#3465a4")
    top.plot(table.step, table.auc, "o", color="#3465a4", markersize=4)
    middle.plot(steps, aums, color="#3465a4")
    bottom.plot(steps, -scores[:, Y > 0], color="#1a7f37")
    bottom.plot(steps, -scores[:, Y < 0], color="#b3261e")
    for ax, name in ((top, "AUC"), (middle, "AUM"), (bottom, "threshold")):
        ax.set_ylabel(name)
    bottom.set_xlabel("step size (green: positives, red: negatives)")
    write_figure(folder, "figure3", figure, text(table, aums))
    return table.step


def text(table: StepTable, aums: np.ndarray) -> str:
    """What the paper shows, and whether ours agrees."""
    convex = bool(np.all(np.diff(table.slope_after) >= -1e-12))
    end = "never rising" if np.all(np.diff(aums) <= 1e-9) else "rising at the end"
    slopes = ", ".join(f"{slope:g}" for slope in table.slope_after)
    return f"""# Figure 3 of Fowler and Hocking: the line search on four rows

The paper shows that along the line AUM is piecewise linear and AUC piecewise constant, both changing where thresholds
cross. Ours agrees: {table.step.size - 1} crossings, AUM {"convex" if convex else "not convex"} with slopes {slopes},
{end}, and AUC from {table.auc_after[0]:g} to {table.auc_after[-1]:g}, with a value of its own at each crossing
(dots).

The four predictions are ours, as those of the paper are not printed.
"""


if __name__ == "__main__":
    main()
