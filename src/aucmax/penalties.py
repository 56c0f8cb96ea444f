"""Penalties: value, proximal step, and their part of the duality gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ElasticNet:
    """l1 |w|_1 + l2/2 |w|^2, the penalty of the objective.

    Examples
    --------
    >>> ElasticNet.of(alpha=0.5, l1_ratio=0.2)
    ElasticNet(l1=0.1, l2=0.4)
    """

    l1: float
    l2: float

    @classmethod
    def of(cls, alpha: float, l1_ratio: float) -> ElasticNet:
        """From what users say: a strength and the share of the l1 norm."""
        return cls(l1=alpha * l1_ratio, l2=alpha * (1.0 - l1_ratio))

    def value(self, w: np.ndarray) -> float:
        """Penalty at w."""
        return float(self.l1 * np.abs(w).sum() + 0.5 * self.l2 * (w @ w))

    def prox(self, u: np.ndarray, eta: float) -> np.ndarray:
        """argmin_w |w - u|^2/2 + eta * value(w)."""
        return soft_threshold(u, eta * self.l1) / (1.0 + eta * self.l2)

    def fenchel_gap(self, w: np.ndarray, u: np.ndarray) -> float:
        """value(w) + conjugate(u) - w.u, as a sum of terms none of which is negative; needs l2 > 0."""
        nearest = soft_threshold(u, self.l1) / self.l2
        step = w - nearest
        slack = self.l1 * np.abs(w) - w * np.clip(u, -self.l1, self.l1)
        return float(0.5 * self.l2 * (step @ step) + slack.sum())


def soft_threshold(u: np.ndarray, threshold: float) -> np.ndarray:
    """sign(u) max(|u| - threshold, 0)."""
    return np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0)
