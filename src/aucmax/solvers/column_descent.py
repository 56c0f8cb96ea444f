"""Column descent: coordinate descent for the elastic net of the squared loss with many columns, dense or sparse.

With z_j = sqrt(r) x_j, and q = Z'w, a = w.mean+ and b = w.mean- maintained, a coordinate costs O(nonzeros of its
column):

    g_j = z_j.q - mean+_j a - mean-_j b + delta_j ((a - b) - 1),    H_jj = S_jj + delta_j^2
    w_j <- soft(H_jj w_j - g_j, l1) / (H_jj + l2)                        (docs/mathematics.md, section 4)

Dense columns are centred at their class means beforehand, which drops the two terms with the means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import is_sparse, weighted_columns
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.penalties import scalar_soft_threshold
from aucmax.problem.objective import Problem
from aucmax.solvers.base import State

ACTIVE_SWEEPS = 10  # over the nonzero weights, per sweep over all


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
        _scores(self.Z, w / data.scale, q)
        sums = np.array([w @ self.means[0], w @ self.means[1], w @ data.delta])
        curvature = data.variances + data.delta**2
        args = (self.means, data.delta, data.scale, curvature, penalty.l1, penalty.l2)
        _sweep(self.Z, np.arange(data.dim), *args, w, q, sums)
        for _ in range(ACTIVE_SWEEPS):
            _sweep(self.Z, np.flatnonzero(w), *args, w, q, sums)
        active = np.count_nonzero(w) / max(data.dim, 1)
        return replace(self, w=w, passes=self.passes + 2 + ACTIVE_SWEEPS * active)


@compiled
def _scores(Z, w, q):
    for j in range(w.size):
        if w[j] != 0.0:
            row_axpy(Z, j, w[j], q)


@compiled
def _sweep(Z, index, means, delta, scale, curvature, l1, l2, w, q, sums):
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
