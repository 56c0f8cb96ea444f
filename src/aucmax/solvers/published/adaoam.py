"""AdaOAM: OPAUC's gradients with an adaptive step size for every column.

    Ding, Zhao, Hoi, Ong. "An Adaptive Gradient Method for Online AUC Maximization." AAAI 2015.

Row by row, with g the gradient of the squared loss against all rows of the other class so far (one_pass.py),

    q <- q + g^2,    h = delta + sqrt(q),    w <- w - eta g / h                            (for each column)
    w <- h w / (h + nu),   nu >= 0 with |w| = R, if |w| > R = 1/sqrt(l2)                   projection in the norm of h

since the penalised minimiser lies in that ball: P(0) = 1/2. With the root of the full matrix, after which the
diagonal one was published as an approximation (Duchi, Hazan, Singer 2011),

    Q <- Q + g g' = V diag(q) V',    H = delta I + Q^(1/2),    w <- w - eta H^-1 g,    projection in the norm of H

which are the same formulas for V'w, V'g and the eigenvalues q, at O(dim^3) per row. Only the sum of squares is kept,
no gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints
from aucmax.solvers.published.one_pass import (
    ClassStatistics,
    OnePassSolver,
    StatisticsState,
    absorb,
    check_full_covariance,
    copy_row,
    pair_gradient,
    relative_weights,
)
from aucmax.validation.params import Option

NEWTON_STEPS = 100  # more than the projection ever takes
ROOT_LIMIT = 500  # maximum number of columns for which eigenvectors are computed for every row


@dataclass(frozen=True, eq=False)
class AdaOAMState(StatisticsState):
    """The last iterate, the class statistics of all rows so far, and the sums of squared gradients."""

    squares: np.ndarray  # q, or the matrix Q


@dataclass(repr=False, kw_only=True)
class AdaOAM(OnePassSolver):
    """Adaptive online AUC maximisation for the squared loss and L2: a baseline for streams.

    Parameters
    ----------
    covariance : {"full", "diagonal"}
        Representation of the class covariances: the matrix, for up to 2000 columns, or its diagonal, as if columns
        were uncorrelated.
    root : {"diagonal", "full"}
        What steps are divided by: the root of the sum of squares of each column, or that of the sum of the matrices
        g g', for up to 500 columns; a row then costs as much as the eigenvectors of that matrix.
    eta : float or None
        Size of the first steps, in each column. None means 0.05, or a tenth of the radius of the ball if that is
        less: otherwise a column of huge values, whose penalty is huge, oscillates across the ball.
    delta : float
        Added to the root of the sum of squares.
    order, max_epochs, tol
        See `OnePassSolver`.
    """

    covariance: str = "full"
    root: str = "diagonal"
    eta: float | None = None
    delta: float = 1e-6

    parameter_constraints: ClassVar[Constraints] = {
        "covariance": [Option("full", "diagonal")],
        "root": [Option("diagonal", "full")],
        "eta": [None, POSITIVE],
        "delta": [POSITIVE],
    }

    def init(self, problem: Problem, w: np.ndarray) -> AdaOAMState:
        others = "'diagonal', or solver='opauc' with covariance='sketched'"
        dim = problem.data.dim
        check_full_covariance(self.covariance, dim, others)
        if self.root == "full" and dim > ROOT_LIMIT:
            raise ValueError(
                f"root='full' takes the eigenvectors of a {dim} x {dim} matrix for every row; above {ROOT_LIMIT} "
                "columns use 'diagonal'"
            )
        statistics = ClassStatistics.start(w.size, full=self.covariance == "full")
        squares = np.zeros((w.size, w.size)) if self.root == "full" else np.zeros_like(w)
        return AdaOAMState(w, 0.0, statistics, squares)

    def epoch(self, problem: Problem, state: AdaOAMState, rng: np.random.Generator) -> AdaOAMState:
        data = problem.data
        l2 = problem.penalty.l2
        radius = 1.0 / sqrt(l2) if l2 > 0 else inf
        eta = self.eta or min(0.05, 0.1 * radius)
        w = state.w.copy()
        squares = state.squares.copy()
        statistics = state.statistics.copy()
        rows = (data.rows, data.y, data.weight, relative_weights(data), self.row_order(data, rng))
        buffers = (np.empty(data.dim), np.empty(data.dim))
        _epoch(*rows, l2, radius, eta, self.delta, w, squares, statistics, buffers)
        return AdaOAMState(w, state.passes + 1.0, statistics, squares)


@compiled
def _epoch(X, y, weight, relative, order, l2, radius, eta, delta, w, squares, statistics, buffers):
    x, g = buffers
    total, mean, scatter, trace = statistics
    for i in order:
        copy_row(X, i, x)
        if total[0 if y[i] > 0 else 1] > 0.0:
            pair_gradient(x, y[i], l2, w, total, mean, scatter, trace, g)
            step = eta * relative[i]
            if squares.ndim == 2:  # Numba compiles this branch or the other one
                for j in range(w.size):
                    for k in range(w.size):
                        squares[j, k] += relative[i] * g[j] * g[k]
                _full_step(w, g, squares, step, delta, radius)
            else:
                for j in range(w.size):
                    squares[j] += relative[i] * g[j] * g[j]
                _step(w, g, squares, step, delta, radius)
        absorb(x, y[i], weight[i], total, mean, scatter, trace)


@compiled
def _full_step(w, g, squares, eta, delta, radius):
    """The step in the basis of the eigenvectors of the matrix of squares."""
    values, vectors = np.linalg.eigh(squares)
    turned = vectors.T.copy()
    u = turned @ w
    _step(u, turned @ g, np.maximum(values, 0.0), eta, delta, radius)
    w[:] = vectors @ u


@compiled
def _step(w, g, squares, eta, delta, radius):
    """A step of eta in each column, divided by h, and the projection."""
    norm2 = 0.0
    for j in range(w.size):
        w[j] -= eta * g[j] / (delta + sqrt(squares[j]))
        norm2 += w[j] * w[j]
    if norm2 > radius**2:
        project(w, squares, delta, radius)


@compiled
def project(w, squares, delta, radius):
    """Nearest point with |w| <= radius in the norm of h: Newton's method on 1/|w(nu)|, which never overshoots."""
    nu = 0.0
    for _ in range(NEWTON_STEPS):
        norm2, slope = 0.0, 0.0
        for j in range(w.size):
            h = delta + sqrt(squares[j])
            part = w[j] / (1.0 + nu / h)
            norm2 += part * part
            slope += part * part / (h + nu)
        if norm2 <= radius**2 * (1.0 + 1e-12) or slope <= 0.0:
            break
        nu += (sqrt(norm2) / radius - 1.0) * norm2 / slope
    for j in range(w.size):
        w[j] /= 1.0 + nu / (delta + sqrt(squares[j]))
