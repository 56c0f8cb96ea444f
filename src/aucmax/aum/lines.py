"""Thresholds as lines in the step size, and everything about them at one step.

Predictions f + s g give every breakpoint a threshold T(s) = (v - f) - s g, the constant at which it is passed. AUM
and AUC depend on the order of the thresholds alone, and so change only where lines cross.

Two lines are tied at a step if they cross there up to a *relative* error of TIED. The crossing of lines l and h,

    (intercept_h - intercept_l) / (slope_l - slope_h),

has a relative error of some 1e-16 whatever the size of the numbers, which the difference of two T(s) has not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.aum.errors import ErrorFunctions
from aucmax.jit import kernel

TIED = 1e-12
FLAT = 1e-13  # a slope of AUM is zero if it is less than this part of its terms; so is a weight, of all weights


class Lines(NamedTuple):
    """Lines intercept + slope * s, sorted by (intercept, slope), equal lines merged; sums of their fp and fn."""

    intercept: np.ndarray
    slope: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    @property
    def totals(self) -> tuple[float, float]:
        """All false positives, all false negatives."""
        return float(self.fp.sum()), float(-self.fn.sum())


class AtStep(NamedTuple):
    """AUM and AUC at a step; `slope` and `auc_after` hold just after it, up to the next crossing."""

    aum: float
    slope: float
    auc: float
    auc_after: float


def merged_lines(errors: ErrorFunctions, pred: np.ndarray, direction: np.ndarray) -> Lines:
    """The lines of all breakpoints when predictions move from `pred` along `direction`."""
    intercept, slope = errors.v - pred[errors.example], -direction[errors.example]
    order = np.argsort(intercept)
    ordered = intercept[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.lexsort((slope, intercept))
        ordered = intercept[order]
    lines = Lines(ordered, slope[order], errors.fp[order], errors.fn[order])
    is_new = np.r_[True, (lines.intercept[1:] != lines.intercept[:-1]) | (lines.slope[1:] != lines.slope[:-1])]
    if is_new.all():
        return lines
    starts = np.flatnonzero(is_new)
    sums = np.add.reduceat(lines.fp, starts), np.add.reduceat(lines.fn, starts)
    return Lines(lines.intercept[is_new], lines.slope[is_new], *sums)


def at_step(lines: Lines, step: float) -> AtStep:
    """AUM, its slope, and AUC at a step, from the definition: O(n log n)."""
    order, gaps = _just_after(lines, step)
    fp, fn = lines.fp[order], lines.fn[order]
    least = np.minimum(before(fp), after_reversed(fn))
    starts = starts_of(gaps > 0.0)
    auc = auc_of(np.add.reduceat(fp, starts), np.add.reduceat(fn, starts))
    slope = flattened(*slope_terms(lines.slope[order], least))
    return AtStep(float(gaps @ least[1:-1]), slope, auc, auc_of(fp, fn))


def before(change: np.ndarray) -> np.ndarray:
    """Totals before each rank, and after the last."""
    return np.concatenate(([0.0], np.cumsum(change)))


def after_reversed(change: np.ndarray) -> np.ndarray:
    """Totals before each rank when they are zero after the last."""
    return np.concatenate((np.cumsum(-change[::-1])[::-1], [0.0]))


def auc_of(fp: np.ndarray, fn: np.ndarray) -> float:
    """Area under the ROC curve whose segments, in order, have these sides; each is a diagonal."""
    true_positives = before(-fn)
    area = fp @ (true_positives[1:] + true_positives[:-1])
    return float(area / (2.0 * fp.sum() * true_positives[-1]))


def starts_of(is_new: np.ndarray) -> np.ndarray:
    """Where groups begin, given for each but the first member whether it begins one."""
    return np.concatenate(([0], np.flatnonzero(is_new) + 1))


def slope_terms(slope: np.ndarray, least: np.ndarray) -> tuple[float, float]:
    """The slope of AUM with lines in this order, and the sum of the sizes of its terms.

    By parts, sum_r least_r (slope_r - slope_{r-1}) has terms that do not grow with n; the slopes may be taken
    from any origin, since least is zero at both ends.
    """
    drop = least[:-1] - least[1:]
    drop[np.abs(drop) <= FLAT * least.max()] = 0.0
    terms = (slope - slope[slope.size // 2]) * drop
    return float(terms.sum()), float(np.abs(terms).sum())


def flattened(slope: float, size: float) -> float:
    """The slope, or zero where rounding alone could have made it."""
    return slope if abs(slope) > FLAT * size else 0.0


def _just_after(lines: Lines, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Order of the lines just after a step, tied ones by slope, and the gaps between neighbours at the step."""
    if step == 0.0:
        return np.arange(lines.intercept.size), np.diff(lines.intercept)
    intercept, slope = lines.intercept, lines.slope
    middle = intercept.size // 2
    order = np.argsort((intercept - intercept[middle]) + step * (slope - slope[middle]))
    _mend(intercept, slope, step, TIED, order)
    is_new = _gaps(lines, order, step) > 0.0
    group = np.concatenate(([0], np.cumsum(is_new)))
    order = order[np.lexsort((slope[order], group))] if not is_new.all() else order
    return order, np.where(is_new, _gaps(lines, order, step), 0.0)


def _gaps(lines: Lines, order: np.ndarray, step: float) -> np.ndarray:
    """Differences of neighbouring thresholds, zero where tied."""
    rise, run = np.diff(lines.intercept[order]), step * np.diff(lines.slope[order])
    gaps = rise + run
    gaps[gaps <= TIED * np.maximum(np.abs(rise), np.abs(run))] = 0.0
    return gaps


@kernel
def _mend(intercept, slope, step, tied, order):
    """Insertion sort by exact crossings, for the few neighbours that rounding put in the wrong order."""
    for i in range(1, order.size):
        h = order[i]
        j = i
        while j > 0:
            rise = intercept[h] - intercept[order[j - 1]]
            run = step * (slope[h] - slope[order[j - 1]])
            if rise + run >= -tied * max(abs(rise), abs(run)):
                break
            order[j] = order[j - 1]
            j -= 1
        order[j] = h
