"""The convex search: the minimum of AUM with monotone errors, without visiting any crossing.

If false positives never decrease and false negatives never increase with the predictions, AUM is convex,

    AUM(s) = min over c of  sum_b fp_b (c - T_b(s))+  +  sum_b |fn_b| (T_b(s) - c)+,

and the best c is a weighted quantile of the thresholds: the line k (the level) at which the running sum of
fp + |fn| reaches total_fn. Just after step s

    AUM'(s) = sum_{b below k} fp_b (slope_k - slope_b)  +  sum_{b above k} |fn_b| (slope_b - slope_k),

a selection and a few passes over the lines; those that meet k at s count with their order just after it. The sign of
AUM', plus the slope of the penalty if there is one, is bisected. A line that cannot meet the level between the two
ends, whatever lines the level follows there, enters only through running sums from then on: passes get shorter.
"""

from __future__ import annotations

import numpy as np

from aucmax.aum.lines import FLAT, TIED, ThresholdLines, evaluate_at
from aucmax.numerics.compiled import compiled

LARGEST = 1e300  # bound on the thresholds at the steps examined
ROUNDING = 1e-15  # relative to the terms of a threshold: lines this close to the level meet it
MAX_BRACKETS = 16  # step k multiplies by 2^(2^k): 12 lead from the smallest float to the largest
MAX_BISECTIONS = 2200  # 2,100 halve the largest float to the smallest if `low` is 0; 70 more from any 0 < low < high


def convex_minimum(lines: ThresholdLines, linear: float = 0.0, quadratic: float = 0.0) -> tuple[float, float]:
    """First and last step of the minimum of AUM + linear s + quadratic/2 s^2; the last is infinite if it has no end.

    Parameters
    ----------
    lines : ThresholdLines
        With fp >= 0 and fn <= 0.
    linear, quadratic : float
        The penalty along the line; `linear` is zero if `quadratic` is.
    """
    start = evaluate_at(lines, 0.0)
    slope = start.slope + linear
    first = 0.0
    rises = slope > 0.0
    if slope < 0.0:
        guess = -slope / quadratic if quadratic > 0.0 else -start.aum / slope
        first, rises = _search(lines, linear, quadratic, 0.0, guess, False)
    if rises or quadratic > 0.0:
        return first, first
    return first, _search(lines, linear, quadratic, first, 2.0 * first, True)[0]


def _search(
    lines: ThresholdLines, linear: float, quadratic: float, low: float, guess: float, rising: bool
) -> tuple[float, bool]:
    """The first step above `low` after which the sum no longer falls or, if `rising`, rises; and whether it rises."""
    n = lines.slope.size
    middle = n // 2
    table = np.empty((5, n))
    table[:2] = lines.intercept - lines.intercept[middle], lines.slope - lines.slope[middle]
    table[2:] = lines.fp, -lines.fn, np.arange(n)
    widest = np.abs(table[:2]).max(axis=1)
    if widest[1] == 0.0:  # parallel lines: AUM is constant
        return (guess, True) if quadratic > 0.0 else (np.inf, False)
    if not 0.0 < guess < np.inf:
        guess = widest[0] / widest[1] if 0.0 < widest[0] / widest[1] < np.inf else 1.0
    end = LARGEST / max(widest[1], 1.0)
    counted = np.zeros(6)
    work = np.empty((3, n))
    target = float(table[3].sum())
    kept, level, step, rises = _bisect(table, target, linear, quadratic, low, guess, end, rising, counted, work)
    if kept == 0:
        return np.inf, False
    return _exact_crossing(lines, table[4, :kept].astype(np.intp), level, step), rises


