"""Nystroem: features whose inner products approximate a kernel, from landmarks.

    Williams, Seeger. "Using the Nystroem method to speed up kernel machines." NIPS 2000.

With K the kernel matrix of the landmarks and k(x) the values of the kernel between x and the landmarks,

    phi(x) = T' k(x),    T T' = K^+,    phi(x).phi(x') = k(x)' K^+ k(x')

which is exact if either row is a landmark. T is the inverse of a Cholesky factor of K. If K is nearly singular, the
factor is pivoted, and landmarks that add less than 1e-8 to the kernel of any other (duplicates, for one) are
dropped. A ranker w.phi(x) is dual.k(x) with dual = T w. Moments of the features are T' M T with M those of k(x),
which costs less than computing the features; where T is so large that it would magnify the rounding errors of M, they
are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from aucmax.kernels.coordinates import Coordinates
from aucmax.kernels.functions import Kernel
from aucmax.numerics.lazy_features import LazyFeatures
from aucmax.problem.moments import Moments

SMALLEST_PIVOT = 1e-4  # entry on the diagonal of the Cholesky factor below which a landmark is dropped
LARGEST_NORM = 1e3  # of a column of T up to which moments of features are computed from those of similarities
IN_MEMORY = 2**24  # largest number of features kept in memory: 128 megabytes


@dataclass(frozen=True, eq=False)
class Nystroem:
    """The feature map of a kernel and its landmarks.

    Parameters
    ----------
    kernel : Kernel
    gamma : float
    coordinates : Coordinates
        The coordinates in which distances are measured.
    landmarks : array or CSR of shape (m, d)
        The landmarks, in these coordinates.
    T : array of shape (m, rank)
    """

    kernel: Kernel
    gamma: float
    coordinates: Coordinates
    landmarks: Any
    T: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, gamma: float, coordinates: Coordinates, landmarks: Any, own: np.ndarray) -> Nystroem:
        """The feature map of landmarks whose pairwise distances are `own`."""
        K = kernel.values(own, gamma)
        factor, failed = lapack.dpotrf(K, lower=1)
        if failed == 0 and factor.diagonal().min() > SMALLEST_PIVOT:
            inverse, _ = lapack.dtrtri(factor, lower=1)
            return cls(kernel, gamma, coordinates, landmarks, inverse.T)
        factor, order, rank, _ = lapack.dpstrf(K, lower=1, tol=SMALLEST_PIVOT**2)
        inverse, _ = lapack.dtrtri(factor[:rank, :rank], lower=1)
        T = np.zeros((K.shape[0], rank))
        T[order[:rank] - 1] = np.tril(inverse).T
        return cls(kernel, gamma, coordinates, landmarks, T)

    @cached_property
    def magnifies(self) -> bool:
        """Whether T' M T would magnify the rounding errors of M too much."""
        return bool(np.square(self.T).sum(axis=0).max() > LARGEST_NORM**2)

    def similarities(self, X: Any) -> np.ndarray:
        """k(x) for the rows of a table."""
        return self.kernel.values(self.kernel.distances(self.coordinates(X), self.landmarks), self.gamma)

    def features(self, X: Any) -> Any:
        """phi(x) for all rows of a table: an array if it is small, otherwise computed on demand."""
        made = self.lazy_features(X)
        if made.size > IN_MEMORY:
            return made
        out = np.empty(made.shape)
        for place, rows in made.chunks(np.arange(X.shape[0])):
            out[place] = rows
        return out

    def moments(self, X: Any, y: np.ndarray, weight: np.ndarray) -> Moments:
        """Full moments of the features of rows with labels -1/+1.

        Those of the similarities are mapped by four products of m x m matrices, m the number of landmarks; features
        of n rows take one product of size n x m x m.
        """
        if self.magnifies or X.shape[0] < 4 * self.T.shape[0]:
            return Moments.of(self.lazy_features(X), y, weight)
        return Moments.of(LazyFeatures(X, self.similarities, self.T.shape[0]), y, weight).mapped(self.T)

    def lazy_features(self, X: Any) -> LazyFeatures:
        """phi(x) for all rows of a table, computed on demand."""
        return LazyFeatures(X, self, self.T.shape[1])

    def __call__(self, X: Any) -> np.ndarray:
        """phi(x) for the rows of a table, as an array."""
        return self.similarities(X) @ self.T


def own_distances(kernel: Kernel, landmarks: Any) -> np.ndarray:
    """The distances between landmarks, symmetric and exactly zero on the diagonal."""
    distances = kernel.distances(landmarks, landmarks)
    np.fill_diagonal(distances, 0.0)
    return (distances + distances.T) / 2


def median_distance(distances: np.ndarray) -> float:
    """The median distance between distinct landmarks, whose inverse is the unit of gamma; 1 if all are equal."""
    above = distances[np.triu_indices_from(distances, 1)]
    apart = above[above > 1e-12 * above.max(initial=0.0)]
    return float(np.median(apart)) if apart.size else 1.0
