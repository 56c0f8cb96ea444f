"""Moments: the sufficient statistics of the squared loss, class by class.

For each class: the number of rows, their total weight, the mean and the scatter sum_i s_i (x_i - mean)(x_i - mean)'.
Moments of disjoint parts can be added, and a part can be subtracted again (Chan, Golub, LeVeque 1983):

    mean = (W1 mean1 + W2 mean2) / W,    scatter = scatter1 + scatter2 + W1 W2 / W (mean1 - mean2)(mean1 - mean2)'

so folds, streams and clusters need a single pass over the data. The scatter is a matrix, or only its diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from aucmax.numerics.chunked_matrix import ChunkedMatrix
from aucmax.numerics.matrix import copy_shifted, weighted_squares, weighted_sums
from aucmax.numerics.threads import SHARE, in_threads, workers_for

CHUNK = 2**19  # numbers in a chunk of rows, which fits in the cache
FIRST = 256  # rows in the first chunk


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Moments of the rows of one class."""

    count: float  # number of rows
    weight: float  # their total weight
    mean: np.ndarray  # weighted mean, of shape (dim,)
    scatter: np.ndarray  # of shape (dim, dim), or (dim,) for its diagonal

    @property
    def trace(self) -> float:
        """Trace of the scatter: the sum of s_i |x_i - mean|^2."""
        return float((self.scatter.diagonal() if self.scatter.ndim == 2 else self.scatter).sum())

    @np.errstate(invalid="ignore", over="ignore")  # `check_finite` reports NaN and infinity
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

    def mapped(self, T: np.ndarray, full: bool) -> ClassMoments:
        """The moments of the rows times T, from the full scatter."""
        half = self.scatter @ T
        scatter = _without_negative_variances(T.T @ half if full else np.einsum("ij,ij->j", T, half))
        return ClassMoments(self.count, self.weight, self.mean @ T, scatter)

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

    full: bool = field(init=False)  # whether the scatter is a matrix rather than its diagonal
    delta: np.ndarray = field(init=False)  # difference of the class means
    variances: np.ndarray = field(init=False)  # diagonal of S, the sum of the two class covariances
    deviations: np.ndarray = field(init=False)  # standard deviations of the columns over the rows of both classes
    n_rows: float = field(init=False)  # number of rows
    n: float = field(init=False)  # the same, a weight of k counting as k rows, unless the weights sum to less

    def __post_init__(self) -> None:
        pos = self.pos
        neg = self.neg
        full = pos.scatter.ndim == 2
        squares = (pos.scatter.diagonal(), neg.scatter.diagonal()) if full else (pos.scatter, neg.scatter)
        n_rows = pos.count + neg.count
        delta = pos.mean - neg.mean
        total = (pos.weight + neg.weight) or 1.0
        between = np.sqrt((pos.weight / total) * (neg.weight / total)) * np.abs(delta)
        vars(self).update(
            full=full,
            delta=delta,
            variances=squares[0] / (pos.weight or 1.0) + squares[1] / (neg.weight or 1.0),
            deviations=np.hypot(np.sqrt((squares[0] + squares[1]) / total), between),
            n_rows=n_rows,
            n=max(pos.weight + neg.weight, n_rows),
        )

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
        """Moments of rows with labels -1/+1, or of those in `index`; `full=False` for the diagonal only."""
        weight = np.ones(X.shape[0]) if weight is None else weight
        if isinstance(X, ChunkedMatrix):
            number = np.full(X.shape[0], -1, dtype=np.int8)
            number[slice(None) if index is None else index] = 0
            return moments_by_number(X, y, weight, number, 1, full=full)[0]
        index = np.flatnonzero(weight > 0) if index is None else index[weight[index] > 0]
        pos = _class_moments(X, weight, index[y[index] > 0], full)
        return cls(pos, _class_moments(X, weight, index[y[index] < 0], full))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.pos + other.pos, self.neg + other.neg)

    def __sub__(self, other: Moments) -> Moments:
        return Moments(self.pos - other.pos, self.neg - other.neg)

    def scaled(self, scale: np.ndarray) -> Moments:
        """The moments of the same rows with column j divided by scale[j]."""
        return Moments(self.pos.scaled(scale), self.neg.scaled(scale))

    def mapped(self, T: np.ndarray, *, full: bool = True) -> Moments:
        """The moments of the rows times T, from full moments; `full=False` for the diagonal only.

        Examples
        --------
        >>> X, y, T = np.array([[0.0, 2.0], [1.0, 1.0], [4.0, 0.0]]), np.array([-1, -1, 1]), np.array([[1.0], [2.0]])
        >>> Moments.of(X, y).mapped(T).within == Moments.of(X @ T, y).within
        array([[ True]])
        """
        return Moments(self.pos.mapped(T, full), self.neg.mapped(T, full))

    @property
    def within(self) -> np.ndarray:
        """S, the sum of the two class covariances (its diagonal if not full); zero for a class without weight."""
        return self.pos.scatter / (self.pos.weight or 1.0) + self.neg.scatter / (self.neg.weight or 1.0)


