"""KernelScore: the scoring function of a fitted kernel model, a sum of terms on the same landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.kernels.coordinates import Coordinates
from aucmax.kernels.functions import KERNELS
from aucmax.numerics.lazy_features import LazyFeatures
from aucmax.numerics.matrix import dot


@dataclass(frozen=True, eq=False)
class Term:
    """sum_i weights_i k(x, z_i) over the landmarks z_i, or weights.x if the kernel is "linear".

    Parameters
    ----------
    kernel : str
        "linear" or a name in `KERNELS`.
    weights : array of shape (m,), or (d,) for a linear term
    gamma : float
    coordinates : Coordinates or None
        Where distances are measured; None for a linear term, whose weights are in the units of the table.
    """

    kernel: str
    weights: np.ndarray
    gamma: float = 1.0
    coordinates: Coordinates | None = None

    def __call__(self, X: Any, landmarks: Any) -> np.ndarray:
        """The value of the term at each row, computed chunk by chunk."""
        if self.coordinates is None:
            return dot(X, self.weights)
        kernel = KERNELS[self.kernel]
        coordinates = self.coordinates
        gamma = self.gamma
        Z = coordinates(landmarks)

        def similarities(rows: Any) -> np.ndarray:
            return kernel.values(kernel.distances(coordinates(rows), Z), gamma)

        return dot(LazyFeatures(X, similarities, self.weights.size), self.weights)


@dataclass(frozen=True, eq=False)
class KernelScore:
    """The sum of the terms plus an intercept.

    Parameters
    ----------
    landmarks : array or CSR of shape (m, d)
        Rows in the units of the table.
    terms : tuple of Term
    intercept : float

    Examples
    --------
    >>> term = Term("rbf", np.array([2.0]), gamma=1.0, coordinates=Coordinates(np.ones(1)))
    >>> score = KernelScore(np.array([[0.0]]), (term,), intercept=-1.0)
    >>> score(np.array([[0.0], [1.0]])).round(3).tolist()
    [1.0, -0.264]
    """

    landmarks: Any
    terms: tuple[Term, ...]
    intercept: float

    def __call__(self, X: Any) -> np.ndarray:
        """The score of each row."""
        return sum((term(X, self.landmarks) for term in self.terms), np.full(X.shape[0], self.intercept))
