"""Method `kinks`: every change of slope of AUM with monotone errors, without AUC.

AUM with monotone errors has kinks only where the level meets another line (see `convex`): the level is the line k at
which the running sum of u = fp + |fn| reaches total_fn. Of the 21 million crossings of 10,000 lines about 2,000 are
kinks. The path follows the level from one crossing to the next. With U the sum of u below k, a line m that crosses k

    from above: becomes the level if U + u_m >= total_fn, and k goes above it; else m goes below k
    from below: becomes the level if U - u_m + u_k < total_fn, and k goes below it; else m goes above k

and the slope of AUM changes as in `walk`, with D = U - total_fn before k. Whether a line can still cross the level
is decided by its side and its slope, never by rounded steps. Only lines near the level are examined: a line must
come within reach of it first, and the level moves no faster than the steepest of all lines.
"""

from __future__ import annotations

import numpy as np

from aucmax.aum.line_search.thresholds import DOUBT, FLAT, StepEvaluation, ThresholdLines, evaluate_at
from aucmax.aum.value import TIED
from aucmax.numerics.compiled import compiled

LARGEST = np.finfo(np.float64).max
NEAR = 8.0  # number of lines examined, in square roots of the number of all lines: balances both passes


class KinkPath:
    """A resumable path along the kinks of AUM; its rows are like those of `CrossingWalk`, with NaN for AUC.

    Parameters
    ----------
    lines : ThresholdLines
        With fp >= 0 and fn <= 0.
    """

    def __init__(self, lines: ThresholdLines) -> None:
        self._lines = lines
        self._u = lines.fp - lines.fn
        self._target = -float(lines.fn.sum())
        sums = np.cumsum(self._u)
        self._weights = float(sums[-1])
        level = min(int(np.searchsorted(sums, self._target)), sums.size - 1)
        self._is_below = np.arange(sums.size) < level
        self._start: StepEvaluation | None = evaluate_at(lines, 0.0)
        start = self._start
        below = sums[level] - self._u[level]
        # step, AUM, its slope and the size of its terms; the level and the sum of u below it; the last crossing;
        # and how many crossings are left: the level is one of the two lines, and two lines cross once
        crossings = sums.size * (sums.size - 1) / 2
        self._state = np.array([0.0, start.aum, start.slope, start.size, level, below, 0.0, crossings])
        self._near = np.arange(0)  # lines that can meet the level
        self._end = 0.0  # up to this step

    def next_rows(self, count: int, max_step: float = np.inf) -> np.ndarray:
        """The next rows of the step table, as columns; fewer than `count` if `max_step` or the end is reached."""
        rows = np.full((5, count), np.nan)
        found = 0
        if self._start is not None:
            rows[:3, 0] = (0.0, self._start.aum, self._start.slope)
            found = 1
            self._start = None
        while True:
            found, is_full = _follow(
                self._lines.intercept, self._lines.slope, self._u, self._near, self._is_below, self._target,
                self._weights, self._state, min(self._end, max_step), TIED, FLAT, found, rows,
            )  # fmt: skip
            if is_full or self._end >= max_step:
                return rows[:, :found].copy()
            self._select_near_lines()

    def _select_near_lines(self) -> None:
        """Select the lines near the level at the next crossing, and the step up to which no others can meet it."""
        intercept, slope = self._lines.intercept, self._lines.slope
        level = int(self._state[4])
        all_lines = np.arange(slope.size)
        _, step = _next_crossing(intercept, slope, all_lines, self._is_below, level, self._state[6])
        if step == np.inf or self._state[7] == 0.0:
            self._near, self._end = all_lines[:0], np.inf
            return
        distance = np.abs((intercept - intercept[level]) + step * (slope - slope[level]))
        speed = np.where(self._is_below, slope - slope.min(), slope.max() - slope)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            reach = np.where(speed > 0.0, distance / speed, np.inf)
        count = max(32, int(NEAR * np.sqrt(slope.size)))
        while count < slope.size:
            farthest = np.partition(reach, count)[count]
            self._near = np.flatnonzero(reach <= farthest)
            self._end = min(step + (1.0 - TIED) * farthest, LARGEST)
            if self._end > step * (1.0 + TIED):
                return
            count *= 2
        self._near, self._end = all_lines, LARGEST


@compiled
def _follow(intercept, slope, u, near, is_below, target, weights, state, end, tied, flat, found, rows):
    """Follow the level up to the step `end`; how many rows are filled, and whether the table is full."""
    step, aum, bend, size = state[0], state[1], state[2], state[3]
    level, below = int(state[4]), state[5]
    now = state[6]
    is_full = False
    while state[7] > 0.0:
        m, now_next = _next_crossing(intercept, slope, near, is_below, level, now)
        if now_next > end or now_next == np.inf:
            break
        base = below - target - (u[m] if is_below[m] else 0.0)
        first, second = (m, level) if is_below[m] else (level, m)
        turn = slope[second] - slope[first]
        change = _change(base, u[first], u[second], flat * weights) * turn
        if change != 0.0 and now_next > step * (1.0 + tied):
            if found == rows.shape[1]:
                is_full = True
                break
            if abs(bend) > flat * size:
                aum += bend * (now_next - step)
            step = now_next
            rows[0, found] = step
            rows[1, found] = aum
            found += 1
        now = now_next
        bend += change
        size += abs(change) + DOUBT * weights * abs(turn)
        if change != 0.0:
            rows[2, found - 1] = bend if abs(bend) > flat * size else 0.0
        level, below = _cross_level(u, is_below, level, below, m, target)
        state[7] -= 1.0
    state[0], state[1], state[2], state[3] = step, aum, bend, size
    state[4], state[5] = level, below
    state[6] = now
    return found, is_full


@compiled(strict=True)
def _next_crossing(intercept, slope, near, is_below, level, now):
    """The line that crosses the level next, and its step; of several at once the one that crosses most steeply."""
    a, b = intercept[level], slope[level]
    who = level
    best = np.inf
    steepest = 0.0
    for m in near:
        side = -1.0 if is_below[m] else 1.0
        rise = side * (intercept[m] - a)
        closing = side * (b - slope[m])
        if closing > 0.0 and rise <= best * closing:
            step = max(rise / closing, now)
            if step < best or (step == best and closing > steepest):
                who = m
                best = step
                steepest = closing
    return who, best


@compiled
def _change(base, u_first, u_second, tiny):
    """Half the change of |D| when two neighbours swap, from D before them; zero unless D changes sign."""
    old, new = base + u_first, base + u_second
    top = base + u_first + u_second
    if base >= 0.0 or top <= 0.0:
        return 0.0
    change = abs(old) + abs(new) - abs(base) - abs(top)
    return 0.5 * change if abs(change) > tiny else 0.0


@compiled
def _cross_level(u, is_below, level, below, m, target):
    """Move line m across the level; the new level and the sum of u below it."""
    if is_below[m]:
        below -= u[m]
        is_below[m] = False
        if below + u[level] >= target:
            return level, below
        is_below[level] = True
        return m, below + u[level]
    if below + u[m] >= target:
        return m, below
    is_below[m] = True
    return level, below + u[m]
