"""Nystroem: features whose inner products approximate a kernel, from landmarks; and `KernelScore`, a model of them.

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

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from aucmax.kernels.functions import KERNELS, Coordinates, Kernel, median_distance
from aucmax.numerics.chunked_matrix import ChunkedMatrix, computed_rows
from aucmax.numerics.matrix import dot
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
    own : array of shape (m, m)
        The distances between the landmarks.
    """

    kernel: Kernel
    gamma: float
    coordinates: Coordinates
    landmarks: Any
    own: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, coordinates: Coordinates, rows: Any, gamma: float | None = None) -> Nystroem:
        """The feature map of landmarks in the units of the table; gamma is the inverse median distance by default."""
        landmarks = coordinates(rows)
        own = kernel.own_distances(landmarks)
        gamma = 1.0 / median_distance(own) if gamma is None else gamma
        return cls(kernel, gamma, coordinates, landmarks, own)

    def at(self, gamma: float) -> Nystroem:
        """The feature map of the same landmarks at another gamma."""
        return replace(self, gamma=gamma)

    @property
    def K(self) -> np.ndarray:
        """The kernel matrix of the landmarks."""
        return self.kernel.values(self.own, self.gamma)

    @cached_property
    def T(self) -> np.ndarray:
        """The matrix T of shape (m, rank)."""
        return inverse_factor(self.K)

    @property
    def unit(self) -> float:
        """The median distance between two landmarks."""
        return median_distance(self.own)

    def distances(self, X: Any) -> np.ndarray:
        """Distances from the rows of a table to the landmarks, which do not depend on gamma."""
        return self.kernel.distances(self.coordinates(X), self.landmarks)

    def similarities(self, X: Any) -> np.ndarray:
        """k(x) for the rows of a table."""
        return self.kernel.values(self.distances(X), self.gamma)

    def features(self, X: Any) -> Any:
        """phi(x) for all rows of a table: an array if it is small, otherwise computed on demand."""
        computed = self.computed_features(X)
        return computed if computed.size > IN_MEMORY else computed.in_memory()

    def moments(self, X: Any, y: np.ndarray, weight: np.ndarray) -> Moments:
        """Full moments of the features of rows with labels -1/+1.

        Those of the similarities are mapped by four products of m x m matrices, m the number of landmarks; features
        of n rows take one product of size n x m x m.
        """
        if magnifies(self.T) or X.shape[0] < 4 * self.T.shape[0]:
            return Moments.of(self.computed_features(X), y, weight)
        return Moments.of(computed_rows(X, self.similarities, self.T.shape[0]), y, weight).mapped(self.T)

    def computed_features(self, X: Any) -> ChunkedMatrix:
        """phi(x) for all rows of a table, computed chunk by chunk as often as asked."""
        return computed_rows(X, self, self.T.shape[1])

    def __call__(self, X: Any) -> np.ndarray:
        """phi(x) for the rows of a table, as an array."""
        return self.similarities(X) @ self.T


def inverse_factor(K: np.ndarray) -> np.ndarray:
    """T with T T' = K^+, of shape (m, rank), for the kernel matrix K of m landmarks."""
    factor, failed = lapack.dpotrf(K, lower=1)
    if failed == 0 and factor.diagonal().min() > SMALLEST_PIVOT:
        inverse, _ = lapack.dtrtri(factor, lower=1)
        return inverse.T
    factor, order, rank, _ = lapack.dpstrf(K, lower=1, tol=SMALLEST_PIVOT**2)
    inverse, _ = lapack.dtrtri(factor[:rank, :rank], lower=1)
    T = np.zeros((K.shape[0], rank))
    T[order[:rank] - 1] = np.tril(inverse).T
    return T


def magnifies(T: np.ndarray) -> bool:
    """Whether T' M T would magnify the rounding errors of M too much."""
    return bool(np.square(T).sum(axis=0).max() > LARGEST_NORM**2)


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
        The coordinates in which distances are measured; None for a linear term, whose weights are in the units of
        the table.
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

        return dot(computed_rows(X, similarities, self.weights.size), self.weights)


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
