"""Line search rules: the step sizes that a descent can take along a line.

A rule searches the line of the subtrain or of the validation set, along the direction computed on the subtrain set,
for low AUM or for high AUC, and returns a step, or zero if no step is better than none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.line_search.penalty import FirstPenalisedMinimum, LinePenalty
from aucmax.aum.line_search.search import exact_line_search, search_until
from aucmax.aum.line_search.stopping_rules import BestAUC
from aucmax.aum.line_search.thresholds import evaluate_at, threshold_lines
from aucmax.aum.line_search.walk import CrossingWalk
from aucmax.aum.value import aum, error_auc

GRID = 10.0 ** np.arange(-9, 10)  # the steps of the paper's baseline


class SearchLine(NamedTuple):
    """Predictions pred + s * move of examples with these errors, and the penalty of the weights along them."""

    errors: ErrorFunctions
    pred: np.ndarray
    move: np.ndarray
    penalty: LinePenalty


def first_min(line: SearchLine) -> float:
    """The first local minimum of penalised AUM: for labels the only one."""
    if line.penalty.quadratic == 0.0:
        return exact_line_search(line.errors, line.pred, line.move).step
    lines = threshold_lines(line.errors, line.pred, line.move)
    if line.errors.monotone:
        return line.penalty.minimise_convex(lines)
    return search_until(CrossingWalk(lines), FirstPenalisedMinimum(line.penalty))[0]


def linear(line: SearchLine) -> float:
    """The lowest penalised AUM of the first crossings, as many as there are thresholds."""
    return _lowest(line, "linear")


def all_crossings(line: SearchLine) -> float:
    """The lowest penalised AUM of all steps."""
    return _lowest(line, "all")


def _lowest(line: SearchLine, until: str | int) -> float:
    """The lowest penalised AUM of the rows of a walk."""
    found = exact_line_search(line.errors, line.pred, line.move, until)
    if line.penalty.quadratic == 0.0:
        return found.step
    table = found.table
    rows = np.stack([table.step, table.aum, table.slope_after])
    return line.penalty.minimise_rows(rows, np.inf if until == "all" else table.step[-1])


def grid(line: SearchLine) -> float:
    """The lowest penalised AUM of the steps 10^-9, 10^-8 .. 10^9; zero if all of them are worse."""
    steps = np.append(0.0, GRID)
    values = [aum(line.errors, line.pred + step * line.move).value for step in steps]
    return float(steps[np.argmin(values + line.penalty.value(steps))])


def constant(line: SearchLine, eta: float) -> float:
    """The step eta, if penalised AUM decreases in that direction at all."""
    slope = evaluate_at(threshold_lines(line.errors, line.pred, line.move), 0.0).slope
    return eta if slope + line.penalty.linear < 0.0 else 0.0


def auc_up_to_first_min(line: SearchLine, searched: SearchLine) -> float:
    """The largest AUC of the steps up to the first minimum of AUM on the subtrain set."""
    end = first_min(line)
    return exact_line_search(*searched[:3], "best_auc", max_step=end).step if end > 0.0 else 0.0


def max_auc(line: SearchLine, searched: SearchLine) -> float:
    """The first local maximum of AUC."""
    return exact_line_search(*searched[:3], "max_auc").step


def linear_auc(line: SearchLine, searched: SearchLine) -> float:
    """The largest AUC of the first crossings, as many as there are thresholds."""
    return _largest(searched, "linear")


def _largest(searched: SearchLine, until: str | int) -> float:
    """The largest AUC between the rows of a walk; of all steps if the walk has fewer rows than asked."""
    table = exact_line_search(*searched[:3], until).table
    if len(table) == 1 or (isinstance(until, int) and len(table) < until):
        return exact_line_search(*searched[:3], "best_auc").step
    rule = BestAUC()
    rule.update(np.stack([table.step, table.aum, table.slope_after, table.auc, table.auc_after])[:, :-1])
    return 0.5 * (rule.first + min(rule.last, float(table.step[-1])))


def best_auc(line: SearchLine, searched: SearchLine) -> float:
    """The largest AUC of all steps."""
    return exact_line_search(*searched[:3], "best_auc").step


def grid_auc(line: SearchLine, searched: SearchLine) -> float:
    """The largest AUC of the steps 10^-9, 10^-8 .. 10^9, the shortest of equal ones; zero if all are worse."""
    steps = np.append(0.0, GRID)
    aucs = [error_auc(searched.errors, searched.pred + step * searched.move) for step in steps]
    return float(steps[np.argmax(aucs)])


AUM_RULES: dict[str, Callable[[SearchLine], float]] = {
    "first_min": first_min,
    "linear": linear,
    "all": all_crossings,
    "grid": grid,
}
AUC_RULES: dict[str, Callable[[SearchLine, SearchLine], float]] = {
    "first_min": auc_up_to_first_min,
    "max_auc": max_auc,
    "linear": linear_auc,
    "all": best_auc,
    "grid": grid_auc,
}


def step_by_aum(rule: str | int, searched: SearchLine) -> float:
    """The step of low AUM by a named rule, or that of the lowest of the given number of rows of a walk."""
    return AUM_RULES[rule](searched) if isinstance(rule, str) else _lowest(searched, rule)


def step_by_auc(rule: str | int, line: SearchLine, searched: SearchLine) -> float:
    """The step of high AUC by a named rule, or that of the highest of the given number of rows of a walk."""
    return AUC_RULES[rule](line, searched) if isinstance(rule, str) else _largest(searched, rule)
