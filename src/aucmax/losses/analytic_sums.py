"""Sums of an analytic function of the margin over all pairs of a positive and a negative row, in O(n).

Scores are sorted into boxes of width 1, box b centred at the integer b. For a function f without a singularity near
the real line, f(s - s') is, to machine precision, a polynomial in the positions t and t' of s and s' within their
boxes: with the Chebyshev polynomials T_k,

    f(s - s') = sum_kl A_kl(b - b') T_k(t) T_l(t')

so that a box is summarised by its moments sum_j q_j T_l(t_j); the moments of parts of the rows add up to those of the
whole. Between boxes more than 40 apart f must be linear up to rounding: there the sums of the weights and of the
weighted distances suffice (docs/mathematics.md, section 9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled

TERMS = 18  # terms of an expansion; each makes its error 12 times smaller
FAR = 40  # distance in boxes; exp(-40) is below the rounding error of 1


class Line(NamedTuple):
    """offset + slope m, which a function of the margin m equals far from zero."""

    offset: float = 0.0
    slope: float = 0.0


ZERO = Line()


@dataclass(frozen=True, eq=False)
class MarginFunction:
    """A function of the margin: analytic within pi of the real line, and linear beyond a distance of 40 from zero."""

    table: np.ndarray  # A_kl(d), of shape (2 FAR + 1, TERMS, TERMS): index d + FAR, then l, then k
    low: Line  # the function for margins far below zero
    high: Line  # and far above zero

    @classmethod
    def of(cls, function: Callable[[np.ndarray], np.ndarray], low: Line = ZERO, high: Line = ZERO) -> MarginFunction:
        """Expand a function that works elementwise on arrays."""
        angles = np.pi * (np.arange(TERMS) + 0.5) / TERMS
        transform = np.cos(np.outer(np.arange(TERMS), angles)) * (2.0 / TERMS)  # from values to coefficients
        transform[0] /= 2.0
        nodes = np.cos(angles) / 2.0
        apart = np.arange(-FAR, FAR + 1.0)
        m = apart[:, None, None] - nodes[:, None] + nodes
        return cls(transform @ function(m) @ transform.T, low, high)

    @cached_property
    def mirrored(self) -> MarginFunction:
        """The same function of -m."""
        low, high = (Line(line.offset, -line.slope) for line in (self.high, self.low))
        return MarginFunction(np.ascontiguousarray(self.table[::-1].transpose(0, 2, 1)), low, high)


class BoxMoments(NamedTuple):
    """The moments of both classes in the boxes that are occupied by either."""

    at: np.ndarray  # the boxes, in ascending order
    pos: np.ndarray  # moments of the positive rows, of shape (boxes, TERMS)
    neg: np.ndarray  # moments of the negative rows

    @classmethod
    def merged(cls, parts: Sequence[BoxMoments]) -> BoxMoments:
        """The moments of all rows, from those of disjoint parts."""
        at, index = np.unique(np.concatenate([part.at for part in parts]), return_inverse=True)
        pos, neg = np.zeros((2, at.size, TERMS))
        np.add.at(pos, index, np.concatenate([part.pos for part in parts]))
        np.add.at(neg, index, np.concatenate([part.neg for part in parts]))
        return cls(at, pos, neg)

    def over_pairs(self, f: MarginFunction) -> float:
        """The sum over all pairs of weight times f."""
        return float(np.vdot(self.pos, expansions(self.at, self.neg, f)))

    def over_partners(self, f: MarginFunction) -> tuple[np.ndarray, np.ndarray]:
        """Expansions, box by box, of the sum of f over the negative rows and of that over the positive ones."""
        return expansions(self.at, self.neg, f), expansions(self.at, self.pos, f.mirrored)


class BoxedRows(NamedTuple):
    """Rows sorted into boxes by their scores."""

    y: np.ndarray  # labels of the rows, -1 or 1
    at: np.ndarray  # the occupied boxes, in ascending order
    box: np.ndarray  # index of the box of each row
    place: np.ndarray  # position of each row within its box, from -1 to 1

    @classmethod
    def of(cls, scores: np.ndarray, y: np.ndarray) -> BoxedRows:
        """Put rows into boxes, sorting them only if they are spread over more boxes than there are rows.

        Scores should be centred, since doubles are densest near zero. If one is not finite, all sums are NaN.
        """
        nearest = np.rint(scores)
        lowest, highest = float(nearest.min()), float(nearest.max())
        if not (np.isfinite(lowest) and np.isfinite(highest)):
            return cls(y, np.zeros(1), np.zeros(scores.size, dtype=np.int64), np.full(scores.size, np.nan))
        place = 2.0 * (scores - nearest)
        span = highest - lowest + 1.0
        if span > 1000 + scores.size:
            return cls(y, *np.unique(nearest, return_inverse=True), place)
        box = (nearest - lowest).astype(np.int64)
        occupied = np.zeros(int(span), dtype=np.int64)
        _renumber(box, occupied)
        return cls(y, np.flatnonzero(occupied) + lowest, box, place)

    def moments(self, weight: np.ndarray) -> BoxMoments:
        """The moments of the boxes, for rows of the given weights."""
        both = np.zeros((2, self.at.size, TERMS))
        _add_moments(self.box, self.place, self.y, weight, both)
        return BoxMoments(self.at, both[0], both[1])

    def values(self, moments: BoxMoments, f: MarginFunction) -> np.ndarray:
        """For each row the sum over the other class of weight times f; the moments are in the boxes of these rows."""
        return self.evaluate(*moments.over_partners(f))

    def evaluate(self, of_pos: np.ndarray, of_neg: np.ndarray) -> np.ndarray:
        """The value at each row of the expansions of its class, given for the boxes of these rows."""
        out = np.empty(self.place.size)
        _evaluate(self.box, self.place, self.y, of_pos, of_neg, out)
        return out


def expansions(at: np.ndarray, moments: np.ndarray, f: MarginFunction) -> np.ndarray:
    """Coefficients, box by box, of the sum over the given rows of their weight times f(score - their score)."""
    out = np.zeros((at.size, TERMS))
    _add_near(at, moments, f.table, out)
    if at[-1] - at[0] > FAR:
        _add_above(at, moments, *f.low, out)
        mirror = np.array([1.0, -1.0])  # T_1 is odd
        below = np.zeros((at.size, 2))
        _add_above(-at[::-1], moments[::-1, :2] * mirror, f.high.offset, -f.high.slope, below)
        out[:, :2] += below[::-1] * mirror
    return out


@compiled
def _renumber(box, occupied):
    """Number the occupied boxes consecutively."""
    for i in range(box.size):
        occupied[box[i]] = 1
    count = 0
    for b in range(occupied.size):
        if occupied[b]:
            count += 1
            occupied[b] = count
    for i in range(box.size):
        box[i] = occupied[box[i]] - 1


@compiled
def _add_moments(box, place, y, weight, both):
    for i in range(box.size):
        moments = both[0 if y[i] > 0 else 1, box[i]]
        twice = 2.0 * place[i]
        before = weight[i]
        now = weight[i] * place[i]
        for k in range(0, TERMS, 2):
            moments[k] += before
            moments[k + 1] += now
            before = twice * now - before
            now = twice * before - now


@compiled
def _evaluate(box, place, y, of_pos, of_neg, out):
    for i in range(box.size):
        expansion = of_pos[box[i]] if y[i] > 0 else of_neg[box[i]]
        twice = 2.0 * place[i]
        before = 1.0
        now = place[i]
        total = 0.0
        for k in range(0, TERMS, 2):
            total += expansion[k] * before + expansion[k + 1] * now
            before = twice * now - before
            now = twice * before - now
        out[i] = total


@compiled
def _add_near(at, moments, table, out):
    """Boxes at most FAR apart. Differences are compared, which are exact, unlike at + FAR beyond 2^53."""
    first = 0
    end = 0
    for a in range(at.size):
        while end < at.size and at[end] - at[a] <= FAR:
            end += 1
        while first < end and at[a] - at[first] > FAR:
            first += 1
        for b in range(first, end):
            if not moments[b].any():  # a box of the other class
                continue
            A = table[int(at[a] - at[b]) + FAR]
            for j in range(0, TERMS, 6):  # six terms at a time, since loading and storing `out` would take longest
                m0, m1, m2 = moments[b, j], moments[b, j + 1], moments[b, j + 2]
                m3, m4, m5 = moments[b, j + 3], moments[b, j + 4], moments[b, j + 5]
                for k in range(TERMS):
                    low = A[j, k] * m0 + A[j + 1, k] * m1 + A[j + 2, k] * m2
                    out[a, k] += low + A[j + 3, k] * m3 + A[j + 4, k] * m4 + A[j + 5, k] * m5


@compiled
def _add_above(at, moments, offset, slope, out):
    """Boxes far above, in a sweep down that keeps their weight and the sum of their weighted distances."""
    weight = 0.0
    distance = 0.0
    b = at.size - 1
    for a in range(at.size - 1, -1, -1):
        if weight != 0.0:
            distance += weight * (at[a + 1] - at[a])
        while b > a and at[b] - at[a] > FAR:
            weight += moments[b, 0]
            distance += moments[b, 0] * (at[b] - at[a]) + 0.5 * moments[b, 1]
            b -= 1
        out[a, 0] += offset * weight
        if slope != 0.0:
            out[a, 0] -= slope * distance
            out[a, 1] += 0.5 * slope * weight
