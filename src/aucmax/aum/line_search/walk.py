"""The walk: every crossing of the lines in order of step size, with AUM and AUC between them.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

Lines are kept in rank order, with D = FP - FN before each rank. Neighbours l (below) and h (above) with
slope_l > slope_h swap at ranks r, r+1:

    D'[r+1] = D[r] + (fp_h - fn_h)
    slope of AUM += (slope_h - slope_l) (|D[r+1]| + |D'[r+1]| - |D[r]| - |D[r+2]|) / 2
    AUC          += (fp_h fn_l - fp_l fn_h) / (total_fp total_fn)

The first line is the paper's update of min(FP, FN) = (FP + FN - |FP - FN|) / 2, whose sum part cancels: the slope
changes only where D changes its sign. A pair swaps if its slopes say so, never because of a comparison of rounded
steps, and so at most once: nothing is lost when many lines meet. The next crossing of every pair of neighbours,
not earlier than the current step, is a leaf of a tree whose nodes hold the least of their eight children.
"""

from __future__ import annotations

import numpy as np

from aucmax.aum.line_search.lines import DOUBT, FLAT, TIED, AtStep, Lines, after_reversed, at_step, before
from aucmax.numerics.compiled import compiled

STEP, AUM, SLOPE, AUC, AUC_AFTER = range(5)  # rows of the table
_D = 4  # column of D in the lines in rank order, after intercept, slope, fp and fn; no line meets the first and last


class Walk:
    """A walk along the lines, which can be continued; it starts with the row of step 0.

    Parameters
    ----------
    lines : Lines
    """

    def __init__(self, lines: Lines) -> None:
        lines, self._unit = lines.in_unit()
        fp, fn = before(lines.fp), after_reversed(lines.fn)
        self._ranked = np.empty((lines.fp.size + 2, 5))
        for column, values in enumerate(lines):
            self._ranked[1:-1, column] = values
        self._ranked[0], self._ranked[-1] = (0.0, -np.inf, 0.0, 0.0, 0.0), (0.0, np.inf, 0.0, 0.0, 0.0)
        self._ranked[1:, _D] = fp - fn
        self._tree = _tree_of(self._ranked)
        self._pairs = fp[-1] * fn[0]
        self._start: AtStep | None = at_step(lines, 0.0)
        start = self._start
        self._state = np.array([0.0, start.aum, start.slope, start.size, start.auc_after * self._pairs])

    def next_rows(self, count: int, max_step: float = np.inf) -> np.ndarray:
        """The next rows of the table, in columns; fewer than `count` if there are no more up to `max_step`."""
        rows, start = np.empty((5, count)), 0
        if self._start is not None:
            rows[:, 0], start = (0.0, *self._start[:4]), 1
            self._start = None
        found = _advance(self._ranked, *self._tree, self._state, max_step, TIED, FLAT, start, rows)
        rows[AUM:AUC, :found] *= self._unit
        rows[AUC:, start:found] /= self._pairs
        return rows if found == count else rows[:, :found].copy()


def _tree_of(ranked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tree with its leaves, in one array: values, the gap that each stems from, and where levels start.

    Each level but the root is padded to whole families of eight.
    """
    widths = [_families(ranked.shape[0] - 1)]
    while widths[-1] > 8:
        widths.append(_families(widths[-1] // 8))
    levels = np.cumsum([0, *widths])
    tree = np.full(levels[-1] + 1, np.inf)
    gaps = np.empty(tree.size, dtype=np.int64)
    _plant(ranked, tree, gaps, levels)
    return tree, gaps, levels


def _families(width: int) -> int:
    return 8 * max(1, -(-width // 8))


@compiled
def _plant(ranked, tree, gaps, levels):
    """Leaves: where each pair of neighbours crosses. Then all nodes above them."""
    for gap in range(ranked.shape[0] - 1):
        tree[gap] = _crossing(ranked, gap, 0.0)
    for level in range(levels.size - 1):
        for node in range((levels[level + 1] - levels[level]) // 8):
            _renew_node(tree, gaps, levels[1], levels[level] + 8 * node, levels[level + 1] + node)


@compiled(strict=True)
def _crossing(ranked, gap, step):
    """The step at which the lines around a gap cross, not before the current one; infinity if they never do."""
    closing = ranked[gap, 1] - ranked[gap + 1, 1]
    divisor = closing if closing > 0.0 else 1.0  # divided in any case: a branch could not be predicted
    crossing = (ranked[gap + 1, 0] - ranked[gap, 0]) / divisor
    crossing = crossing if crossing > step else step
    return crossing if closing > 0.0 else np.inf


@compiled
def _renew_node(tree, gaps, leaves, first, node):
    """Make a node the least of its eight children; whether it changed. Three rounds, which need no branches."""
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
def _renew(tree, gaps, levels, low, high):
    """Bring the nodes above the leaves low..high up to date."""
    for level in range(levels.size - 1):
        low >>= 3
        high >>= 3
        changed = _renew_node(tree, gaps, levels[1], levels[level] + (low << 3), levels[level + 1] + low)
        if high > low:
            changed |= _renew_node(tree, gaps, levels[1], levels[level] + (high << 3), levels[level + 1] + high)
        if not changed:
            return


@compiled(strict=True)
def _swap(ranked, r, tiny):
    """Swap the lines of ranks r and r + 1: how much the slope of AUM and the pairs won change, and the lines turn.

    The turn is the difference of their slopes if D changes its sign, be it by rounding, and zero elsewhere.
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
def _advance(ranked, tree, gaps, levels, state, max_step, tied, flat, found, rows):
    """Fill the table with the next rows; crossings that are tied make one row. Returns how many are filled."""
    step, aum, slope, size, pairs = state[0], state[1], state[2], state[3], state[4]
    root = levels[-1]
    weights = ranked[-1, 4] - ranked[1, 4]
    tiny, doubt = flat * weights, DOUBT * weights
    while found < rows.shape[1]:
        gap, now = gaps[root], tree[root]
        if now > max_step or now == np.inf:
            break
        if abs(slope) > flat * size:
            aum += slope * (now - step)
        step = now
        pairs_before = pairs
        until = now * (1.0 + tied)
        while now <= until and now < np.inf:
            change, won, turn = _swap(ranked, gap, tiny)
            slope += change
            size += abs(change) + doubt * turn
            pairs += won
            tree[gap - 1] = _crossing(ranked, gap - 1, now)
            tree[gap] = np.inf
            tree[gap + 1] = _crossing(ranked, gap + 1, now)
            _renew(tree, gaps, levels, gap - 1, gap + 1)
            gap, now = gaps[root], tree[root]
        rows[0, found] = step
        rows[1, found] = aum
        rows[2, found] = slope if abs(slope) > flat * size else 0.0
        rows[3, found] = 0.5 * (pairs_before + pairs)
        rows[4, found] = pairs
        found += 1
    state[0], state[1], state[2], state[3], state[4] = step, aum, slope, size, pairs
    return found
