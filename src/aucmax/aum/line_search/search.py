"""Exact line search: AUM and AUC as functions of the step size, and the step to take.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

Three methods: `walk` visits every crossing of two thresholds and knows AUC; `kinks` visits the few at which AUM
bends; `convex` visits none and finds the minimum. The last two need monotone errors, as those of labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.line_search.first_minimum import first_minimum
from aucmax.aum.line_search.kinks import Kinks
from aucmax.aum.line_search.lines import Lines, at_step, merged_lines
from aucmax.aum.line_search.stopping import RULES, Rule, lowest_aum
from aucmax.aum.line_search.walk import AUC, AUC_AFTER, AUM, SLOPE, STEP, Walk
from aucmax.aum.value import checked_column

METHODS = ("auto", "walk", "convex", "kinks")
UNTIL = (*RULES, "linear", "all")
AUC_RULES = ("max_auc", "best_auc")
BATCH, LARGEST_BATCH = 1024, 2**20  # rows walked before a rule looks at them: at first, and at most


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a line search, one per step at which thresholds cross.

    Attributes
    ----------
    step, aum : arrays
        Step sizes in ascending order, from 0, and AUM there.
    slope_after : array
        Slope of AUM up to the next row.
    auc, auc_after : arrays
        AUC at the step, ties counted half, and up to the next row; NaN from the method `kinks`.
    """

    step: np.ndarray
    aum: np.ndarray
    slope_after: np.ndarray
    auc: np.ndarray
    auc_after: np.ndarray

    def __len__(self) -> int:
        return self.step.size


@dataclass(frozen=True, eq=False)
class LineSearch:
    """What a line search found.

    Attributes
    ----------
    step, aum, auc : float
        The step to take, with AUM and AUC there.
    first, last : float
        The ends of the interval that was looked for, where AUM is least (or AUC is largest); `last` is infinite
        if that holds for ever. The step is in its middle; at `first` if AUM is flat for ever.
    table : Table
        The rows walked, if `until` was "linear", "all" or a number; else those at `first` and `last`.
    method : str
    """

    step: float
    aum: float
    auc: float
    first: float
    last: float
    table: Table
    method: str


def line_search(
    errors: ErrorFunctions,
    pred: ArrayLike,
    direction: ArrayLike,
    until: str | int = "first_min",
    max_step: float | None = None,
    method: str = "auto",
) -> LineSearch:
    """Search the predictions pred + step * direction, step >= 0, exactly.

    Parameters
    ----------
    errors : ErrorFunctions
        Of the set to be searched, which need not be the one that the direction was made from.
    pred, direction : arrays of shape (n_examples,)
    until : {"first_min", "max_auc", "best_auc", "linear", "all"} or int
        The first local minimum of AUM; the first local maximum of AUC; the largest AUC of all steps; or a walk of
        as many rows as there are lines, of all rows (up to n^2 / 2), or of so many rows, and the lowest AUM in it.
    max_step : float, optional
        No step beyond this.
    method : {"auto", "walk", "convex", "kinks"}
        `auto` is `convex` for "first_min" of monotone errors, and `walk` otherwise.

    Returns
    -------
    LineSearch

    Examples
    --------
    >>> errors = ErrorFunctions.from_labels([0, 0, 1, 1])
    >>> found = line_search(errors, [-7.0, -2.0, 0.0, -4.0], [0.0, -0.5, 0.0, 0.5])
    >>> found.step, found.aum, found.auc, found.last
    (2.0, 0.0, 0.875, inf)
    >>> found = line_search(errors, [-7.0, -2.0, 0.0, -4.0], [0.0, -0.5, 0.0, 0.5], until="all")
    >>> found.table.step, found.table.auc_after
    (array([ 0.,  2.,  8., 10.]), array([0.75, 1.  , 1.  , 1.  ]))
    """
    pred = checked_column(pred, errors.n_examples, "pred")
    direction = checked_column(direction, errors.n_examples, "direction")
    end = _checked_end(max_step)
    n_rows = _checked_until(until)
    method = _chosen(method, until, errors.monotone)
    if not direction.any():
        raise ValueError("direction is zero everywhere; there is nothing to search, or the gradient has vanished")
    lines = merged_lines(errors, pred, direction)
    if method == "convex":
        return _found(lines, *first_minimum(lines, end), method)
    source = Kinks(lines) if method == "kinks" else Walk(lines)
    if isinstance(until, str) and until in RULES:
        return _found(lines, *sought(source, RULES[until](), end), method, wants_auc=until in AUC_RULES)
    return _walked(lines, source, lines.slope.size if until == "linear" else n_rows, end, method)


