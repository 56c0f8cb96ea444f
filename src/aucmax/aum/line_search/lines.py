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
from aucmax.numerics.compiled import compiled

TIED = 1e-12
FLAT = 1e-13  # a slope of AUM is zero if it is less than this part of its terms; so is a weight, of all weights
DOUBT = 1e-3  # of all weights, added to the weight in a term's size: FLAT of it is the rounding of a running sum


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

    def in_unit(self) -> tuple[Lines, float]:
        """The same with fp and fn divided by a power of two, and that: products of the new totals are about one."""
        exponents = np.frexp(self.totals)[1]
        unit = float(np.ldexp(1.0, int(exponents.sum()) // 2))
        return self._replace(fp=self.fp / unit, fn=self.fn / unit), unit


class AtStep(NamedTuple):
    """AUM and AUC at a step; `slope` and `auc_after` hold just after it, up to the next crossing.

    The slope is a sum of terms, whose sizes sum up to `size`.
    """

    aum: float
    slope: float
    auc: float
    auc_after: float
    size: float


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
    """AUM, its slope, and AUC at a step, from the definition: one sort, and none at step 0."""
    (intercept, slope, fp, fn), unit = lines.in_unit()
    middle = intercept.size // 2
    order = np.arange(intercept.size)
    if step > 0.0:
        order = np.argsort((intercept - intercept[middle]) + step * (slope - slope[middle]))
    gaps = np.empty(order.size)
    _put_in_order(intercept, slope, step, TIED, order, gaps)
    total_fp, total_fn = float(fp.sum()), float(-fn.sum())
    aum, change, size, area, area_after = _areas(slope, fp, fn, order, gaps, total_fn, slope[middle], FLAT)
    change, pairs = change if abs(change) > FLAT * size else 0.0, 2.0 * total_fp * total_fn
    return AtStep(unit * aum, unit * change, area / pairs, area_after / pairs, unit * size)


def before(change: np.ndarray) -> np.ndarray:
    """Totals before each rank, and after the last."""
    return np.concatenate(([0.0], np.cumsum(change)))


def after_reversed(change: np.ndarray) -> np.ndarray:
    """Totals before each rank when they are zero after the last."""
    return np.concatenate((np.cumsum(-change[::-1])[::-1], [0.0]))


@compiled(strict=True)
def _put_in_order(intercept, slope, step, tied, order, gaps):
    """Order the lines as they are just after a step; gaps[r] is the distance of rank r from rank r - 1 at the step.

    An insertion sort by exact crossings mends the few neighbours that rounding put in the wrong order; then tied
    lines, between which gaps are not positive, are sorted by slope.
    """
    gaps[0] = 1.0
    for i in range(1, order.size):
        h = order[i]
        j = i
        gap, slack = _gap(intercept, slope, step, tied, order[j - 1], h)
        while gap < -slack:
            order[j] = order[j - 1]
            j -= 1
            if j == 0:
                break
            gap, slack = _gap(intercept, slope, step, tied, order[j - 1], h)
        order[j] = h
    for i in range(1, order.size):
        gap, slack = _gap(intercept, slope, step, tied, order[i - 1], order[i])
        gaps[i] = gap if gap > slack else -slack
    _join(gaps, 1, order.size, 1)
    _join(gaps, order.size - 1, 0, -1)
    start = 0
    for i in range(1, order.size + 1):
        if i == order.size or gaps[i] > 0.0:
            if i - start > 1:
                group = order[start:i].copy()
                order[start:i] = group[np.argsort(slope[group], kind="mergesort")]
            start = i


@compiled(strict=True)
def _gap(intercept, slope, step, tied, low, high):
    """How far a line is above another at a step, and how near they must be to count as tied."""
    rise, run = intercept[high] - intercept[low], step * (slope[high] - slope[low])
    return rise + run, tied * max(abs(rise), abs(run))


@compiled
def _join(gaps, start, stop, way):
    """Lines as near to a tied pair as the two are to each other are tied with them: think of parallel lines."""
    slack = 0.0
    for i in range(start, stop, way):
        if gaps[i] <= 0.0:
            slack = max(slack, -gaps[i])
        elif gaps[i] <= slack:
            gaps[i] = -slack
        else:
            slack = 0.0


@compiled
def _areas(slope, fp, fn, order, gaps, total_fn, origin, flat):
    """AUM, its slope and the size of its terms, twice the pairs won with ties halved, and just after the step.

    The slope is summed by parts, so that terms do not grow with n; slopes may be taken from any origin.
    """
    false_pos, false_neg, least = 0.0, total_fn, 0.0
    aum = change = size = area = area_after = 0.0
    group_fp, group_start = 0.0, 0.0  # of the tied lines so far, and the true positives before them
    tiny, doubt = flat * total_fn, DOUBT * total_fn
    for r in range(order.size):
        b = order[r]
        if gaps[r] > 0.0:
            aum += gaps[r] * least
            area += group_fp * (group_start + total_fn - false_neg)
            group_fp, group_start = 0.0, total_fn - false_neg
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
