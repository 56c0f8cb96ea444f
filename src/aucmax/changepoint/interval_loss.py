"""The loss of interval regression: squared hinges on both limits of an interval, with a margin of one.

    Rigaill, Hocking, Vert, Bach. "Learning Sparse Penalties for Change-point Detection using Max Margin Interval
    Regression." ICML 2013.

    loss(f) = (low - f)+^2 + (f - high)+^2,    low = lower + 1,  high = upper - 1

The two may overlap. An infinite limit has no cost. The loss is piecewise quadratic in f, so that the best constant is
found exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled

MARGIN = 1.0


class IntervalLoss(NamedTuple):
    """Squared hinges below `low` and above `high`, one of each per example."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def of(cls, limits: np.ndarray) -> IntervalLoss:
        """From lower and upper limits, of shape (n, 2)."""
        return cls(limits[:, 0] + MARGIN, limits[:, 1] - MARGIN)

    def value(self, f: np.ndarray) -> float:
        """Mean loss of predictions."""
        below = np.maximum(self.low - f, 0.0)
        above = np.maximum(f - self.high, 0.0)
        return float((below @ below + above @ above) / f.size)

    def derivative(self, f: np.ndarray) -> np.ndarray:
        """Derivative of each example's loss."""
        return 2.0 * (np.maximum(f - self.high, 0.0) - np.maximum(self.low - f, 0.0))

    def second_derivative(self, f: np.ndarray) -> np.ndarray:
        """Second derivative of each example's loss: 0, 2 or 4."""
        return 2.0 * ((f < self.low) + 1.0 * (f > self.high))

    def best_constant(self, f: np.ndarray) -> float:
        """The constant to add to predictions that minimises the loss; the midpoint if an interval does.

        Half the derivative, D(c) = sum (c - q)+ - sum (p - c)+ with p = low - f and q = high - f, is piecewise
        linear and increasing: its root is between two of the sorted p and q.
        """
        p = np.sort((self.low - f)[np.isfinite(self.low)])
        q = np.sort((self.high - f)[np.isfinite(self.high)])
        knots = np.sort(np.concatenate((p, q)))
        derivative = np.maximum.accumulate(_sum_of_excess(knots, q) - _sum_of_excess(-knots, -p[::-1]))
        first, end = (int(np.searchsorted(derivative, 0.0, side)) for side in ("left", "right"))
        if first < end:
            return float(0.5 * (knots[first] + knots[end - 1]))
        first = min(max(first, 1), knots.size - 1)
        rise = derivative[first] - derivative[first - 1]
        return float(knots[first - 1] - derivative[first - 1] / rise * (knots[first] - knots[first - 1]))

    def fenchel_young(self, f: np.ndarray, theta: np.ndarray) -> float:
        """Mean of loss(f) + conjugate(theta) - theta f, no term of which is negative."""
        return float(_fenchel_young(self.low, self.high, f, theta)) / f.size


def _sum_of_excess(knots: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Sum of (knot - edge)+ over sorted edges, for every knot."""
    below = np.searchsorted(edges, knots)
    sums = np.concatenate(([0.0], np.cumsum(edges)))
    return below * knots - sums[below]


@compiled
def _fenchel_young(low, high, f, theta):
    """Sum over examples; theta has the sign of the derivative at f, and is not larger."""
    total = 0.0
    for i in range(f.size):
        if theta[i] == 0.0 and low[i] <= high[i]:
            at = min(max(f[i], low[i]), high[i])
        elif theta[i] < 0.0 and low[i] + 0.5 * theta[i] <= high[i]:
            at = low[i] + 0.5 * theta[i]
        elif theta[i] > 0.0 and high[i] + 0.5 * theta[i] >= low[i]:
            at = high[i] + 0.5 * theta[i]
        else:  # both hinges are active
            at = 0.25 * theta[i] + 0.5 * (low[i] + high[i])
        total += max(low[i] - f[i], 0.0) ** 2 + max(f[i] - high[i], 0.0) ** 2 - theta[i] * (f[i] - at)
        total -= max(low[i] - at, 0.0) ** 2 + max(at - high[i], 0.0) ** 2
    return total
