"""Penalties: value, proximal step, and contribution to the duality gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucmax.numerics.compiled import compiled

ROUNDING = 4 * np.finfo(float).eps  # relative rounding error of a few operations


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
        """From the users' parameters: the strength of the penalty and the share of the l1 norm."""
        return cls(l1=alpha * l1_ratio, l2=alpha * (1.0 - l1_ratio))

    @property
    def kind(self) -> str:
        """The kind of penalty, which a solver must support: "l2", "elastic net", "l1" or "none".

        For the first two and for a `Ball`, `fenchel_gap` is defined.
        """
        if self.l1 > 0:
            return "elastic net" if self.l2 > 0 else "l1"
        return "l2" if self.l2 > 0 else "none"

    def value(self, w: np.ndarray) -> float:
        """Penalty at w."""
        return float(self.l1 * np.abs(w).sum() + 0.5 * self.l2 * (w @ w))

    def prox(self, u: np.ndarray, eta: float) -> np.ndarray:
        """argmin_w |w - u|^2/2 + eta * value(w)."""
        return soft_threshold(u, eta * self.l1) / (1.0 + eta * self.l2)

    def fenchel_gap(self, w: np.ndarray, u: np.ndarray, error: np.ndarray | float = 0.0) -> float:
        """value(w) + conjugate(u) - w.u as a sum of non-negative terms, the largest for any u within `error`; l2 > 0.

        As a function of u_j it has slope -step_j and curvature at most 1/l2.
        """
        clipped = np.clip(u, -self.l1, self.l1)
        step = w - (u - clipped) / self.l2
        slack = self.l1 * np.abs(w) - w * clipped
        gap = float(0.5 * self.l2 * (step @ step) + slack.sum())
        doubt = error + ROUNDING * (np.abs(u) + self.l2 * np.abs(w))
        return gap + float((np.abs(step) * doubt).sum() + 0.5 / self.l2 * (doubt @ doubt))


@dataclass(frozen=True)
class Ball:
    """Zero inside the l1 or l2 ball of the given radius, infinite outside; `norm` is 1 or 2."""

    radius: float
    norm: int

    l1: ClassVar[float] = 0.0
    l2: ClassVar[float] = 0.0
    kind: ClassVar[str] = "ball"

    def value(self, w: np.ndarray) -> float:
        """Zero: iterates stay inside the ball."""
        return 0.0

    def prox(self, u: np.ndarray, eta: float) -> np.ndarray:
        """The nearest point of the ball, regardless of eta."""
        return project_l2(u, self.radius) if self.norm == 2 else project_l1(u, self.radius)

    def fenchel_gap(self, w: np.ndarray, u: np.ndarray, error: np.ndarray | float = 0.0) -> float:
        """conjugate(u) - w.u, the largest for any u within `error`; the conjugate is radius times the dual norm."""
        doubt = error + ROUNDING * np.abs(u)
        largest = float(self.radius * self._dual_norm(u) - w @ u)
        return max(0.0, largest) + float(self.radius * self._dual_norm(doubt) + np.abs(w) @ doubt)

    def _dual_norm(self, u: np.ndarray) -> float:
        return float(np.linalg.norm(u) if self.norm == 2 else np.abs(u).max(initial=0.0))


def project_l2(u: np.ndarray, radius: float) -> np.ndarray:
    """Nearest point of the Euclidean ball."""
    length = float(np.linalg.norm(u))
    return u if length <= radius else u * (radius / length)


def project_l1(u: np.ndarray, radius: float) -> np.ndarray:
    """Nearest point of the l1 ball, by sorting (Duchi et al. 2008)."""
    size = np.abs(u)
    if size.sum() <= radius:
        return u
    ordered = np.sort(size)[::-1]
    excess = (np.cumsum(ordered) - radius) / np.arange(1, u.size + 1)
    threshold = excess[np.flatnonzero(ordered >= excess)[-1]]  # equal where the radius is lost in rounding
    return soft_threshold(u, threshold)


def soft_threshold(u: np.ndarray, threshold: float) -> np.ndarray:
    """sign(u) max(|u| - threshold, 0)."""
    return np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0)


@compiled
def scalar_soft_threshold(u, threshold):
    """`soft_threshold` of a number, for compiled loops; NaN stays NaN, so that guards against divergence see it."""
    return u - min(max(u, -threshold), threshold)  # of all equivalent forms, this one compiles to the fastest loops
