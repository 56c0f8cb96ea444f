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

from aucmax.aum.lines import FLAT, TIED, Lines, after_reversed, at_step, before, slope_terms
from aucmax.jit import kernel

STEP, AUM, SLOPE, AUC, AUC_AFTER = range(5)  # rows of the table
_INTERCEPT, _SLOPE, _FP, _FN, _D = range(5)  # columns of the lines in rank order


class Walk:
    """A walk along the lines, which can be continued; it starts with the row of step 0.

    Parameters
    ----------
    lines : Lines
    """

    def __init__(self, lines: Lines) -> None:
        fp, fn = before(lines.fp), after_reversed(lines.fn)
        self._ranked = np.zeros((lines.fp.size + 1, 5))
        self._ranked[:-1, :_D] = np.stack(lines, axis=1)
        self._ranked[:, _D] = fp - fn
        self._tree = _tree_of(self._ranked)
        self._pairs = fp[-1] * fn[0]
        start = at_step(lines, 0.0)
        self._first = np.array([[0.0], [start.aum], [start.slope], [start.auc], [start.auc_after]])
        slope, size = slope_terms(lines.slope, np.minimum(fp, fn))
        self._state = np.array([0.0, start.aum, slope, size, start.auc_after * self._pairs])

    def next_rows(self, count: int, max_step: float = np.inf) -> np.ndarray:
        """The next rows of the table, in columns; fewer than `count` if there are no more up to `max_step`."""
        first, self._first = self._first, self._first[:, :0]
        rows = np.empty((5, count - first.shape[1]))
        found = _advance(self._ranked, *self._tree, self._state, max_step, TIED, FLAT, rows)
        rows[AUC:] /= self._pairs
        return np.concatenate((first, rows[:, :found]), axis=1)


def _tree_of(ranked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The tree with its leaves, in one array: values, the gap that each stems from, and where levels start.

    Each level but the root is padded to whole families of eight.
    """
    widths = [_families(ranked.shape[0] - 2)]
    while widths[-1] > 8:
        widths.append(_families(widths[-1] // 8))
    levels = np.cumsum([0, *widths])
    tree = np.full(levels[-1] + 1, np.inf)
    gaps = np.zeros(tree.size, dtype=np.int64)
    gaps[: widths[0]] = np.arange(widths[0])
    _plant(ranked, tree, gaps, levels)
    return tree, gaps, levels


def _families(width: int) -> int:
    return 8 * max(1, -(-width // 8))


@kernel
def _plant(ranked, tree, gaps, levels):
    """Leaves: where each pair of neighbours crosses. Then all nodes above them."""
    for gap in range(ranked.shape[0] - 2):
        tree[gap] = _crossing(ranked, gap, 0.0)
    for level in range(levels.size - 1):
        for node in range((levels[level + 1] - levels[level]) // 8):
            _renew_node(tree, gaps, levels[level] + 8 * node, levels[level + 1] + node)


@kernel
def _crossing(ranked, gap, step):
    """The step at which the lines around a gap cross, not before the current one; infinity if they never do."""
    closing = ranked[gap, 1] - ranked[gap + 1, 1]
    if closing <= 0.0:
        return np.inf
    return max(step, (ranked[gap + 1, 0] - ranked[gap, 0]) / closing)


@kernel
def _renew_node(tree, gaps, first, node):
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
    gap = gaps[first + i]
    if tree[node] == a and gaps[node] == gap:
        return False
    tree[node] = a
    gaps[node] = gap
    return True


@kernel
def _renew(tree, gaps, levels, low, high):
    """Bring the nodes above the leaves low..high up to date."""
    for level in range(levels.size - 1):
        changed = False
        for node in range(low // 8, high // 8 + 1):
            changed |= _renew_node(tree, gaps, levels[level] + 8 * node, levels[level + 1] + node)
        if not changed:
            return
        low //= 8
        high //= 8


@kernel
def _swap(ranked, r, tiny):
    """Swap the lines of ranks r and r + 1; the changes of the slope of AUM and of the pairs won."""
    a, b, fp, fn = ranked[r, 0], ranked[r, 1], ranked[r, 2], ranked[r, 3]
    a2, b2, fp2, fn2 = ranked[r + 1, 0], ranked[r + 1, 1], ranked[r + 1, 2], ranked[r + 1, 3]
    ranked[r, 0], ranked[r, 1], ranked[r, 2], ranked[r, 3] = a2, b2, fp2, fn2
    ranked[r + 1, 0], ranked[r + 1, 1], ranked[r + 1, 2], ranked[r + 1, 3] = a, b, fp, fn
    below, old, above = ranked[r, 4], ranked[r + 1, 4], ranked[r + 2, 4]
    new = below + (fp2 - fn2)
    ranked[r + 1, 4] = new
    won = fp2 * fn - fp * fn2
    if min(min(below, above), min(old, new)) >= 0.0 or max(max(below, above), max(old, new)) <= 0.0:
        return 0.0, won
    bend = abs(old) + abs(new) - abs(below) - abs(above)
    return (b2 - b) * bend * 0.5 if abs(bend) > tiny else 0.0, won


@kernel
def _advance(ranked, tree, gaps, levels, state, max_step, tied, flat, rows):
    """Fill the table with the next rows; crossings that are tied make one row. Returns how many there were."""
    step, aum, slope, size, pairs = state[0], state[1], state[2], state[3], state[4]
    found = 0
    last, root = ranked.shape[0] - 3, levels[-1]
    tiny = flat * (ranked[-1, 4] - ranked[0, 4])
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
            change, won = _swap(ranked, gap, tiny)
            slope += change
            size += abs(change)
            pairs += won
            low, high = max(gap - 1, 0), min(gap + 1, last)
            for near in range(low, high + 1):
                tree[near] = _crossing(ranked, near, now)
            _renew(tree, gaps, levels, low, high)
            gap, now = gaps[root], tree[root]
        rows[0, found] = step
        rows[1, found] = aum
        rows[2, found] = slope if abs(slope) > flat * size else 0.0
        rows[3, found] = 0.5 * (pairs_before + pairs)
        rows[4, found] = pairs
        found += 1
    state[0], state[1], state[2], state[3], state[4] = step, aum, slope, size, pairs
    return found
