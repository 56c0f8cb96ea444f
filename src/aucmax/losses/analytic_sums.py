"""Sums of an analytic function of the margin over all pairs of a positive and a negative row, in O(n log n).

Scores are sorted into boxes of width 1, box b centred at the integer b. For a function f without a pole near the real
line, f(s - s') is, to machine precision, a polynomial in the positions t and t' of s and s' within their boxes: with
the Chebyshev polynomials T_k,

    f(s - s') = sum_kl A_kl(b - b') T_k(t) T_l(t')

so that a box is summarised by its moments sum_j q_j T_l(t_j), and one more than 40 away by its total weight, since f
is constant there (docs/mathematics.md, section 9).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled

TERMS = 18  # terms of an expansion; each makes its error 12 times smaller
FAR = 40  # distance in boxes; exp(-40) is below the rounding error of 1


class ChebyshevBoxes(NamedTuple):
    """The rows of a class, sorted into boxes by their scores."""

    at: np.ndarray  # the occupied boxes, in ascending order
    moments: np.ndarray  # moments of each box, of shape (boxes, TERMS)
    box: np.ndarray  # index of the box of each row
    place: np.ndarray  # position of each row within its box, from -1 to 1

    @classmethod
    def of(cls, scores: np.ndarray, weight: np.ndarray) -> ChebyshevBoxes:
        """Sort rows into boxes."""
        nearest = np.rint(scores)
        at, box = np.unique(nearest, return_inverse=True)
        place = 2.0 * (scores - nearest)
        moments = np.zeros((at.size, TERMS))
        _add_moments(box, place, weight, moments)
        return cls(at, moments, box, place)

    def sums(self, others: ChebyshevBoxes, table: np.ndarray, above: float) -> np.ndarray:
        """Expansion, for each box, of the sum over the other class; `above` is the value of f for boxes far above."""
        out = np.zeros((self.at.size, TERMS))
        _add_boxes(self.at, others.at, others.moments, table, above, out)
        return out

    def values(self, expansions: np.ndarray) -> np.ndarray:
        """The value at each row of the expansion of its box."""
        out = np.zeros(self.place.size)
        _evaluate(self.box, self.place, expansions, out)
        return out


def chebyshev_tables(function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The coefficients A(b - b') of the function, for all b - b' from -FAR to FAR."""
    angles = np.pi * (np.arange(TERMS) + 0.5) / TERMS
    transform = np.cos(np.outer(np.arange(TERMS), angles)) * (2.0 / TERMS)  # from values at the nodes to coefficients
    transform[0] /= 2.0
    nodes = np.cos(angles) / 2.0
    apart = np.arange(-FAR, FAR + 1.0)
    m = apart[:, None, None] + nodes[:, None] - nodes
    return transform @ function(m) @ transform.T


@compiled
def _add_moments(box, place, weight, moments):
    for i in range(box.size):
        before, now = weight[i], weight[i] * place[i]
        moments[box[i], 0] += before
        for k in range(1, TERMS):
            moments[box[i], k] += now
            before, now = now, 2.0 * place[i] * now - before


@compiled
def _evaluate(box, place, expansions, out):
    for i in range(box.size):
        before, now = 1.0, place[i]
        out[i] = expansions[box[i], 0]
        for k in range(1, TERMS):
            out[i] += expansions[box[i], k] * now
            before, now = now, 2.0 * place[i] * now - before


@compiled
def _add_boxes(at, others, moments, table, above, out):
    first = 0
    end = 0
    rest = 0.0
    for b in range(others.size):
        rest += moments[b, 0]
    for a in range(at.size):
        while end < others.size and others[end] <= at[a] + FAR:
            rest -= moments[end, 0]
            end += 1
        while first < end and others[first] < at[a] - FAR:
            first += 1
        out[a, 0] = above * rest
        for b in range(first, end):
            A = table[int(at[a] - others[b]) + FAR]
            for k in range(TERMS):
                for j in range(TERMS):
                    out[a, k] += A[k, j] * moments[b, j]
