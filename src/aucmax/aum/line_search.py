"""Exact line search: the best step along a line, on which AUM is piecewise linear and AUC piecewise constant.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

The walk visits the crossings of two thresholds one by one, with AUM and AUC between them. The convex search finds the
minimum without visiting any, and needs monotone errors, such as those of labels.

With weights w + s d, an L2 penalty adds the parabola

    linear s + quadratic/2 s^2,    linear = l2 w.d,    quadratic = l2 d.d

to AUM(s): the minimum of the sum is at a row of the walk, or where the slope of the parabola is minus that of AUM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.convex import convex_minimum
from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.lines import evaluate_at, threshold_lines
from aucmax.aum.value import check_per_example
from aucmax.aum.walk import AUC, AUC_AFTER, AUM, SLOPE, STEP, CrossingWalk
from aucmax.validation.params import Option, check_param

UNTIL = ("first_min", "linear", "all")
EQUAL = 1e-12  # difference below which two AUM are equal, relative to the first


class LinePenalty(NamedTuple):
    """The L2 penalty along a line, without its constant term."""

    linear: float = 0.0
    quadratic: float = 0.0

    @classmethod
    def of(cls, l2: float, w: np.ndarray, d: np.ndarray) -> LinePenalty:
        """The penalty of the weights w + s d."""
        return cls(l2 * float(w @ d), l2 * float(d @ d))

    def value(self, step: Any) -> Any:
        """The penalty at given steps."""
        return self.linear * step + 0.5 * self.quadratic * step**2

    def minimum(self, slope: Any) -> Any:
        """The step that minimises the penalty plus a line of the given slope."""
        return -(slope + self.linear) / self.quadratic


NO_PENALTY = LinePenalty()


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
        AUC at the step, ties counting one half, and up to the next row.
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
        The interval of steps at which AUM is minimal; `last` is infinite if there is no end. The step is its
        midpoint, or `first` if AUM stays flat forever.
    table : StepTable or None
        The rows of the walk, if `until` was "linear" or "all".
    """

    step: float
    aum: float
    auc: float
    first: float
    last: float
    table: StepTable | None


def exact_line_search(
    errors: ErrorFunctions,
    pred: ArrayLike,
    direction: ArrayLike,
    until: str = "first_min",
    method: str = "auto",
    penalty: LinePenalty = NO_PENALTY,
) -> LineSearchResult:
    """Search the predictions pred + step * direction, step >= 0, exactly.

    Parameters
    ----------
    errors : ErrorFunctions
        Of the examples to be searched, which need not be those that the direction was computed from.
    pred, direction : arrays of shape (n_examples,)
    until : {"first_min", "linear", "all"}
        The first local minimum of AUM; or the lowest AUM in a walk of as many rows as there are thresholds, or of all
        rows (up to n^2 / 2).
    method : {"auto", "walk"}
        With "auto" the first minimum of monotone errors is found by the convex search, and all else by the walk.
    penalty : LinePenalty
        An L2 penalty, which is added to AUM; none by default.

    Returns
    -------
    LineSearchResult

    Examples
    --------
    >>> errors = ErrorFunctions.from_labels([0, 0, 1, 1])
    >>> search = exact_line_search(errors, [-7.0, -2.0, 0.0, -4.0], [0.0, -0.5, 0.0, 0.5])
    >>> search.step, search.aum, search.auc, search.last
    (2.0, 0.0, 0.875, inf)
    >>> search = exact_line_search(errors, [-7.0, -2.0, 0.0, -4.0], [0.0, -0.5, 0.0, 0.5], until="all")
    >>> search.table.step, search.table.auc_after
    (array([ 0.,  2.,  8., 10.]), array([0.75, 1.  , 1.  , 1.  ]))
    """
    pred = check_per_example(pred, errors.n_examples, "pred")
    direction = check_per_example(direction, errors.n_examples, "direction")
    check_param("until", until, Option(*UNTIL))
    check_param("method", method, Option("auto", "walk"))
    if not direction.any():
        raise ValueError("direction is zero everywhere; there is nothing to search, or the gradient has vanished")
    lines = threshold_lines(errors, pred, direction)
    if until != "first_min":
        return _lowest_of_rows(CrossingWalk(lines), lines.slope.size if until == "linear" else None, penalty)
    is_convex = errors.monotone and method == "auto"
    first, last = convex_minimum(lines, *penalty) if is_convex else _first_minimum(CrossingWalk(lines), penalty)
    step = _middle(first, last)
    here = evaluate_at(lines, step)
    return LineSearchResult(step, float(here.aum), float(here.auc), first, last, None)


def _first_minimum(walk: CrossingWalk, penalty: LinePenalty) -> tuple[float, float]:
    """The interval of the first local minimum of AUM plus penalty; rows are discarded once they have been seen."""
    first = 0.0
    for rows in walk.batches():
        step, _, slope = rows[:AUC]
        following = np.append(step[1:], walk.next_step)
        if penalty.quadratic > 0.0:
            bottom = np.maximum(penalty.minimum(slope), step)
            if (bottom < following).any():
                first = float(bottom[np.argmax(bottom < following)])
                return first, first
            continue
        rising = np.flatnonzero(slope > 0.0)[:1]
        falling = np.flatnonzero(slope[: rising[0] if rising.size else None] < 0.0)
        if falling.size:
            first = float(following[falling[-1]])
        if rising.size:
            return first, float(step[rising[0]])
    return min(first, float(step[-1])), np.inf


def _lowest_of_rows(walk: CrossingWalk, n_rows: int | None, penalty: LinePenalty) -> LineSearchResult:
    """The lowest AUM plus penalty among the first `n_rows` rows of the walk, or among all rows, with their table."""
    rows = np.concatenate(list(walk.batches()), axis=1) if n_rows is None else walk.next_rows(n_rows)
    end = np.inf if walk.next_step == np.inf else float(rows[STEP, -1])
    first, last = _lowest(rows, end, penalty)
    step = _middle(first, last)
    row = int(np.searchsorted(rows[STEP], step, side="right")) - 1
    auc = rows[AUC if rows[STEP, row] == step else AUC_AFTER, row]
    aum = rows[AUM, row] + rows[SLOPE, row] * (step - rows[STEP, row])
    return LineSearchResult(step, float(aum), float(auc), first, last, StepTable(*rows))


def _lowest(rows: np.ndarray, end: float, penalty: LinePenalty) -> tuple[float, float]:
    """The steps up to `end` where AUM plus penalty is lowest, the first of equal ones; at rows or between them."""
    step, aum, slope = rows[:AUC]
    if penalty.quadratic > 0.0:
        inner = np.clip(penalty.minimum(slope), step, np.append(step[1:], end))
        best = float(inner[np.argmin(aum + slope * (inner - step) + penalty.value(inner))])
        return best, best
    lowest = int(np.argmax(aum <= aum.min() + EQUAL * aum[0]))
    bends = lowest + np.flatnonzero(slope[lowest:] != 0.0)[:1]
    return float(step[lowest]), min(float(step[bends[0]]) if bends.size else np.inf, end)


def _middle(first: float, last: float) -> float:
    """The middle of an interval, or its start if it has no end."""
    return 0.5 * (first + last) if last < np.inf else first
