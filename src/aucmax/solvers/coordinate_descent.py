"""Coordinate descent: the elastic net of the squared loss, on its matrix or on the columns of the table.

On the matrix H = S + delta delta', for 1/2 w'Hw - w.delta + l1 |w|_1 + l2/2 |w|^2, with g = Hw - delta maintained,

    w_j <- soft(H_jj w_j - g_j, l1) / (H_jj + l2),    g <- g + H_j dw_j

An update of a coordinate costs O(dim), or O(1) if it does not move. For many columns there is no matrix: with
z_j = sqrt(r) x_j, and q = Z'w, a = w.mean+ and b = w.mean- maintained, a coordinate costs O(nonzeros of its column):

    g_j = z_j.q - mean+_j a - mean-_j b + delta_j ((a - b) - 1),    H_jj = S_jj + delta_j^2

Dense columns are centred at their class means beforehand, which drops the two terms with the means.

Equal columns, between which coordinate descent hardly moves, would delay it. After epochs 4, 8, 16, ... on the matrix
it is followed by Newton steps on the weights that are not zero: while no weight changes its sign, the minimum is at

    (H_AA + l2 I) t = delta_A - l1 sign(w_A),    A = {j: w_j != 0}

A step goes towards t; weights that would change their sign become zero, and it is halved until the objective falls.
If it never does, the step ends where the first weight becomes zero: there the objective is not larger than before.
Under a small penalty, with more columns than rows, both start from too many nonzero weights; therefore, before epoch
4, the penalty is divided by 2 from the largest useful one down to that of the problem, with warm starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import is_sparse, weighted_columns
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.penalties import scalar_soft_threshold
from aucmax.problem.objective import Problem
from aucmax.solvers.base import State

GRAM_LIMIT = 3000  # number of columns up to which a Gram matrix pays off
SWEEPS = 10  # over the coordinates, between two certificates
PATH_EPOCH = 4  # the epoch that follows a path of penalties
PATH_ROUNDS = 3  # rounds of sweeps and active-set steps at each penalty of the path
PATH_SWEEPS = 3  # sweeps in such a round
PATH_LENGTH = 40  # maximum number of penalties: 2^-40 is below the rounding error of most objectives
LARGEST = 1000  # number of weights up to which the factorisations pay off
NEWTON_STEPS = 30  # at most, each of them with a factorisation
HALVINGS = 12  # of a step
RIDGE = 1e-12  # relative to the mean of the diagonal: equal columns make H_AA singular
ACTIVE_SWEEPS = 10  # over the nonzero weights, per sweep over all


@dataclass(frozen=True, eq=False)
class GramDescentState(State):
    """The state of `Exact` for the elastic net."""

    H: np.ndarray  # S + delta delta'
    epochs: int = 0  # so far

    @classmethod
    def start(cls, problem: Problem, w: np.ndarray) -> GramDescentState:
        """From weights w."""
        return cls(w, 1.0, problem.data.within + np.outer(problem.data.delta, problem.data.delta))

    def sweep(self, problem: Problem) -> GramDescentState:
        """Several sweeps over all coordinates, after recomputing the gradient, and now and then active-set steps."""
        quadratic = Quadratic(self.H, problem.data.delta, problem.penalty.l1, problem.penalty.l2)
        epochs = self.epochs + 1
        w = self.w.copy()
        if epochs == PATH_EPOCH:
            w = min(w, _follow_path(quadratic), key=quadratic.value)
        gradient = self.H @ w - quadratic.delta
        gram_sweeps(self.H, gradient, w, quadratic.l1, quadratic.l2, SWEEPS, 0.0)
        if epochs >= PATH_EPOCH and epochs & (epochs - 1) == 0:
            w = active_set_steps(quadratic, w)
        return replace(self, w=w, epochs=epochs)


def _follow_path(quadratic: Quadratic) -> np.ndarray:
    """The weights at the end of a path of falling penalties, each a multiple of the one given."""
    w = np.zeros(quadratic.delta.size)
    largest = float(np.abs(quadratic.delta).max(initial=0.0))  # with such an l1 all weights are zero
    doublings = int(min(np.log2(max(largest / quadratic.l1, 1.0)), PATH_LENGTH))
    for k in range(doublings, 0, -1):
        stronger = quadratic._replace(l1=2.0**k * quadratic.l1, l2=2.0**k * quadratic.l2)
        for _ in range(PATH_ROUNDS):
            gradient = quadratic.H @ w - quadratic.delta
            gram_sweeps(quadratic.H, gradient, w, stronger.l1, stronger.l2, PATH_SWEEPS, 0.0)
            w = active_set_steps(stronger, w)
    return w


@compiled
def gram_sweeps(H, g, w, l1, l2, sweeps, enough):
    """Sweep at most `sweeps` times, until no |dw_j| sqrt(H_jj + l2) exceeds `enough`; update w and g in place."""
    for _ in range(sweeps):
        largest = 0.0
        for j in range(w.size):
            curvature = H[j, j] + l2
            if curvature <= 0.0:
                continue
            target = scalar_soft_threshold(H[j, j] * w[j] - g[j], l1) / curvature
            step = target - w[j]
            if step != 0.0:
                w[j] = target
                largest = max(largest, abs(step) * sqrt(curvature))
                for k in range(w.size):
                    g[k] += step * H[j, k]
        if largest <= enough:
            break


class Quadratic(NamedTuple):
    """1/2 w'Hw - w.delta + l1 |w|_1 + l2/2 |w|^2."""

    H: np.ndarray  # symmetric and positive semidefinite
    delta: np.ndarray  # the linear term
    l1: float  # strength of the l1 norm
    l2: float  # strength of the L2 norm

    def value(self, w: np.ndarray) -> float:
        """The objective at w."""
        smooth = 0.5 * (w @ (self.H @ w)) - w @ self.delta
        return float(smooth + self.l1 * np.abs(w).sum() + 0.5 * self.l2 * (w @ w))

    def minimum_with_signs(self, w: np.ndarray, active: np.ndarray) -> np.ndarray:
        """The active weights at the minimum, if their signs did not matter; those of w if there is none."""
        matrix = self.H[np.ix_(active, active)]
        matrix[np.diag_indices_from(matrix)] += self.l2
        old = w[active]
        residual = self.delta[active] - self.l1 * np.sign(old) - matrix @ old
        matrix[np.diag_indices_from(matrix)] += RIDGE * np.trace(matrix) / active.size
        try:
            return old + cho_solve(cho_factor(matrix, check_finite=False), residual, check_finite=False)
        except LinAlgError:
            return old


