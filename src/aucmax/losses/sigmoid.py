"""Sigmoid: 1 - AUC with its steps smoothed, over all pairs, without visiting the pairs.

    Herschtal, Raskutti. "Optimising Area Under the ROC Curve Using Gradient Descent." ICML 2004.

This is the mean of f(m) = 1/(1 + exp(m)) over the margins m = s - s' of all pairs. Scores are put into boxes of
width 1, box b around the integer b. As f has no pole within pi of the real line, it is to the last digit a polynomial
of the places t and t' of s and s' within their boxes: with Chebyshev's T_k,

    f(s - s') = sum_kl A_kl(b - b') T_k(t) T_l(t')

so that a box is known by its moments sum_j q_j T_l(t_j), and one more than 40 away by its weight, as f is 0 or 1
there. All pairs cost O(n log n). As f is not convex, no gap can be told but the loss itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from aucmax.losses.base import Loss
from aucmax.numerics.compiled import compiled

TERMS = 18  # of an expansion; each makes its error 12 times smaller
FAR = 40  # boxes; exp(-40) is less than the rounding of 1


class Boxes(NamedTuple):
    """The rows of a class: occupied boxes in ascending order, their moments, the box and the place of every row."""

    at: np.ndarray
    moments: np.ndarray
    box: np.ndarray
    place: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, weight: np.ndarray) -> Boxes:
        """Put rows into boxes."""
        nearest = np.rint(scores)
        at, box = np.unique(nearest, return_inverse=True)
        place, moments = 2.0 * (scores - nearest), np.zeros((at.size, TERMS))
        _add_moments(box, place, weight, moments)
        return cls(at, moments, box, place)

    def sums(self, others: Boxes, table: np.ndarray, above: float) -> np.ndarray:
        """Expansions, a box each, of the sum over the other class; `above` is f where the other is far above."""
        out = np.zeros((self.at.size, TERMS))
        _add_boxes(self.at, others.at, others.moments, table, above, out)
        return out

    def values(self, expansions: np.ndarray) -> np.ndarray:
        """The value at every row of the expansion of its box."""
        out = np.zeros(self.place.size)
        _evaluate(self.box, self.place, expansions, out)
        return out


class Sigmoid(Loss):
    """E[1/(1 + exp(w.(x - x')))], which comes to 1 - AUC as w grows."""

    name = "sigmoid"
    convex = False

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient."""
        scores = data.scores(w)
        scores -= scores.mean()
        pos, neg = (Boxes.of(scores[side], data.r[side]) for side in (data.y > 0, data.y < 0))
        steps, slopes = _tables()
        value = np.vdot(pos.moments, pos.sums(neg, steps, 1.0))
        c = np.empty(data.n)
        c[data.y > 0] = pos.values(pos.sums(neg, slopes, 0.0))
        c[data.y < 0] = -neg.values(neg.sums(pos, slopes, 0.0))  # f' is even
        return max(0.0, float(value)), data.combine(data.r * c)

    def l1_lower_bound(self, data: Any, w: np.ndarray, l1: float) -> float:
        """Zero: the loss is not negative."""
        return 0.0


@cache
def _tables() -> tuple[np.ndarray, np.ndarray]:
    """A(b - b') of f and of its slope, for all boxes that are not far."""
    angles = np.pi * (np.arange(TERMS) + 0.5) / TERMS
    transform = np.cos(np.outer(np.arange(TERMS), angles)) * (2.0 / TERMS)  # from values at the nodes to coefficients
    transform[0] /= 2.0
    nodes, apart = np.cos(angles) / 2.0, np.arange(-FAR, FAR + 1.0)
    m = apart[:, None, None] + nodes[:, None] - nodes
    return transform @ expit(-m) @ transform.T, transform @ (-expit(m) * expit(-m)) @ transform.T


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
    first, end, rest = 0, 0, 0.0
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