def sought(source: Walk | Kinks, rule: Rule, end: float = np.inf) -> tuple[float, float]:
    """The interval that a rule looks for; rows are forgotten once it has seen them."""
    for rows in _batches(source, np.inf, end):
        if rows[STEP, -1] == end:  # what comes after it cannot be had
            rows[AUC_AFTER, -1] = rows[AUC, -1]
        if rule.sees(rows):
            break
    return rule.first, min(rule.last, end)


def _walked(lines: Lines, source: Walk | Kinks, n_rows: float, end: float, method: str) -> LineSearch:
    """Walk so many rows and keep them; the lowest AUM among them."""
    batches = list(_batches(source, n_rows, end))
    rows = batches[0] if len(batches) == 1 else np.concatenate(batches, axis=1)
    first, last = lowest_aum(rows)
    reach = float(rows[STEP, -1]) if rows.shape[1] == n_rows else end
    last = min(last, reach)
    if method == "kinks":
        return replace(_found(lines, first, last, method), table=Table(*rows))
    step = 0.5 * (first + last) if last < np.inf else first
    row = int(np.searchsorted(rows[STEP], step, side="right")) - 1
    auc = rows[AUC if rows[STEP, row] == step else AUC_AFTER, row]
    aum = rows[AUM, row] + rows[SLOPE, row] * (step - rows[STEP, row])
    return LineSearch(step, float(aum), float(auc), first, last, Table(*rows), method)


def _found(lines: Lines, first: float, last: float, method: str, wants_auc: bool = False) -> LineSearch:
    """The step within the interval, and what holds there."""
    step = 0.5 * (first + last) if last < np.inf else first
    here = at_step(lines, step)
    ends = {first: here if first == step else at_step(lines, first)}
    if first < last < np.inf:
        ends[last] = at_step(lines, last)
    table = Table(*np.array([(end, *there[:4]) for end, there in ends.items()]).T)
    if wants_auc and last == np.inf and here.auc != here.auc_after:
        step = 2.0 * first if first > 0.0 else 1.0  # any step beyond the first will do
        here = at_step(lines, step)
    return LineSearch(step, here.aum, here.auc, first, last, table, method)


def _batches(source: Walk | Kinks, n_rows: float, end: float) -> Iterator[np.ndarray]:
    """Rows of a walk in batches, at most so many in all; where it ends at `end`, a row of that step."""
    batch, last = BATCH if n_rows == np.inf else LARGEST_BATCH, None
    while n_rows > 0:
        asked = int(min(batch, n_rows))
        rows = source.next_rows(asked, end)
        last = rows[:, -1] if rows.size else last
        if rows.size:
            yield rows
        if rows.shape[1] < asked:
            if last is not None and last[0] < end < np.inf:
                yield _later(last, end)
            return
        n_rows -= asked
        batch = min(2 * batch, LARGEST_BATCH)


def _later(row: np.ndarray, step: float) -> np.ndarray:
    """A row between crossings, from the one before it."""
    before, aum, slope, _, auc = row
    return np.array([[step], [aum + slope * (step - before)], [slope], [auc], [auc]])


def _checked_end(max_step: float | None) -> float:
    end = np.inf if max_step is None else float(max_step)
    if not end > 0.0:
        raise ValueError(f"max_step is {max_step}; it must be positive, or None for no limit")
    return end


def _checked_until(until: str | int) -> float:
    """How many rows may be walked."""
    if isinstance(until, str) and until in UNTIL:
        return np.inf
    if isinstance(until, Integral) and not isinstance(until, bool) and until > 0:
        return int(until)
    raise ValueError(f"unknown until={until!r}; choose one of {list(UNTIL)} or a positive number of rows")


def _chosen(method: str, until: str | int, monotone: bool) -> str:
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; choose one of {list(METHODS)}")
    if method == "auto":
        return "convex" if monotone and until == "first_min" else "walk"
    if method in ("convex", "kinks") and not monotone:
        raise ValueError(f"method {method!r} needs monotone errors, which these are not; use method='walk'")
    if method == "convex" and until != "first_min":
        raise ValueError(f"method 'convex' finds until='first_min' only, not {until!r}; use method='walk'")
    if method == "kinks" and until in AUC_RULES:
        raise ValueError(f"method 'kinks' does not know AUC, as until={until!r} needs; use method='walk'")
    return method
