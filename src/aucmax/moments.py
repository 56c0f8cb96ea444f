"""Moments: what the squared loss needs to know of the rows, class by class, and nothing more.

For each class: how many rows, their total weight, the mean and the scatter sum_i s_i (x_i - mean)(x_i - mean)'.
Moments of parts add up to the moments of the whole, and a part can be taken out again (Chan, Golub, LeVeque 1983):

    mean = (W1 mean1 + W2 mean2) / W,    scatter = scatter1 + scatter2 + W1 W2 / W (mean1 - mean2)(mean1 - mean2)'

so folds, streams and clusters need a single pass over the data. The scatter is a matrix, or only its diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.jit import kernel
from aucmax.rows import copy_rows, weighted_squares, weighted_sums


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
        diagonal = scatter if scatter.ndim == 1 else scatter.reshape(-1)[:: mean.size + 1]
        np.maximum(diagonal, 0.0, out=diagonal)  # rounding must not leave a negative variance
        return ClassMoments(self.count - other.count, weight, mean, scatter)

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


@np.errstate(invalid="ignore", over="ignore")
def _full(X: Any, index: np.ndarray, weight: np.ndarray) -> ClassMoments:
    """Moments with the scatter matrix, in one pass: chunks are centred at their own mean and merged."""
    dim = X.shape[1]
    scatter = np.zeros((dim, dim))
    mean, total = np.zeros(dim), 0.0
    for chunk, sizes in _chunks(X, index, weight):
        chunk_mean, chunk_total = _centre(chunk, sizes)
        step, both = chunk_mean - mean, total + chunk_total
        scatter += chunk.T @ chunk  # NumPy sees the symmetry and does half the work
        if total > 0:
            scatter += np.outer((total * chunk_total / both) * step, step)
        mean += (chunk_total / both) * step
        total = both
    return ClassMoments(float(index.size), total, mean, scatter)


def _chunks(X: Any, index: np.ndarray, weight: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Double-precision copies of some rows at a time, small enough for the cache, with their weights."""
    rows = min(max(2**19 // max(X.shape[1], 1), 256), 8192)
    buffer = np.empty((min(rows, max(index.size, 1)), X.shape[1]))
    for start in range(0, index.size, rows):
        part = index[start : start + rows]
        chunk = buffer[: part.size]
        copy_rows(X, part, chunk)
        yield chunk, weight[part]


def _centre(chunk: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Subtract the weighted mean in place and multiply by the root of the weights; return mean and weight."""
    mean = np.empty(chunk.shape[1])
    total = _centre_rows(chunk, weight, mean)
    return mean, total


@kernel
def _centre_rows(chunk, weight, mean):
    mean[:] = 0.0
    total = 0.0
    for i in range(weight.size):
        total += weight[i]
        for j in range(mean.size):
            mean[j] += weight[i] * chunk[i, j]
    for j in range(mean.size):
        mean[j] /= total
    for i in range(weight.size):
        root = np.sqrt(weight[i])
        for j in range(mean.size):
            chunk[i, j] = root * (chunk[i, j] - mean[j])
    return total
