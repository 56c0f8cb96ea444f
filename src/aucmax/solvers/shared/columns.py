"""Column descent: the elastic net of the squared loss for many columns, dense or sparse (spec 0.5).

With z_j = sqrt(r) x_j, q = Z'w, a = w.mean+, b = w.mean- kept, a coordinate costs O(nonzeros of its column):

    g_j = z_j.q - mean+_j a - mean-_j b + delta_j ((a - b) - 1),    H_jj = S_jj + delta_j^2
    w_j <- soft(H_jj w_j - g_j, l1) / (H_jj + l2)

Dense columns are centred at their class means beforehand, which drops the two terms with the means.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import is_sparse, weighted_columns
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.problem.objective import Problem

ACTIVE_SWEEPS = 10  # over the non-zero weights, for each sweep over all


class ColumnDescent(NamedTuple):
    """Weights, passes over the data, the columns and what was subtracted from them."""

    w: np.ndarray
    passes: float
    Z: Any
    means: np.ndarray

    @classmethod
    def start(cls, problem: Problem, w: np.ndarray) -> ColumnDescent:
        """From weights w; makes a copy of the data by columns."""
        data = problem.data
        if is_sparse(data.X):
            return cls(w, 1.0, weighted_columns(data.X, np.sqrt(data.r)), data.raw_means / data.scale)
        centred = data.X - data.raw_means[np.where(data.y > 0, 0, 1)]
        return cls(w, 1.0, weighted_columns(centred, np.sqrt(data.r)), np.zeros((2, data.dim)))

    def sweep(self, problem: Problem) -> ColumnDescent:
        """One sweep over all coordinates and some over the non-zero ones."""
        data, penalty = problem.data, problem.penalty
        w, q = self.w.copy(), np.zeros(data.n)
        _scores(self.Z, w / data.scale, q)
        sums = np.array([w @ self.means[0], w @ self.means[1], w @ data.delta])
        curvature = data.moments.variances + data.delta**2
        everything = np.arange(data.dim)
        for index in [everything] + [None] * ACTIVE_SWEEPS:
            index = np.flatnonzero(w) if index is None else index
            args = (self.means, data.delta, data.scale, curvature, penalty.l1, penalty.l2)
            _sweep(self.Z, index, *args, w, q, sums)
        active = np.count_nonzero(w) / max(data.dim, 1)
        return self._replace(w=w, passes=self.passes + 2 + ACTIVE_SWEEPS * active)


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
        z = curvature[j] * w[j] - g
        target = 0.0
        if z > l1:
            target = (z - l1) / (curvature[j] + l2)
        elif z < -l1:
            target = (z + l1) / (curvature[j] + l2)
        step = target - w[j]
        if step != 0.0:
            w[j] = target
            row_axpy(Z, j, step / scale[j], q)
            sums[0] += step * means[0, j]
            sums[1] += step * means[1, j]
            sums[2] += step * delta[j]
