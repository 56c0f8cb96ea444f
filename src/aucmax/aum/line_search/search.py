"""Exact line search: AUM and AUC as functions of the step size, and the best step.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

Three methods: `walk` visits every crossing of two thresholds and keeps track of AUC; `kinks` visits only the few at
which the slope of AUM changes; `convex` visits none and finds the minimum. The last two need monotone errors, such as
those of labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.line_search.convex import convex_minimum
from aucmax.aum.line_search.kinks import KinkPath
from aucmax.aum.line_search.stopping_rules import STOPPING_RULES, StoppingRule, lowest_aum
from aucmax.aum.line_search.thresholds import ThresholdLines, evaluate_at, threshold_lines
from aucmax.aum.line_search.walk import AUC, AUC_AFTER, AUM, SLOPE, STEP, CrossingWalk
from aucmax.aum.value import check_per_example
from aucmax.validation.params import Integer, Number, Option, check_param

METHODS = ("auto", "walk", "convex", "kinks")
UNTIL = (*STOPPING_RULES, "linear", "all")
NEEDS_AUC = ("max_auc", "best_auc")
BATCH = 1024  # rows walked before a stopping rule sees them, at first
LARGEST_BATCH = 2**20  # and at most


@dataclass(frozen=True, eq=False)
class StepTable:
    """AUM and AUC along a line: one row per step at which thresholds cross.

    Attributes
    ----------
    step, aum : arrays
        Step sizes in ascending order, from 0, and AUM at each.
    slope_after : array
        Slope of AUM up to the next row.
    auc, auc_after : arrays
        AUC at the step, ties counting one half, and up to the next row; NaN if the method is `kinks`.
    """

    step: np.ndarray
    aum: np.ndarray
    slope_after: np.ndarray
    auc: np.ndarray
    auc_after: np.ndarray

    def __len__(self) -> int:
        return self.step.size


@dataclass(frozen=True, eq=False)
class LineSearchResult:
    """Result of a line search.

    Attributes
    ----------
    step, aum, auc : float
        The step to take, with AUM and AUC there.
    first, last : float
        The interval of steps at which AUM is minimal (or AUC maximal); `last` is infinite if there is no end. The
        step is its midpoint, or `first` if AUM stays flat forever.
    table : StepTable
        All rows walked, if `until` was "linear", "all" or a number; otherwise those at `first` and `last`.
    method : str
    """

    step: float
    aum: float
    auc: float
    first: float
    last: float
    table: StepTable
    method: str


def exact_line_search(
    errors: ErrorFunctions,
    pred: ArrayLike,
    direction: ArrayLike,
    until: str | int = "first_min",
    max_step: float | None = None,
    method: str = "auto",
) -> LineSearchResult:
    """Search the predictions pred + step * direction, step >= 0, exactly.

    Parameters
    ----------
    errors : ErrorFunctions
        Of the examples to be searched, which need not be those that the direction was computed from.
    pred, direction : arrays of shape (n_examples,)
    until : {"first_min", "max_auc", "best_auc", "linear", "all"} or int
        The first local minimum of AUM; the first local maximum of AUC; the largest AUC over all steps; or the lowest
        AUM in a walk of as many rows as there are thresholds, of all rows (up to n^2 / 2), or of the given number.
        Both AUC rules compare the open intervals between steps at which scores tie, and ignore the AUC at the single
        points where they do, which no step in floating point would hit reliably.
    max_step : float, optional
        Upper limit of the step.
    method : {"auto", "walk", "convex", "kinks"}
        `auto` is `convex` for "first_min" of monotone errors, and `walk` otherwise.

    Returns
    -------
    LineSearchResult

    Examples
    --------
    >>> errors = ErrorFunctions.from_labels([0, 0, 1, 1])
    >>> found = exact_line_search(errors, [-7.0, -2.0, 0.0, -4.0], [0.0, -0.5, 0.0, 0.5])
    >>> found.step, found.aum, found.auc, found.last
    (2.0, 0.0, 0.875, inf)
    >>> found = exact_line_search(errors, [-7.0, -2.0, 0.0, -4.0], [0.0, -0.5, 0.0, 0.5], until="all")
    >>> found.table.step, found.table.auc_after
    (array([ 0.,  2.,  8., 10.]), array([0.75, 1.  , 1.  , 1.  ]))
    """
    pred = check_per_example(pred, errors.n_examples, "pred")
    direction = check_per_example(direction, errors.n_examples, "direction")
    check_param("until", until, Option(*UNTIL), Integer(1))
    end = _check_max_step(max_step)
    method = _resolve_method(method, until, errors.monotone)
    if not direction.any():
        raise ValueError("direction is zero everywhere; there is nothing to search, or the gradient has vanished")
    lines = threshold_lines(errors, pred, direction)
    if method == "convex":
        return _result_in(lines, *convex_minimum(lines, end), method)
    source = KinkPath(lines) if method == "kinks" else CrossingWalk(lines)
    if isinstance(until, str) and until in STOPPING_RULES:
        interval = search_until(source, STOPPING_RULES[until](), end)
        return _result_in(lines, *interval, method, wants_auc=until in NEEDS_AUC)
    n_rows = {"linear": lines.slope.size, "all": np.inf}[until] if isinstance(until, str) else int(until)
    return _lowest_of_rows(lines, source, n_rows, end, method)


def search_until(source: CrossingWalk | KinkPath, rule: StoppingRule, end: float = np.inf) -> tuple[float, float]:
    """The interval that a stopping rule looks for; rows are discarded once it has seen them."""
    for rows in _batches(source, np.inf, end):
        if rows[STEP, -1] == end:  # what comes after the end is out of reach
            rows[AUC_AFTER, -1] = rows[AUC, -1]
        if rule.update(rows):
            break
    return rule.first, min(rule.last, end)


def _lowest_of_rows(
    lines: ThresholdLines, source: CrossingWalk | KinkPath, n_rows: float, end: float, method: str
) -> LineSearchResult:
    """The lowest AUM among the first `n_rows` rows, all of which are kept."""
    batches = list(_batches(source, n_rows, end))
    rows = batches[0] if len(batches) == 1 else np.concatenate(batches, axis=1)
    first, last = lowest_aum(rows)
    reach = float(rows[STEP, -1]) if rows.shape[1] == n_rows else end
    last = min(last, reach)
    if method == "kinks":
        return replace(_result_in(lines, first, last, method), table=StepTable(*rows))
    step = 0.5 * (first + last) if last < np.inf else first
    row = int(np.searchsorted(rows[STEP], step, side="right")) - 1
    auc = rows[AUC if rows[STEP, row] == step else AUC_AFTER, row]
    aum = rows[AUM, row] + rows[SLOPE, row] * (step - rows[STEP, row])
    return LineSearchResult(step, float(aum), float(auc), first, last, StepTable(*rows), method)


def _result_in(
    lines: ThresholdLines, first: float, last: float, method: str, wants_auc: bool = False
) -> LineSearchResult:
    """The step within an interval, with AUM and AUC there and at both ends."""
    step = 0.5 * (first + last) if last < np.inf else first
    here = evaluate_at(lines, step)
    ends = {first: here if first == step else evaluate_at(lines, first)}
    if first < last < np.inf:
        ends[last] = evaluate_at(lines, last)
    table = StepTable(*np.array([(end, *there[:4]) for end, there in ends.items()]).T)
    if wants_auc and last == np.inf and here.auc != here.auc_after:
        step = 2.0 * first if first > 0.0 else 1.0  # any step beyond the first will do
        here = evaluate_at(lines, step)
    return LineSearchResult(step, float(here.aum), float(here.auc), first, last, table, method)


def _batches(source: CrossingWalk | KinkPath, n_rows: float, end: float) -> Iterator[np.ndarray]:
    """Rows of a walk in batches, at most `n_rows` in total; a last row at `end` if the walk stops there."""
    batch = BATCH if n_rows == np.inf else LARGEST_BATCH
    last = None
    while n_rows > 0:
        wanted = int(min(batch, n_rows))
        rows = source.next_rows(wanted, end)
        last = rows[:, -1] if rows.size else last
        if rows.size:
            yield rows
        if rows.shape[1] < wanted:
            if last is not None and last[0] < end < np.inf:
                yield _row_between(last, end)
            return
        n_rows -= wanted
        batch = min(2 * batch, LARGEST_BATCH)


def _row_between(row: np.ndarray, step: float) -> np.ndarray:
    """The row at a step between crossings, from the one before it."""
    before, aum, slope, _, auc = row
    return np.array([[step], [aum + slope * (step - before)], [slope], [auc], [auc]])


def _check_max_step(max_step: float | None) -> float:
    if max_step is None or max_step == np.inf:
        return np.inf
    check_param("max_step", max_step, None, Number(0, open="low"))
    return float(max_step)


def _resolve_method(method: str, until: str | int, monotone: bool) -> str:
    """The method itself, or the one that "auto" stands for."""
    check_param("method", method, Option(*METHODS))
    if method == "auto":
        return "convex" if monotone and until == "first_min" else "walk"
    if method in ("convex", "kinks") and not monotone:
        raise ValueError(f"method {method!r} needs monotone errors, which these are not; use method='walk'")
    if method == "convex" and until != "first_min":
        raise ValueError(f"method 'convex' finds until='first_min' only, not {until!r}; use method='walk'")
    if method == "kinks" and until in NEEDS_AUC:
        raise ValueError(f"method 'kinks' does not compute AUC, which until={until!r} needs; use method='walk'")
    return method
