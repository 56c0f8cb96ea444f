"""How far to go: the step sizes that a descent can take along a line.

A rule looks at the line of the subtrain set and returns a step; zero if it finds nothing better than to stay. A rule
of AUC searches the validation set, along the direction of the subtrain set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.line_search.lines import at_step, merged_lines
from aucmax.aum.line_search.ridge import FirstRidgeMin, Ridge
from aucmax.aum.line_search.search import line_search, sought
from aucmax.aum.line_search.stopping import BestAUC
from aucmax.aum.line_search.walk import Walk
from aucmax.aum.value import aum, roc_auc

GRID = 10.0 ** np.arange(-9, 10)  # the steps of the paper's baseline


class Line(NamedTuple):
    """Predictions pred + s * move of examples with these errors, and the penalty of the weights along them."""

    errors: ErrorFunctions
    pred: np.ndarray
    move: np.ndarray
    ridge: Ridge


def first_min(line: Line) -> float:
    """The first local minimum of AUM with its penalty: for labels the only one."""
    if line.ridge.quadratic == 0.0:
        return line_search(line.errors, line.pred, line.move).step
    lines = merged_lines(line.errors, line.pred, line.move)
    if line.errors.monotone:
        return line.ridge.convex_minimum(lines)
    return sought(Walk(lines), FirstRidgeMin(line.ridge))[0]


def linear(line: Line) -> float:
    """The lowest AUM of as many crossings as there are thresholds."""
    return _lowest(line, "linear")


def everything(line: Line) -> float:
    """The lowest AUM of all steps."""
    return _lowest(line, "all")


def _lowest(line: Line, until: str) -> float:
    found = line_search(line.errors, line.pred, line.move, until)
    if line.ridge.quadratic == 0.0:
        return found.step
    table = found.table
    rows = np.stack([table.step, table.aum, table.slope_after])
    return line.ridge.lowest(rows, table.step[-1] if until == "linear" else np.inf)


def grid(line: Line) -> float:
    """The lowest AUM of the steps 10^-9, 10^-8 .. 10^9; zero if all of them are worse."""
    steps = np.append(0.0, GRID)
    values = [aum(line.errors, line.pred + step * line.move).value for step in steps]
    return float(steps[np.argmin(values + line.ridge.value(steps))])


def constant(line: Line, eta: float) -> float:
    """The step eta, if AUM with its penalty falls in that direction at all."""
    slope = at_step(merged_lines(line.errors, line.pred, line.move), 0.0).slope
    return eta if slope + line.ridge.linear < 0.0 else 0.0


def auc_upto_first_min(line: Line, held_out: Line) -> float:
    """The largest AUC of the steps up to the first minimum of AUM."""
    end = first_min(line)
    return line_search(*held_out[:3], "best_auc", max_step=end).step if end > 0.0 else 0.0


def linear_auc(line: Line, held_out: Line) -> float:
    """The largest AUC of as many crossings as there are thresholds."""
    table = line_search(*held_out[:3], "linear").table
    rule = BestAUC()
    rule.sees(np.stack([table.step, table.aum, table.slope_after, table.auc, table.auc_after]))
    return 0.5 * (rule.first + min(rule.last, table.step[-1]))


def best_auc(line: Line, held_out: Line) -> float:
    """The largest AUC of all steps."""
    return line_search(*held_out[:3], "best_auc").step


def grid_auc(line: Line, held_out: Line) -> float:
    """The largest AUC of the steps 10^-9, 10^-8 .. 10^9, the shortest of equals; zero if all of them are worse."""
    steps = np.append(0.0, GRID)
    aucs = [roc_auc(held_out.errors, held_out.pred + step * held_out.move) for step in steps]
    return float(steps[np.argmax(aucs)])


AUM_RULES: dict[str, Callable[[Line], float]] = {
    "first_min": first_min,
    "linear": linear,
    "all": everything,
    "grid": grid,
}
AUC_RULES: dict[str, Callable[[Line, Line], float]] = {
    "first_min": auc_upto_first_min,
    "linear": linear_auc,
    "all": best_auc,
    "grid": grid_auc,
}
