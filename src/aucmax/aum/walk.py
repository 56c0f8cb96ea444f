"""The walk: every crossing of the threshold lines in order of step size, with AUM and AUC between them.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

Lines are kept sorted by rank, with D = FP - FN before each rank. Neighbours l (below) and h (above) with
slope_l > slope_h swap ranks r, r+1:

    D'[r+1] = D[r] + (fp_h - fn_h)
    slope of AUM += (slope_h - slope_l) (|D[r+1]| + |D'[r+1]| - |D[r]| - |D[r+2]|) / 2
    AUC          += (fp_h fn_l - fp_l fn_h) / (total_fp total_fn)

The first line is the paper's update of min(FP, FN) = (FP + FN - |FP - FN|) / 2, whose sum part cancels: the slope
changes only where D changes sign. Whether a pair swaps is decided by its slopes, never by comparing rounded steps, so
that it swaps at most once: nothing is lost when many lines meet. The next crossing of every pair of neighbours, not
earlier than the current step, is a leaf of a tournament tree whose nodes hold the minimum of their eight children.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aucmax.aum.lines import DOUBT, FLAT, TIED, StepEvaluation, ThresholdLines, evaluate_at
from aucmax.aum.value import totals_from_left, totals_from_right
from aucmax.numerics.compiled import compiled

STEP, AUM, SLOPE, AUC, AUC_AFTER = range(5)  # rows of the table
BATCH = 1024  # rows in the first batch
LARGEST_BATCH = 2**20
_D = 4  # column of D in the ranked lines, after intercept, slope, fp and fn


class CrossingWalk:
    """A resumable walk over the crossings; its first row is that of step 0.

    Parameters
    ----------
    lines : ThresholdLines

    Attributes
    ----------
    next_step : float
        The step of the row after the last one; infinite at the end.
    """

    def __init__(self, lines: ThresholdLines) -> None:
        lines, self._unit = lines.rescaled()
        fp = totals_from_left(lines.fp)
        fn = totals_from_right(lines.fn)
        self._ranked = np.empty((lines.fp.size + 2, 5))
        for column, values in enumerate(lines):
            self._ranked[1:-1, column] = values
        self._ranked[0] = (0.0, -np.inf, 0.0, 0.0, 0.0)  # sentinels: no line meets the first and the last
        self._ranked[-1] = (0.0, np.inf, 0.0, 0.0, 0.0)
        self._ranked[1:, _D] = fp - fn
        self._tree = _crossing_tree(self._ranked)
        self._pairs = fp[-1] * fn[0]
        self._start: StepEvaluation | None = evaluate_at(lines, 0.0)
        start = self._start
        # step, AUM, its slope and the size of its terms, and the concordant pairs
        self._state = np.array([0.0, start.aum, start.slope, start.size, start.auc_after * self._pairs])
        self.next_step = 0.0

    def next_rows(self, count: int) -> np.ndarray:
        """The next rows of the step table, as columns; fewer than `count` at the end."""
        rows = np.empty((5, count))
        start = 0
        if self._start is not None:
            rows[:, 0] = (0.0, *self._start[:4])
            start = 1
            self._start = None
        filled = _advance(self._ranked, *self._tree, self._state, start, rows)
        rows[AUM:AUC, :filled] *= self._unit
        rows[AUC:, start:filled] /= self._pairs
        self.next_step = float(self._tree[0][-1])
        return rows if filled == count else rows[:, :filled].copy()

    def batches(self) -> Iterator[np.ndarray]:
        """All rows that are left, in batches of growing size."""
        size = BATCH
        while self.next_step < np.inf:
            yield self.next_rows(size)
            size = min(2 * size, LARGEST_BATCH)


def _crossing_tree(ranked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tree with its leaves, in one array: values, the gap that each stems from, and where levels start.

    Each level but the root is padded to a multiple of eight.
    """
    width = -(-(ranked.shape[0] - 1) // 8)
    levels = [0, 8 * width]
    while width > 1:
        width = -(-width // 8)
        levels.append(levels[-1] + 8 * width)
    tree = np.full(levels[-1] + 1, np.inf)
    gaps = np.empty(tree.size, dtype=np.int64)
    starts = np.array(levels)
    _fill_tree(ranked, tree, gaps, starts)
    return tree, gaps, starts


@compiled
def _fill_tree(ranked, tree, gaps, levels):
    """Leaves: where each pair of neighbours crosses. Then all nodes above them."""
    for gap in range(ranked.shape[0] - 1):
        tree[gap] = _crossing(ranked, gap, 0.0)
    for level in range(levels.size - 1):
        for node in range((levels[level + 1] - levels[level]) // 8):
            _update_node(tree, gaps, levels[1], levels[level] + 8 * node, levels[level + 1] + node)


@compiled(strict=True)
def _crossing(ranked, gap, step):
    """The step at which the lines around a gap cross, not before the current one; infinity if they never do."""
    closing = ranked[gap, 1] - ranked[gap + 1, 1]
    divisor = closing if closing > 0.0 else 1.0  # always divides: a branch would be mispredicted
    crossing = (ranked[gap + 1, 0] - ranked[gap, 0]) / divisor
    crossing = crossing if crossing > step else step
    return crossing if closing > 0.0 else np.inf


@compiled
def _update_node(tree, gaps, leaves, first, node):
    """Set a node to the minimum of its eight children, in three rounds without branches; whether it changed."""
    a, b, c, d = tree[first], tree[first + 2], tree[first + 4], tree[first + 6]
    a2, b2, c2, d2 = tree[first + 1], tree[first + 3], tree[first + 5], tree[first + 7]
    i, j, k, m = 0 + (a2 < a), 2 + (b2 < b), 4 + (c2 < c), 6 + (d2 < d)
    a, b, c, d = min(a, a2), min(b, b2), min(c, c2), min(d, d2)
    i = j if b < a else i
    k = m if d < c else k
    a, c = min(a, b), min(c, d)
    i = k if c < a else i
    a = min(a, c)
    gap = first + i if first < leaves else gaps[first + i]
    if tree[node] == a and gaps[node] == gap:
        return False
    tree[node] = a
    gaps[node] = gap
    return True


@compiled
def _update_tree(tree, gaps, levels, low, high):
    """Update the nodes above the leaves low..high."""
    for level in range(levels.size - 1):
        low >>= 3
        high >>= 3
        changed = _update_node(tree, gaps, levels[1], levels[level] + (low << 3), levels[level + 1] + low)
        if high > low:
            changed |= _update_node(tree, gaps, levels[1], levels[level] + (high << 3), levels[level + 1] + high)
        if not changed:
            return


@compiled(strict=True)
def _swap(ranked, r, tiny):
    """Swap the lines of ranks r and r + 1; the change of the slope of AUM and of the concordant pairs, and the turn.

    The turn is the difference of the lines' slopes if D changes sign, if only by rounding, and zero otherwise.
    """
    a, b, fp, fn = ranked[r, 0], ranked[r, 1], ranked[r, 2], ranked[r, 3]
    a2, b2, fp2, fn2 = ranked[r + 1, 0], ranked[r + 1, 1], ranked[r + 1, 2], ranked[r + 1, 3]
    ranked[r, 0], ranked[r, 1], ranked[r, 2], ranked[r, 3] = a2, b2, fp2, fn2
    ranked[r + 1, 0], ranked[r + 1, 1], ranked[r + 1, 2], ranked[r + 1, 3] = a, b, fp, fn
    below, old, above = ranked[r, 4], ranked[r + 1, 4], ranked[r + 2, 4]
    new = below + (fp2 - fn2)
    ranked[r + 1, 4] = new
    won = fp2 * fn - fp * fn2
    if min(min(below, above), min(old, new)) >= 0.0 or max(max(below, above), max(old, new)) <= 0.0:
        return 0.0, won, 0.0
    bend = abs(old) + abs(new) - abs(below) - abs(above)
    return (b2 - b) * bend * 0.5 if abs(bend) > tiny else 0.0, won, b - b2


@compiled
def _advance(ranked, tree, gaps, levels, state, filled, rows):
    """Fill the table with the next rows, one for all crossings that are tied; returns how many rows are filled.

    Every pass swaps two neighbours of which the steeper was below, and no crossing is left between the two: a pair is
    swapped at most once, so that there are at most n (n - 1) / 2 passes, whatever the rounding; `left` counts them.
    """
    step, aum, slope, size, pairs = state[0], state[1], state[2], state[3], state[4]
    root = levels[-1]
    weights = ranked[-1, 4] - ranked[1, 4]
    tiny = FLAT * weights
    doubt = DOUBT * weights
    left = ranked.shape[0] * (ranked.shape[0] - 1) // 2
    while filled < rows.shape[1]:
        gap, now = gaps[root], tree[root]
        if now == np.inf:
            break
        if abs(slope) > FLAT * size:
            aum += slope * (now - step)
        step = now
        pairs_before = pairs
        until = now * (1.0 + TIED)
        while left > 0 and now <= until and now < np.inf:
            left -= 1
            change, won, turn = _swap(ranked, gap, tiny)
            slope += change
            size += abs(change) + doubt * turn
            pairs += won
            tree[gap - 1] = _crossing(ranked, gap - 1, now)
            tree[gap] = np.inf
            tree[gap + 1] = _crossing(ranked, gap + 1, now)
            _update_tree(tree, gaps, levels, gap - 1, gap + 1)
            gap, now = gaps[root], tree[root]
        rows[0, filled] = step
        rows[1, filled] = aum
        rows[2, filled] = slope if abs(slope) > FLAT * size else 0.0
        rows[3, filled] = 0.5 * (pairs_before + pairs)
        rows[4, filled] = pairs
        filled += 1
    state[0], state[1], state[2], state[3], state[4] = step, aum, slope, size, pairs
    return filled
