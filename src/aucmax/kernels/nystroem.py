"""Nystroem: features whose inner products are those of a kernel, as far as landmarks can tell.

    Williams, Seeger. "Using the Nystroem method to speed up kernel machines." NIPS 2000.

With K the kernel matrix of the landmarks, K = U diag(values) U', and k(x) its values between x and the landmarks,

    phi(x) = T' k(x),    T = U diag(values)^-1/2,    phi(x).phi(x') = k(x)' K^+ k(x')

which is the kernel itself if both rows are landmarks. Directions that are rounding only (landmarks that occur twice)
are left out. A ranker w.phi(x) is dual.k(x) with dual = T w.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from aucmax.kernels.coordinates import Coordinates
from aucmax.kernels.functions import Kernel
from aucmax.numerics.lazy_features import LazyFeatures

SMALLEST = 1e-11  # eigenvalue of the kernel matrix, as a share of the largest, below which there is only rounding
KEPT = 2**24  # numbers of features that are kept rather than made anew: 128 megabytes


@dataclass(frozen=True, eq=False)
class Nystroem:
    """The feature map of a kernel and its landmarks.

    Parameters
    ----------
    kernel : Kernel
    gamma : float
    coordinates : Coordinates
        From rows of a table to where distances are measured.
    landmarks : array or CSR of shape (m, d)
        In these coordinates.
    T : array of shape (m, rank)
    """

    kernel: Kernel
    gamma: float
    coordinates: Coordinates
    landmarks: Any
    T: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, gamma: float, coordinates: Coordinates, landmarks: Any, own: np.ndarray) -> Nystroem:
        """The map of landmarks whose own distances are known."""
        values, vectors = eigh(kernel.values(own, gamma), check_finite=False, driver="evd")
        kept = values > SMALLEST * values[-1]
        return cls(kernel, gamma, coordinates, landmarks, vectors[:, kept] / np.sqrt(values[kept]))

    def similarities(self, X: Any) -> np.ndarray:
        """k(x) of some rows of a table."""
        return self.kernel.values(self.kernel.distances(self.coordinates(X), self.landmarks), self.gamma)

    def features(self, X: Any, distances: np.ndarray | None = None) -> Any:
        """phi(x) of all rows of a table: as an array if it is small, else made when asked for.

        `distances` to the landmarks, if they are known, save most of the work.
        """
        if distances is not None:
            return self.kernel.values(distances, self.gamma) @ self.T
        made = LazyFeatures(X, self, self.T.shape[1])
        if made.size > KEPT:
            return made
        out = np.empty(made.shape)
        for place, rows in made.parts(np.arange(X.shape[0])):
            out[place] = rows
        return out

    def __call__(self, X: Any) -> np.ndarray:
        """phi(x) of some rows of a table."""
        return self.similarities(X) @ self.T


def own_distances(kernel: Kernel, landmarks: Any) -> np.ndarray:
    """The distances between landmarks, in coordinates; exactly zero on the diagonal, and symmetric."""
    distances = kernel.distances(landmarks, landmarks)
    np.fill_diagonal(distances, 0.0)
    return (distances + distances.T) / 2


def typical(distances: np.ndarray) -> float:
    """The median distance of two different landmarks: the unit of gamma is its inverse; 1 if all are the same."""
    above = distances[np.triu_indices_from(distances, 1)]
    apart = above[above > 1e-12 * above.max(initial=0.0)]
    return float(np.median(apart)) if apart.size else 1.0