def active_set_steps(quadratic: Quadratic, w: np.ndarray) -> np.ndarray:
    """Weights after some steps, with an objective that is not larger; w itself if too many are not zero."""
    for _ in range(NEWTON_STEPS):
        active = np.flatnonzero(w)
        if not 0 < active.size <= LARGEST:
            break
        target = quadratic.minimum_with_signs(w, active)
        new = _towards(quadratic, w, active, target)
        if new is None:
            break
        w = new
        if np.array_equal(w[active], target):
            break
    return w


def _towards(quadratic: Quadratic, w: np.ndarray, active: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """Weights nearer to the target, with a lower objective or one weight less; None if there are none."""
    old = w[active]
    before = quadratic.value(w)
    new = w.copy()
    share = 1.0
    for _ in range(HALVINGS):
        moved = target if share == 1.0 else old + share * (target - old)
        new[active] = np.where(moved * old > 0.0, moved, 0.0)
        if quadratic.value(new) < before:
            return new
        share /= 2.0
    shares = np.full(active.size, np.inf)
    crossing = target * old < 0.0
    shares[crossing] = old[crossing] / (old - target)[crossing]
    first = shares.min()
    if not first < 1.0:
        return None
    new[active] = np.where(shares <= first, 0.0, old + first * (target - old))
    return new if quadratic.value(new) <= before + 1e-15 * abs(before) else None


@dataclass(frozen=True, eq=False)
class ColumnDescentState(State):
    """The state of `CG` and `Exact` for the elastic net, where no Gram matrix is kept."""

    Z: Any  # the columns, as rows for compiled functions
    means: np.ndarray  # of the classes; zero where the columns are centred already

    @classmethod
    def start(cls, problem: Problem, w: np.ndarray) -> ColumnDescentState:
        """From weights w; makes a column-wise copy of the data."""
        data = problem.data
        if is_sparse(data.X):
            return cls(w, 1.0, weighted_columns(data.X, np.sqrt(data.r)), data.raw_means / data.scale)
        centred = data.X - data.raw_means[np.where(data.y > 0, 0, 1)]
        return cls(w, 1.0, weighted_columns(centred, np.sqrt(data.r)), np.zeros((2, data.dim)))

    def sweep(self, problem: Problem) -> ColumnDescentState:
        """One sweep over all coordinates and some over the nonzero ones."""
        data = problem.data
        penalty = problem.penalty
        w = self.w.copy()
        q = np.zeros(data.n)
        _column_scores(self.Z, w / data.scale, q)
        sums = np.array([w @ self.means[0], w @ self.means[1], w @ data.delta])
        curvature = data.variances + data.delta**2
        args = (self.means, data.delta, data.scale, curvature, penalty.l1, penalty.l2)
        _column_sweep(self.Z, np.arange(data.dim), *args, w, q, sums)
        for _ in range(ACTIVE_SWEEPS):
            _column_sweep(self.Z, np.flatnonzero(w), *args, w, q, sums)
        active = np.count_nonzero(w) / max(data.dim, 1)
        return replace(self, w=w, passes=self.passes + 2 + ACTIVE_SWEEPS * active)


@compiled
def _column_scores(Z, w, q):
    for j in range(w.size):
        if w[j] != 0.0:
            row_axpy(Z, j, w[j], q)


@compiled
def _column_sweep(Z, index, means, delta, scale, curvature, l1, l2, w, q, sums):
    for j in index:
        if curvature[j] + l2 <= 0.0:
            continue
        loss_part = row_dot(Z, j, q) / scale[j] - means[0, j] * sums[0] - means[1, j] * sums[1]
        g = loss_part + delta[j] * (sums[2] - 1.0)
        target = scalar_soft_threshold(curvature[j] * w[j] - g, l1) / (curvature[j] + l2)
        step = target - w[j]
        if step != 0.0:
            w[j] = target
            row_axpy(Z, j, step / scale[j], q)
            sums[0] += step * means[0, j]
            sums[1] += step * means[1, j]
            sums[2] += step * delta[j]
