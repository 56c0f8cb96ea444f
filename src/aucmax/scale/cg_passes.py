"""Conjugate gradients in passes: the squared loss of wide sparse tables, one product with S a pass.

    (S + l2 I) u = delta,    w = u / (1 + delta.u)

With m the mean of a class and r the weights in it, its part of S v is sum_i r_i x_i (x_i.v) - m (m.v): partitions add
up vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucmax.numerics.matrix import dot, transposed_dot
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution, Trace
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.solvers import CG
from aucmax.solvers.base import State


@dataclass(frozen=True, eq=False)
class _Product:
    """sum_i r_i x_i (x_i.v) over the rows of a chunk."""

    v: np.ndarray
    totals: tuple[float, float]  # weights of the positive and of the negative rows

    def __call__(self, rows: NumberedRows) -> np.ndarray:
        X, y, weight = rows.data
        return transposed_dot(X, weight / np.where(y > 0, *self.totals) * dot(X, self.v))


def solve_by_cg(problem: Problem, solver: CG, passes: Passes) -> Solution:
    """The minimiser of the squared loss with an L2 penalty."""
    data = problem.data
    l2 = problem.penalty.l2
    totals = (data.raw_moments.pos.weight, data.raw_moments.neg.weight)
    u = np.zeros(data.dim)
    residual = data.delta.copy()
    p = residual.copy()
    norm2 = float(residual @ residual)
    for epoch in range(1, solver.max_epochs + 1):
        within = passes.run(_Product(p / data.scale, totals), f"conjugate gradients, step {epoch}") / data.scale
        Ap = within - data.means.T @ (data.means @ p) + l2 * p
        step = norm2 / float(p @ Ap)
        u = u + step * p
        residual = residual - step * Ap
        after = float(residual @ residual)
        p = residual + (after / norm2) * p
        norm2 = after
        share = 1.0 + float(data.delta @ u)
        w = u / share
        objective = 0.5 * (1.0 - float(w @ data.delta))
        gap = 0.5 * norm2 / (l2 * share * share)
        if gap <= solver.tol * objective or norm2 == 0.0:
            break
    return Solution(w, objective, gap, epoch, gap <= solver.tol * objective, Trace(), State(w, float(epoch)))
