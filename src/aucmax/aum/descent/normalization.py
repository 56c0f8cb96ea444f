"""Normalization of the weights, where AUM does not determine their length.

If all breakpoints are at the same value, as those of labels are, AUM(c f) = c AUM(f): any line search would shrink
the weights towards zero, where AUM is zero and nothing is learned. A normalization excludes that. A step goes along a
direction that preserves it to first order (`project`), and the weights are then rescaled (`factor`).

|w| = 1 still allows directions along which the scores hardly vary, where AUM is low, and AUC too. If instead the
difference of the class means of the scores is fixed at 1 there are none, the problem is convex, and a penalty on |w|
is meaningful.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np


class Normalization(Protocol):
    """The interface that a descent expects."""

    def project(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The component of a direction d that preserves the normalization of w."""

    def factor(self, w: np.ndarray) -> float:
        """The number that normalizes weights when they are multiplied by it."""


class NoNormalization(NamedTuple):
    """None: AUM determines the length of the weights."""

    def project(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The direction itself."""
        return d

    def factor(self, w: np.ndarray) -> float:
        """One."""
        return 1.0


class UnitNorm(NamedTuple):
    """|w| = 1."""

    def project(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The component of d orthogonal to w."""
        return _orthogonal(d, w)

    def factor(self, w: np.ndarray) -> float:
        """One over the norm."""
        return 1.0 / float(np.linalg.norm(w))


class UnitMeanDifference(NamedTuple):
    """w.delta = 1, delta being the difference of the class means."""

    delta: np.ndarray

    def project(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The component of d orthogonal to delta."""
        return _orthogonal(d, self.delta)

    def factor(self, w: np.ndarray) -> float:
        """One over w.delta; negative if the weights rank the classes the wrong way round."""
        return 1.0 / float(w @ self.delta)


def _orthogonal(d: np.ndarray, u: np.ndarray) -> np.ndarray:
    return d - u * (float(d @ u) / float(u @ u))
