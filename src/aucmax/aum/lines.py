"""Thresholds as lines in the step size, and the evaluation of AUM and AUC at one step.

Predictions f + s g give every breakpoint a threshold T(s) = (v - f) - s g, the constant at which it is passed. The
slope of AUM, and AUC, depend on the order of the thresholds alone, and so change only where lines cross.

Two lines are tied at a step if they cross there up to a *relative* error of TIED. The crossing of lines l and h,

    (intercept_h - intercept_l) / (slope_l - slope_h),

has a relative error of about 1e-16 whatever the magnitude of the numbers; the difference of two T(s) does not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.aum.errors import ErrorFunctions
from aucmax.numerics.compiled import compiled

TIED = 1e-12  # relative difference below which two thresholds, or two steps at which they cross, are tied
FLAT = 1e-13  # a slope of AUM is zero below this fraction of its terms, and a weight below it of all weights
DOUBT = 1e-3  # of all weights, added to the weight in a term's size: FLAT of it is the rounding of a running sum


class ThresholdLines(NamedTuple):
    """Lines intercept + slope * s, sorted by (intercept, slope), with equal lines merged."""

    intercept: np.ndarray
    slope: np.ndarray
    fp: np.ndarray  # change of the false positives at the threshold, summed over equal lines
    fn: np.ndarray  # change of the false negatives

    def rescaled(self) -> tuple[ThresholdLines, float]:
        """Lines with fp and fn divided by a power of two, so that the totals multiply to about 1; and that power."""
        exponents = np.frexp([self.fp.sum(), -self.fn.sum()])[1]
        unit = float(np.ldexp(1.0, int(exponents.sum()) // 2))
        return self._replace(fp=self.fp / unit, fn=self.fn / unit), unit


class StepEvaluation(NamedTuple):
    """AUM and AUC at a step and just after it."""

    aum: float
    slope: float  # of AUM, just after the step and up to the next crossing
    auc: float  # ties counting one half
    auc_after: float  # just after the step and up to the next crossing
    size: float  # sum of the absolute terms that the slope is the sum of


def threshold_lines(errors: ErrorFunctions, pred: np.ndarray, direction: np.ndarray) -> ThresholdLines:
    """The lines of all breakpoints when predictions move from `pred` along `direction`."""
    intercept = errors.v - pred[errors.example]
    slope = -direction[errors.example]
    order = np.argsort(intercept)
    ordered = intercept[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.lexsort((slope, intercept))
        ordered = intercept[order]
    lines = ThresholdLines(ordered, slope[order], errors.fp[order], errors.fn[order])
    is_new = np.r_[True, (lines.intercept[1:] != lines.intercept[:-1]) | (lines.slope[1:] != lines.slope[:-1])]
    if is_new.all():
        return lines
    starts = np.flatnonzero(is_new)
    sums = np.add.reduceat(lines.fp, starts), np.add.reduceat(lines.fn, starts)
    return ThresholdLines(lines.intercept[is_new], lines.slope[is_new], *sums)


def evaluate_at(lines: ThresholdLines, step: float) -> StepEvaluation:
    """AUM, its slope, and AUC at a step, by definition: one sort, and none at step 0."""
    (intercept, slope, fp, fn), unit = lines.rescaled()
    middle = intercept.size // 2
    order = np.arange(intercept.size)
    if step > 0.0:
        order = np.argsort((intercept - intercept[middle]) + step * (slope - slope[middle]))
    gaps = np.empty(order.size)
    _sort_at_step(intercept, slope, step, order, gaps)
    _sort_ties(slope, order, gaps)
    total_fp = float(fp.sum())
    total_fn = float(-fn.sum())
    aum, change, size, area, area_after = _areas(slope, fp, fn, order, gaps, total_fn, slope[middle])
    change = change if abs(change) > FLAT * size else 0.0
    pairs = 2.0 * total_fp * total_fn
    return StepEvaluation(unit * aum, unit * change, area / pairs, area_after / pairs, unit * size)


def _sort_ties(slope: np.ndarray, order: np.ndarray, gaps: np.ndarray) -> None:
    """Sort tied lines by slope, as they are just after the step; not compiled: a sort takes Numba seconds."""
    is_tied = gaps <= 0.0
    if is_tied.any():
        ranks = np.flatnonzero(is_tied | np.append(is_tied[1:], False))
        group = np.cumsum(~is_tied)[ranks]
        order[ranks] = order[ranks][np.lexsort((slope[order[ranks]], group))]


@compiled(strict=True)
def _sort_at_step(intercept, slope, step, order, gaps):
    """Sort the lines as they are at a step; gaps[r] is the distance of rank r from rank r - 1, not positive for ties.

    An insertion sort by exact crossings fixes the few neighbours that rounding has put in the wrong order.
    """
    gaps[0] = 1.0
    for i in range(1, order.size):
        h = order[i]
        j = i
        while j > 0:
            gap, slack = _gap(intercept, slope, step, order[j - 1], h)
            if not gap < -slack:
                break
            order[j] = order[j - 1]
            j -= 1
        order[j] = h
    for i in range(1, order.size):
        gap, slack = _gap(intercept, slope, step, order[i - 1], order[i])
        gaps[i] = gap if gap > slack else -slack
    _extend_ties(gaps, 1, order.size, 1)
    _extend_ties(gaps, order.size - 1, 0, -1)


@compiled(strict=True)
def _gap(intercept, slope, step, low, high):
    """How far a line is above another at a step, and the distance below which they are tied."""
    rise = intercept[high] - intercept[low]
    run = step * (slope[high] - slope[low])
    return rise + run, TIED * max(abs(rise), abs(run))


@compiled
def _extend_ties(gaps, start, stop, direction):
    """Tie lines that are as close to a tied pair as the two are to each other, such as parallel ones."""
    slack = 0.0
    for i in range(start, stop, direction):
        if gaps[i] <= 0.0:
            slack = max(slack, -gaps[i])
        elif gaps[i] <= slack:
            gaps[i] = -slack
        else:
            slack = 0.0


@compiled
def _areas(slope, fp, fn, order, gaps, total_fn, origin):
    """AUM, its slope, the size of its terms, and twice the concordant pairs at the step (ties halved) and after it.

    The slope is summed by parts, so that terms do not grow with n; slopes may be measured from any origin.
    """
    false_pos, false_neg = 0.0, total_fn
    least = 0.0  # of the two
    aum = change = size = area = area_after = 0.0
    group_fp = 0.0  # of the tied lines so far
    group_start = 0.0  # true positives before them
    tiny = FLAT * total_fn
    doubt = DOUBT * total_fn
    for r in range(order.size):
        b = order[r]
        if gaps[r] > 0.0:
            aum += gaps[r] * least
            area += group_fp * (group_start + total_fn - false_neg)
            group_fp = 0.0
            group_start = total_fn - false_neg
        group_fp += fp[b]
        area_after += fp[b] * (2.0 * (total_fn - false_neg) - fn[b])
        false_pos += fp[b]
        false_neg += fn[b]
        next_least = max(min(false_pos, false_neg), 0.0)
        drop = least - next_least
        if abs(drop) > tiny:
            change += (slope[b] - origin) * drop
            size += abs(slope[b] - origin) * (abs(drop) + doubt)
        least = next_least
    area += group_fp * (group_start + total_fn - false_neg)
    return aum, change, size, area, area_after
