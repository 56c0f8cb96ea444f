"""Moments: what the squared loss needs to know of the rows, class by class, and nothing more.

For each class: how many rows, their total weight, the mean and the scatter sum_i s_i (x_i - mean)(x_i - mean)'.
Moments of parts add up to the moments of the whole, and a part can be taken out again (Chan, Golub, LeVeque 1983):

    mean = (W1 mean1 + W2 mean2) / W,    scatter = scatter1 + scatter2 + W1 W2 / W (mean1 - mean2)(mean1 - mean2)'

so folds, streams and clusters need a single pass over the data. The scatter is a matrix, or only its diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from aucmax.numerics.matrix import copy_shifted, weighted_squares, weighted_sums
from aucmax.numerics.threads import in_threads, workers_for

CHUNK = 2**19  # numbers of a chunk of rows, that fit in the cache
FIRST = 256  # rows of the first chunk


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Count, weight, mean and scatter of the rows of one class."""

    count: float
    weight: float
    mean: np.ndarray
    scatter: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        """Scatter divided by weight; zero for a class without weight."""
        return self.scatter / (self.weight or 1.0)

    @property
    def trace(self) -> float:
        """Trace of the scatter: the sum of s_i |x_i - mean|^2."""
        return float(np.trace(self.scatter) if self.scatter.ndim == 2 else self.scatter.sum())

    @np.errstate(invalid="ignore", over="ignore")  # NaN and infinity are for the door to see
    def __add__(self, other: ClassMoments) -> ClassMoments:
        weight = self.weight + other.weight
        share = other.weight / (weight or 1.0)
        step = other.mean - self.mean
        mean = self.mean + share * step
        scatter = self.scatter + other.scatter + self.weight * share * self._square(step)
        return ClassMoments(self.count + other.count, weight, mean, scatter)

    def __sub__(self, other: ClassMoments) -> ClassMoments:
        weight = self.weight - other.weight
        if self.count - other.count <= 0:
            return ClassMoments(0.0, 0.0, np.zeros_like(self.mean), np.zeros_like(self.scatter))
        mean = self.mean + (other.weight / weight) * (self.mean - other.mean)
        between = self._square(other.mean - self.mean) * (self.weight * other.weight / weight)
        scatter = self.scatter - other.scatter - between
        return ClassMoments(self.count - other.count, weight, mean, _without_negative_variances(scatter))

    def scaled(self, scale: np.ndarray) -> ClassMoments:
        """The moments of the same rows with column j divided by scale[j]."""
        return ClassMoments(self.count, self.weight, self.mean / scale, self.scatter / self._square(scale))

    def _square(self, v: np.ndarray) -> np.ndarray:
        return v * v if self.scatter.ndim == 1 else np.outer(v, v)


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of the positive and of the negative rows.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [1.0], [4.0]]), np.array([-1, -1, 1])
    >>> whole = Moments.of(X, y)
    >>> parts = Moments.of(X[:2], y[:2]) + Moments.of(X[2:], y[2:])
    >>> parts.delta == whole.delta, parts.within == whole.within
    (array([ True]), array([[ True]]))
    """

    pos: ClassMoments
    neg: ClassMoments

    @classmethod
    def of(
        cls,
        X: Any,
        y: np.ndarray,
        weight: np.ndarray | None = None,
        *,
        full: bool = True,
        index: np.ndarray | None = None,
    ) -> Moments:
        """Moments of rows with labels -1/+1, or of those in `index`; `full=False` for the diagonal alone."""
        weight = np.ones(X.shape[0]) if weight is None else weight
        index = np.arange(X.shape[0]) if index is None else index
        index = index[weight[index] > 0]
        sides = (index[y[index] > 0], index[y[index] < 0])
        return cls(*(_of_class(X, side, weight, full) for side in sides))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.pos + other.pos, self.neg + other.neg)

    def __sub__(self, other: Moments) -> Moments:
        return Moments(self.pos - other.pos, self.neg - other.neg)

    def scaled(self, scale: np.ndarray) -> Moments:
        """The moments of the same rows with column j divided by scale[j]."""
        return Moments(self.pos.scaled(scale), self.neg.scaled(scale))

    @property
    def full(self) -> bool:
        """Whether the scatter is a matrix rather than its diagonal."""
        return self.pos.scatter.ndim == 2

    @property
    def delta(self) -> np.ndarray:
        """Difference of the class means."""
        return self.pos.mean - self.neg.mean

    @property
    def within(self) -> np.ndarray:
        """S, the sum of the two class covariances (its diagonal if not full)."""
        return self.pos.covariance + self.neg.covariance

    @property
    def variances(self) -> np.ndarray:
        """Diagonal of S."""
        return self.within if not self.full else self.pos.covariance.diagonal() + self.neg.covariance.diagonal()

    @property
    def n(self) -> float:
        """Rows, a weight of k counting as k rows; never below the number of rows, for weights that sum to 1."""
        return max(self.pos.weight + self.neg.weight, self.pos.count + self.neg.count)


def _of_class(X: Any, index: np.ndarray, weight: np.ndarray, full: bool) -> ClassMoments:
    """Moments of the rows in `index`."""
    if full:
        return _full(X, index, weight)
    total = float(weight[index].sum())
    mean = weighted_sums(X, index, weight) / (total or 1.0)
    return ClassMoments(float(index.size), total, mean, weighted_squares(X, index, weight, mean))


def _full(X: Any, index: np.ndarray, weight: np.ndarray) -> ClassMoments:
    """Moments with the scatter matrix; a long class is shared among the threads."""
    parts = np.array_split(index, workers_for(index.size * X.shape[1]))
    return reduce(add, in_threads(lambda part: _scatter(X, part, weight), parts))


@np.errstate(invalid="ignore", over="ignore")
def _scatter(X: Any, index: np.ndarray, weight: np.ndarray) -> ClassMoments:
    """One pass: every chunk is measured from the mean of the rows before it, then all sums are moved to the new mean.

    In the first chunk such a move could cancel what it should leave: it is measured from its own mean. It is small,
    as it is read twice, but not so small that the second could cancel more than a digit.
    """
    dim = X.shape[1]
    rows = min(max(CHUNK // max(dim, 1), FIRST), 8192)
    buffer = np.empty((min(rows, index.size), dim))
    scatter, mean, total = np.zeros((dim, dim)), np.zeros(dim), 0.0
    for part in np.split(index, range(FIRST, index.size, rows)):
        chunk, sizes = buffer[: part.size], weight[part]
        added = float(sizes.sum())
        if total == 0.0 < added:
            mean += copy_shifted(X, part, sizes, mean, chunk) / added
        total += added
        step = copy_shifted(X, part, sizes, mean, chunk) / (total or 1.0)
        scatter += chunk.T @ chunk  # NumPy sees the symmetry and does half the work
        scatter -= np.outer(total * step, step)
        mean += step
    return ClassMoments(float(index.size), total, mean, _without_negative_variances(scatter))


def _without_negative_variances(scatter: np.ndarray) -> np.ndarray:
    """The scatter, changed in place where rounding has left a diagonal entry below zero."""
    diagonal = scatter if scatter.ndim == 1 else scatter.reshape(-1)[:: scatter.shape[0] + 1]
    np.maximum(diagonal, 0.0, out=diagonal)
    return scatter
