"""What the one-pass learners share: settings, the order of the rows, the scale of their steps, running statistics.

A sample weight, relative to the mean weight, multiplies the step of its row and the row's share in the statistics.
The statistics are exactly those of as many copies of the row; the weights w are so only to first order in the step.

OPAUC and AdaOAM keep running statistics of each class. A row x of weight s updates those of its class by (Welford; a
rank-one update, which keeps the scatter positive)

    T <- T + s,    r = x - mean,    mean <- mean + (s/T) r,    scatter <- scatter + s (1 - s/T) r r'

so that covariance = scatter / T at any time. With the statistics of the *other* class and e = x - mean,

    g = l2 w + (e.w - y) e + covariance w

is the gradient at the row of l2/2 |w|^2 plus the mean of (1 - y w.(x - x'))^2 / 2 over all x' of the other class so
far (docs/mathematics.md, section 10). The covariance is a matrix, or only its diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy
from aucmax.problem.data import Data
from aucmax.solvers.base import Constraints, Solver, State
from aucmax.solvers.visiting_order import shuffled_blocks
from aucmax.validation.params import Option

TINY = 1e-300  # avoids division by zero
FULL_LIMIT = 2000  # maximum number of columns for which two covariance matrices are kept


@dataclass(repr=False, kw_only=True)
class OnePassSolver(Solver):
    """A learner that makes one pass over the rows, with an L2 penalty or none: a baseline for streams.

    While a stream has contained only one class, there are no pairs to learn from: its latest 1000 rows are kept, and
    learned once the other class appears.

    Parameters
    ----------
    order : {"shuffled", "stream"}
        Visit the rows in shuffled blocks, or in the order of the table, even if it is sorted by label.
    max_epochs, tol
        See `Solver`. One pass does not reach a small tol; the ranking is close to the best long before.
    """

    order: str = "shuffled"
    max_epochs: int = 1

    parameter_constraints: ClassVar[Constraints] = {"order": [Option("shuffled", "stream")]}
    penalties = ("l2", "none")
    certificates = "last"
    online = True
    certified = False

    def row_order(self, data: Data, rng: np.random.Generator) -> np.ndarray:
        """Every row once, in the order set by `order`."""
        return np.arange(data.n) if self.order == "stream" else shuffled_blocks(data, rng)


def relative_weights(data: Data) -> np.ndarray:
    """Weights of the rows, relative to the mean weight of all rows seen."""
    pos, neg = data.raw_moments.pos, data.raw_moments.neg
    return data.weight * ((pos.count + neg.count) / (pos.weight + neg.weight))


def total_variance(data: Data) -> float:
    """Mean squared distance of all rows seen from their mean; never zero."""
    pos, neg = data.moments.pos, data.moments.neg
    weight = pos.weight + neg.weight
    within = (pos.trace + neg.trace) / weight
    return within + (pos.weight / weight) * (neg.weight / weight) * float(data.delta @ data.delta) or TINY


class ClassStatistics(NamedTuple):
    """Statistics of the negative (0) and of the positive rows (1) so far."""

    weight: np.ndarray  # total weight, of shape (2,)
    mean: np.ndarray  # of shape (2, dim)
    scatter: np.ndarray  # of shape (2, dim, dim), or (2, dim) for the diagonals
    trace: np.ndarray  # of the scatter, of shape (2,)

    @classmethod
    def start(cls, dim: int, *, full: bool) -> ClassStatistics:
        """Before the first row; `full` for the scatter matrix rather than its diagonal."""
        shape = (2, dim, dim) if full else (2, dim)
        return cls(np.zeros(2), np.zeros((2, dim)), np.zeros(shape), np.zeros(2))

    def copy(self) -> ClassStatistics:
        """A copy that compiled functions may modify."""
        return ClassStatistics(*(array.copy() for array in self))

    def rescaled(self, ratio: np.ndarray) -> ClassStatistics:
        """The statistics of the same rows after the scale of column j has been multiplied by ratio[j]."""
        full = self.scatter.ndim == 3
        scatter = self.scatter / (np.outer(ratio, ratio) if full else ratio**2)
        trace = np.trace(scatter, axis1=1, axis2=2) if full else scatter.sum(axis=1)
        return ClassStatistics(self.weight, self.mean / ratio, scatter, trace)


@dataclass(frozen=True, eq=False)
class StatisticsState(State):
    """The last iterate, and the class statistics of all rows so far."""

    statistics: ClassStatistics

    def rescaled(self, ratio: np.ndarray) -> Self:
        return replace(self, statistics=self.statistics.rescaled(ratio))


def check_full_covariance(covariance: str, dim: int, others: str) -> None:
    """Reject covariance matrices that would take too much memory."""
    if covariance == "full" and dim > FULL_LIMIT:
        raise ValueError(
            f"covariance='full' keeps two {dim} x {dim} matrices; above {FULL_LIMIT} columns use {others}"
        )


@compiled
def pair_gradient(x, y, l2, w, total, mean, scatter, trace, g):
    """Write the gradient at row x against the other class into g; return |x - mean|^2 + trace of the covariance."""
    other = 0 if y > 0 else 1
    share = 1.0 / total[other]
    height, square = 0.0, 0.0
    for j in range(w.size):
        e = x[j] - mean[other, j]
        height += e * w[j]
        square += e * e
    slope = height - y
    if scatter.ndim == 3:  # Numba compiles this branch or the other one
        for j in range(w.size):
            product = 0.0
            for k in range(w.size):
                product += scatter[other, j, k] * w[k]
            g[j] = product * share + l2 * w[j] + slope * (x[j] - mean[other, j])
    else:
        for j in range(w.size):
            g[j] = (scatter[other, j] * share + l2) * w[j] + slope * (x[j] - mean[other, j])
    return square + trace[other] * share


@compiled
def absorb(x, y, weight, total, mean, scatter, trace):
    """Add row x to the statistics of its class; x is overwritten."""
    own = 1 if y > 0 else 0
    total[own] += weight
    share = weight / total[own]
    factor = weight * (1.0 - share)
    square = 0.0
    if scatter.ndim == 3:
        for j in range(x.size):
            x[j] -= mean[own, j]
            mean[own, j] += share * x[j]
            square += x[j] * x[j]
        for j in range(x.size):
            step = factor * x[j]
            for k in range(x.size):
                scatter[own, j, k] += step * x[k]
    else:
        for j in range(x.size):
            r = x[j] - mean[own, j]
            mean[own, j] += share * r
            square += r * r
            scatter[own, j] += factor * r * r
    trace[own] += factor * square


@compiled
def copy_row(X, i, x):
    """Write row i into x, zeros included."""
    for j in range(x.size):
        x[j] = 0.0
    row_axpy(X, i, 1.0, x)
