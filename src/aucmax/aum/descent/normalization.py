"""Gauges: what fixes the length of the weights where AUM leaves it open.

If all breakpoints are at one place, as those of labels are, AUM(c f) = c AUM(f): a search along any line would shrink
the weights towards zero, where AUM is zero and nothing is learned. A gauge takes that way out. A step goes along a
direction that keeps it to first order (`tangent`), and is then scaled back (`factor`).

|w| = 1 leaves another way out: directions along which the scores hardly vary. AUM is low there, and AUC too. With the
distance of the class means fixed at 1 there is none, the problem is convex, and a penalty on |w| means something.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np


class Gauge(Protocol):
    """What a descent asks of a gauge."""

    def tangent(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The part of a direction that keeps the gauge."""

    def factor(self, w: np.ndarray) -> float:
        """By what to multiply weights so that they have it."""


class Free(NamedTuple):
    """None: the length of the weights matters to AUM."""

    def tangent(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The direction itself."""
        return d

    def factor(self, w: np.ndarray) -> float:
        """One."""
        return 1.0


class UnitLength(NamedTuple):
    """|w| = 1."""

    def tangent(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The part of d orthogonal to w."""
        return _orthogonal(d, w)

    def factor(self, w: np.ndarray) -> float:
        """One over the length."""
        return 1.0 / float(np.linalg.norm(w))


class UnitContrast(NamedTuple):
    """w.delta = 1, delta the difference of the class means."""

    delta: np.ndarray

    def tangent(self, w: np.ndarray, d: np.ndarray) -> np.ndarray:
        """The part of d orthogonal to delta."""
        return _orthogonal(d, self.delta)

    def factor(self, w: np.ndarray) -> float:
        """One over w.delta; negative if the weights rank the wrong way round."""
        return 1.0 / float(w @ self.delta)


def _orthogonal(d: np.ndarray, u: np.ndarray) -> np.ndarray:
    return d - u * (float(d @ u) / float(u @ u))