def _exact_crossing(lines: ThresholdLines, near: np.ndarray, level: int, step: float) -> float:
    """The crossing of the level with a line near it, if one is within rounding of the step; else the step."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rise = lines.intercept[near] - lines.intercept[level]
        closing = lines.slope[level] - lines.slope[near]
        crossings = np.where(closing != 0.0, rise / closing, np.inf)
    nearest = crossings[np.argmin(np.abs(crossings - step))]
    return float(nearest) if abs(nearest - step) <= TIED * step else step


@compiled
def _bisect(table, target, linear, quadratic, low, guess, end, rising, counted, work):
    """Bracket the step, then bisect; the number of lines that remain, the level, the step, whether the sum rises.

    No lines remain if there is no such step up to `end`.
    """
    n = table.shape[1]
    if rising and _slope(table, n, target, np.inf, counted, work)[0] <= 0.0:
        return 0, 0, end, False
    high = max(guess, 2.0 * low)
    factor = 2.0
    last = line = 0.0  # slope at the upper end, and the line at the level there
    for _ in range(MAX_BRACKETS):  # steps grow until the sum no longer falls
        high = min(high, end)
        last, level = _slope(table, n, target, high, counted, work)
        last += linear + quadratic * high
        if last > 0.0 or (last == 0.0 and not rising):
            line = table[4, level]
            break
        if high == end:
            return 0, 0, end, False
        low = high
        high *= factor
        factor *= factor
    else:
        return 0, 0, end, False
    n = _retire_lines(table, n, work[0], high, low - high, counted)
    # bisect, on the geometric mean of ends of different magnitude
    for _ in range(MAX_BISECTIONS):
        step = np.sqrt(low) * np.sqrt(high) if 0.0 < 16.0 * low < high else 0.5 * (low + high)
        if high - low <= 0.125 * TIED * high or step <= low or step >= high:
            break
        slope, level = _slope(table, n, target, step, counted, work)
        slope += linear + quadratic * step
        if slope > 0.0 or (slope == 0.0 and not rising):
            high = step
            last = slope
            line = table[4, level]
            n = _retire_lines(table, n, work[0], step, low - step, counted)
        else:
            low = step
            n = _retire_lines(table, n, work[0], step, high - step, counted)
    return n, int(line), high, last > 0.0


@compiled
def _slope(table, n, target, step, counted, work):
    """The slope of AUM just after a step, or near infinity; and a line at the level.

    `counted` holds the sums of fp + |fn|, fp, fp slope below the level and of |fn|, |fn| slope above it over the
    retired lines, and the sum of the sizes of these terms. Comparisons are used as numbers, since branches would be
    mispredicted. `work[0]` receives the distances of the lines from the level, zero for those that meet it:
    thresholds are rounded here alone, since another loop may be compiled to other fused multiply-adds.
    """
    slopes, fp, fn, thresholds = table[1], table[2], table[3], work[0]
    scale, shift = (step, 1.0) if step < np.inf else (1.0, 0.0)
    # the level: a weighted quantile of the thresholds
    for b in range(n):
        thresholds[b] = shift * table[0, b] + scale * slopes[b]
    value = _level(thresholds, fp, fn, n, target - counted[0], work[1], work[2])
    level = 0
    for b in range(n):
        if thresholds[b] == value:
            level = b
    slack = ROUNDING * (shift * abs(table[0, level]) + scale * abs(slopes[level]))
    # lines tied with the level, and the slope with which it leaves them
    u_below = counted[0]
    tied = 0
    for b in range(n):
        distance = thresholds[b] - value
        if abs(distance) <= slack + ROUNDING * (shift * abs(table[0, b]) + scale * abs(slopes[b])):
            distance = 0.0
            work[1, tied], work[2, tied] = slopes[b], fp[b] + fn[b]
            tied += 1
        thresholds[b] = distance
        u_below += (distance < 0.0) * (fp[b] + fn[b])
    pace = _quantile(work[1], work[2], tied, target - u_below)
    # the slope of AUM, and the size of its terms
    fp_below, fp_slope, fn_above, fn_slope = counted[1], counted[2], counted[3], counted[4]
    size = counted[5]
    for b in range(n):
        below = fp[b] * ((thresholds[b] < 0.0) | ((thresholds[b] == 0.0) & (slopes[b] < pace)))
        above = fn[b] * ((thresholds[b] > 0.0) | ((thresholds[b] == 0.0) & (slopes[b] > pace)))
        fp_below += below
        fn_above += above
        fp_slope += below * slopes[b]
        fn_slope += above * slopes[b]
        size += (below + above) * abs(slopes[b])
    change = (pace * fp_below - fp_slope) + (fn_slope - pace * fn_above)
    size += abs(pace) * (fp_below + fn_above)
    return change if abs(change) > FLAT * size else 0.0, level


@compiled
def _retire_lines(table, n, distances, step, run, counted):
    """Add the lines that stay below or above the level between `step` and `step + run` to the running sums.

    The others move to the front. The level follows some of them: it is no faster than the fastest. At `step`, lines
    are at the given distances from it, and those that meet it stay.
    """
    lowest = highest = run * table[1, 0]
    for b in range(n):
        lowest = min(lowest, run * table[1, b])
        highest = max(highest, run * table[1, b])
    reach = abs(step) + abs(run)
    kept = 0
    for b in range(n):
        slope, fp, fn, number = table[1, b], table[2, b], table[3, b], table[4, b]
        slack = ROUNDING * (abs(table[0, b]) + reach * abs(slope) + max(abs(lowest), abs(highest)))
        moved = distances[b] + run * slope
        below = (distances[b] < 0.0) & (moved < lowest - slack)
        above = (distances[b] > 0.0) & (moved > highest + slack)
        counted[0] += below * (fp + fn)
        counted[1] += below * fp
        counted[2] += below * fp * slope
        counted[3] += above * fn
        counted[4] += above * fn * slope
        counted[5] += (below * fp + above * fn) * abs(slope)
        table[0, kept] = table[0, b]
        table[1, kept], table[2, kept], table[3, kept], table[4, kept] = slope, fp, fn, number
        kept += 1 - (below | above)
    return kept


@compiled
def _level(thresholds, fp, fn, n, target, values, weights):
    """The weighted quantile; for many lines a sample gives an interval that holds it, and one pass drops the rest."""
    low, high = _window(thresholds, fp, fn, n, target, values, weights)
    below = within = 0.0
    kept = 0
    for b in range(n):
        weight = fp[b] + fn[b]
        below += (thresholds[b] < low) * weight
        if low <= thresholds[b] <= high:
            values[kept], weights[kept] = thresholds[b], weight
            within += weight
            kept += 1
    if below < target <= below + within:
        return _quantile(values, weights, kept, target - below)
    for b in range(n):
        values[b], weights[b] = thresholds[b], fp[b] + fn[b]
    return _quantile(values, weights, n, target)


@compiled
def _window(thresholds, fp, fn, n, target, values, weights):
    """An interval that almost surely holds the quantile: three standard deviations around that of 512 lines."""
    size = 512
    if n < 8 * size:
        return -np.inf, np.inf
    total = sampled = 0.0
    for b in range(n):
        total += fp[b] + fn[b]
    for i in range(size):
        b = i * (n // size)
        values[i], weights[i] = thresholds[b], fp[b] + fn[b]
        sampled += weights[i]
    share = target / total * sampled
    margin = 3.0 * np.sqrt(share * max(sampled - share, 0.0) / size)
    low = _quantile(values, weights, size, share - margin) if share > margin else -np.inf
    high = _quantile(values, weights, size, share + margin) if share + margin < sampled else np.inf
    return low, high


@compiled
def _quantile(values, weights, n, target):
    """The smallest value whose cumulative weight reaches the target, by quickselect; the largest if none does.

    The pivot is among the values, so that each round drops one at least: there are at most n. Every pass of the inner
    loop moves one of its ends by one, until they have met.
    """
    first, last = 0, n - 1
    below = 0.0
    pivot = values[0]
    for _ in range(n):
        if first > last:
            break
        middle = (first + last) // 2
        x, y, z = values[first], values[middle], values[last]
        pivot = max(min(x, y), min(max(x, y), z))
        low, i, high = first, first, last
        lighter = equal = 0.0
        for _ in range(first, last + 1):
            value, weight = values[i], weights[i]
            if value < pivot:
                lighter += weight
                values[i], weights[i] = values[low], weights[low]
                values[low], weights[low] = value, weight
                low += 1
                i += 1
            elif value > pivot:
                values[i], weights[i] = values[high], weights[high]
                values[high], weights[high] = value, weight
                high -= 1
            else:
                equal += weight
                i += 1
        if below + lighter >= target and low > first:
            last = low - 1
        elif below + lighter + equal >= target:
            return pivot
        else:
            below += lighter + equal
            first = high + 1
    return pivot
