"""What the one-pass learners share: the order of the rows, steps of the right size, and running class statistics.

For each class, fed one row x of weight s at a time (Welford; one rank-one update, which keeps the scatter positive),

    T <- T + s,    r = x - mean,    mean <- mean + (s/T) r,    scatter <- scatter + s (1 - s/T) r r'

so that covariance = scatter / T at any time. With the statistics of the *other* class and e = x - mean,

    g = l2 w + (e.w - y) e + covariance w

is the gradient at the row: of l2/2 |w|^2 and the mean of (1 - y w.(x - x'))^2 / 2 over all x' of the other class so
far. The covariance is a matrix, or only its diagonal.

A weight multiplies the step of its row, relative to the mean weight, and the share of the row in the statistics. The
statistics are those of as many copies; the weights are so to first order in the step, as copies come one by one.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy
from aucmax.problem.data import Data
from aucmax.solvers.shared.order import shuffled_blocks

ORDERS = ("shuffled", "stream")
TINY = 1e-300  # instead of a zero in a denominator


class ClassStatistics(NamedTuple):
    """Weight, mean, scatter and trace of the scatter of the negative (0) and of the positive rows (1) so far."""

    weight: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    trace: np.ndarray

    @classmethod
    def start(cls, dim: int, *, full: bool) -> ClassStatistics:
        """Before the first row; `full` for the scatter matrix rather than its diagonal."""
        shape = (2, dim, dim) if full else (2, dim)
        return cls(np.zeros(2), np.zeros((2, dim)), np.zeros(shape), np.zeros(2))

    def copy(self) -> ClassStatistics:
        """Arrays of its own, for kernels to change."""
        return ClassStatistics(*(array.copy() for array in self))

    def rescaled(self, ratio: np.ndarray) -> ClassStatistics:
        """The same rows, once column j is divided by a scale ratio[j] times the former one."""
        full = self.scatter.ndim == 3
        scatter = self.scatter / (np.outer(ratio, ratio) if full else ratio**2)
        trace = np.trace(scatter, axis1=1, axis2=2) if full else scatter.sum(axis=1)
        return ClassStatistics(self.weight, self.mean / ratio, scatter, trace)


class Rule(NamedTuple):
    """What does not change in an epoch: penalty, step, rows after which it falls, whether to average."""

    l2: float
    eta: float
    decay_after: float
    average: bool


def visits(order: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """All rows once, in shuffled blocks or as they came."""
    return np.arange(n) if order == "stream" else shuffled_blocks(n, rng)


def step_weights(data: Data) -> np.ndarray:
    """Weights of the rows over the mean weight of all rows seen."""
    pos, neg = data.raw_moments.pos, data.raw_moments.neg
    return data.weight * ((pos.count + neg.count) / (pos.weight + neg.weight))


def spread(data: Data) -> float:
    """Mean squared distance of all rows seen to their mean."""
    pos, neg = data.moments.pos, data.moments.neg
    weight = pos.weight + neg.weight
    within = (_trace(pos.scatter) + _trace(neg.scatter)) / weight
    return within + (pos.weight / weight) * (neg.weight / weight) * float(data.delta @ data.delta) or TINY


def _trace(scatter: np.ndarray) -> float:
    return float(np.trace(scatter) if scatter.ndim == 2 else scatter.sum())


def check_choice(**settings: tuple[str, tuple[str, ...]]) -> None:
    """Refuse a setting that is not among its choices."""
    for name, (value, choices) in settings.items():
        if value not in choices:
            raise ValueError(f"unknown {name} {value!r}; choose one of {list(choices)}")


@compiled
def step_size(rule, t, weight, curvature):
    """eta_t for a row of that relative weight: below 2 over the curvature whatever the settings."""
    fall = min(1.0, sqrt(rule.decay_after / t))
    return min(rule.eta * fall * weight, 1.0 / (rule.l2 + curvature + TINY))


@compiled
def pair_gradient(x, y, l2, w, total, mean, scatter, trace, g):
    """Write the gradient at row x against the other class into g; return |x - mean|^2 + trace of the covariance."""
    other = 0 if y > 0 else 1
    height, square, share = 0.0, 0.0, 1.0 / total[other]
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
    """Add row x to the statistics of its class; x is used up."""
    own = 1 if y > 0 else 0
    total[own] += weight
    share = weight / total[own]
    factor, square = weight * (1.0 - share), 0.0
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
def spread_out(X, i, x):
    """Write row i into x, zeros included."""
    for j in range(x.size):
        x[j] = 0.0
    row_axpy(X, i, 1.0, x)
