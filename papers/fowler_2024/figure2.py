"""Figures 2 and 4 of Fowler and Hocking (2024): two labelled changepoint problems, and the line search on them.

aucmax reproduce fowler_2024 --figure 2
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from aucmax.aum import ErrorFunctions, aum, error_auc, exact_line_search
from aucmax.aum.line_search import LineSearchResult
from aucmax.comparison.reproduction.curves import write_figure

FOLDER = Path(__file__).parent
# Breakpoints of two problems: FP rises, falls as a changepoint disappears, and rises; FN falls, or rises and falls.
EXAMPLE = np.array([0, 0, 0, 1, 1, 1])
V = np.array([-1.0, 0.0, 1.0, -0.5, 0.5, 1.5])
FP = np.array([1.0, -1.0, 1.0, 1.0, 0.0, 0.0])
FN = np.array([0.0, 0.0, -1.0, -1.0, 1.0, -1.0])
PRED = np.array([2.5, -2.0])
NAMES = "abcdef"


def errors() -> ErrorFunctions:
    """The error functions of both problems; totals are 1."""
    return ErrorFunctions(EXAMPLE, V, FP, FN)


def error_curve(example: int, change: np.ndarray, start: float, grid: np.ndarray) -> np.ndarray:
    """An error function of one problem against the predicted value."""
    mine = example == EXAMPLE
    return start + ((grid[:, None] >= V[mine]) * change[mine]).sum(axis=1)


def search() -> tuple[LineSearchResult, np.ndarray]:
    """All crossings on the line of steepest descent, and its direction."""
    slopes = aum(errors(), PRED)
    direction = -(slopes.left + slopes.right) / 2.0
    return exact_line_search(errors(), PRED, direction, until="all"), direction


def draw_errors() -> Figure:
    """Figure 2: FP and FN of both problems."""
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    grid = np.linspace(-3.0, 3.0, 1201)
    for example, ax in enumerate(figure.subplots(1, 2, sharey=True)):
        ax.plot(grid, error_curve(example, FP, 0.0, grid), color="#b3261e", label="FP")
        ax.plot(
            grid, error_curve(example, FN, -FN[example == EXAMPLE].sum(), grid), "--", color="#1a7f37", label="FN"
        )
        ax.axvline(PRED[example], color="#6f42c1", linestyle=":", label="prediction of figure 4")
        ax.set(title=f"problem {example + 1}", xlabel="predicted value", ylabel="errors")
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return figure


def draw_search(found: LineSearchResult, direction: np.ndarray) -> Figure:
    """Figure 4: AUC, AUM and thresholds against the step."""
    figure = Figure(figsize=(7.5, 7.5), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    last = 1.3 * found.table.step[-1]
    steps = np.linspace(0.0, last, 2001)
    scores = PRED + steps[:, None] * direction
    top.plot(steps, [error_auc(errors(), pred) for pred in scores], color="#3465a4")
    middle.plot(steps, [aum(errors(), pred).value for pred in scores], color="#3465a4")
    for b, name in enumerate(NAMES):
        line = V[b] - scores[:, EXAMPLE[b]]
        bottom.plot(steps, line, color="#b3261e")
        bottom.annotate(name, (steps[-1], line[-1]))
    for ax in (top, middle, bottom):
        mark_stops(ax, found)
    top.set_ylabel("AUC")
    middle.set_ylabel("AUM")
    bottom.set(ylabel="threshold", xlabel="step size")
    return figure


def mark_stops(ax: Any, found: LineSearchResult) -> None:
    """Vertical lines where the three searches stop."""
    first = exact_line_search(errors(), PRED, search_direction(), until="first_min").step
    ax.axvline(first, color="0.5", linestyle="--")
    ax.axvline(found.table.step[-1], color="0.8")


def search_direction() -> np.ndarray:
    """That of steepest descent."""
    return search()[1]


def main(folder: Path = FOLDER, small: bool = False) -> LineSearchResult:
    """Write both figures."""
    found, direction = search()
    write_figure(folder, "figure2", draw_errors(), errors_text())
    write_figure(folder, "figure4", draw_search(found, direction), search_text(found))
    return found


def errors_text() -> str:
    """What the paper shows, and whether ours agrees."""
    falls = [bool((FP[example == EXAMPLE] < 0).any() or (FN[example == EXAMPLE] > 0).any()) for example in (0, 1)]
    return f"""# Figure 2 of Fowler and Hocking: error functions that are not monotonic

The paper shows two labelled changepoint problems whose FP or FN functions go up and down, because a changepoint
disappears from one model size to the next. So do ours, in {sum(falls)} of 2 problems, with three breakpoints each;
the sequences of the paper are not printed.
"""


def search_text(found: LineSearchResult) -> str:
    """What the paper shows, and whether ours agrees."""
    table = found.table
    first = exact_line_search(errors(), PRED, search_direction(), until="first_min")
    largest = float(np.max([table.auc, table.auc_after]))
    slopes = ", ".join(f"{slope:g}" for slope in table.slope_after)
    loops = "above 1, as in the paper" if largest > 1 else "which does not exceed 1 here"
    return f"""# Figure 4 of Fowler and Hocking: line search on two changepoint problems

The paper shows that AUM is piecewise linear along the line, with a slope that changes at each crossing of thresholds,
that AUC jumps there, and that it can exceed 1 since the ROC curve has loops. Ours has {table.step.size - 1}
crossings, slopes {slopes}, its first minimum of AUM at step {first.step:g} (AUM {first.aum:g}), and a largest AUC of
{largest:g}, {loops}. Dashed: first minimum; light: last crossing.

The problems are those of figure 2; the numbers of the paper are not printed.
"""


if __name__ == "__main__":
    main()