def moments_by_number(
    X: Any, y: np.ndarray, weight: np.ndarray, number: np.ndarray, count: int, *, full: bool = True
) -> list[Moments]:
    """Moments of the rows with each number below `count`; chunks are read once."""
    if not isinstance(X, ChunkedMatrix):
        groups = _rows_by_class(y, weight, number, count)
        of_group = [_class_moments(X, weight, index, full) for index in groups]
        return list(map(Moments, of_group[1::2], of_group[::2]))
    of_chunk = partial(moments_by_number, count=count, full=full)
    nothing = Moments.of(np.empty((0, X.shape[1])), np.empty(0), full=full)
    return X.sum("moments", of_chunk, y, weight, number, start=[nothing] * count, add=_added)


def _rows_by_class(y: np.ndarray, weight: np.ndarray, number: np.ndarray, count: int) -> list[np.ndarray]:
    """For each number below `count` its negative, then its positive rows of positive weight, in ascending order."""
    kind = np.int16 if count < 2**14 else np.int64  # short integers are sorted by their digits
    code = np.where((number >= 0) & (weight > 0), 2 * number.astype(kind) + (y > 0), 2 * count).astype(kind)
    order = np.argsort(code, kind="stable")
    return np.split(order, np.cumsum(np.bincount(code, minlength=2 * count + 1)))[: 2 * count]


def _added(first: list[Moments], second: list[Moments]) -> list[Moments]:
    return list(map(add, first, second))


def _class_moments(X: Any, weight: np.ndarray, index: np.ndarray, full: bool) -> ClassMoments:
    """Moments of the rows in `index`; several threads share the rows of a large class."""
    accumulate = partial(_full_moments if full else _diagonal_moments, X, weight)
    size = index.size * X.shape[1]
    if size < 2 * SHARE:
        return accumulate(index)
    return reduce(add, in_threads(accumulate, np.array_split(index, workers_for(size))))


def _diagonal_moments(X: Any, weight: np.ndarray, index: np.ndarray) -> ClassMoments:
    """Moments with the diagonal of the scatter."""
    total = float(weight[index].sum())
    mean = weighted_sums(X, index, weight) / (total or 1.0)
    return ClassMoments(float(index.size), total, mean, weighted_squares(X, index, weight, mean))


@np.errstate(invalid="ignore", over="ignore")
def _full_moments(X: Any, weight: np.ndarray, index: np.ndarray) -> ClassMoments:
    """Moments with the scatter matrix, in one pass over chunks.

    Each chunk is centred at the mean of the rows before it, then all sums are updated.
    The first chunk is centred at its own mean instead, to avoid catastrophic cancellation in that update. It is
    small, since it is read twice, but large enough that the second chunk loses no more than a digit to cancellation.
    """
    dim = X.shape[1]
    rows = min(max(CHUNK // max(dim, 1), FIRST), 8192)
    buffer = np.empty((min(rows, index.size), dim))
    scatter = np.zeros((dim, dim))
    mean = np.zeros(dim)
    total = 0.0
    for part in np.split(index, range(FIRST, index.size, rows)):
        chunk = buffer[: part.size]
        sizes = weight[part]
        added = float(sizes.sum())
        if total == 0.0 < added:
            mean += copy_shifted(X, part, sizes, mean, chunk) / added
        total += added
        step = copy_shifted(X, part, sizes, mean, chunk) / (total or 1.0)
        scatter += chunk.T @ chunk  # NumPy exploits the symmetry and does half the work
        scatter -= np.outer(total * step, step)
        mean += step
    np.fill_diagonal(scatter, np.maximum(scatter.diagonal(), 0.0))  # rounding
    return ClassMoments(float(index.size), total, mean, scatter)


def _without_negative_variances(scatter: np.ndarray) -> np.ndarray:
    """The scatter, clipped in place where rounding has left a diagonal entry below zero."""
    diagonal = scatter if scatter.ndim == 1 else scatter.reshape(-1)[:: scatter.shape[0] + 1]
    np.maximum(diagonal, 0.0, out=diagonal)
    return scatter
