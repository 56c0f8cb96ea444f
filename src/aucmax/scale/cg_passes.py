"""Conjugate gradients in passes: the squared loss of wide sparse tables, one product with S a pass.

(S + l2 I) u = delta,    w = u / (1 + delta.u)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from aucmax.losses.squared import within_product
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution, Trace
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.solvers import CG
from aucmax.solvers.base import State


class _Iterate(NamedTuple):
    """What a step needs of the one before."""

    steps: int  # so far
    u: np.ndarray
    residual: np.ndarray
    p: np.ndarray  # search direction

    @property
    def norm2(self) -> float:
        """That of the residual, squared."""
        return float(self.residual @ self.residual)


def solve_by_cg(problem: Problem, solver: CG, passes: Passes) -> Solution:
    """The minimiser of the squared loss with an L2 penalty."""
    data = problem.data
    l2 = problem.penalty.l2
    here = _Iterate(*passes.start_loop((0, np.zeros(data.dim), data.delta, data.delta)))
    while True:
        w, objective, gap = _certified(here, data.delta, l2)
        converged = gap <= solver.tol * objective
        if converged or here.norm2 == 0.0 or here.steps == solver.max_epochs:
            return Solution(w, objective, gap, here.steps, converged, Trace(), State(w, float(here.steps)))
        description = f"conjugate gradients, step {here.steps + 1}"
        here = _next(here, passes.run(WithinProductOf(data, here.p), description) + l2 * here.p)
        passes.keep(tuple(here))


def _certified(here: _Iterate, delta: np.ndarray, l2: float) -> tuple[np.ndarray, float, float]:
    """The weights, their objective and its gap."""
    share = 1.0 + float(delta @ here.u)
    w = here.u / share
    return w, 0.5 * (1.0 - float(w @ delta)), 0.5 * here.norm2 / (l2 * share * share)


def _next(here: _Iterate, product: np.ndarray) -> _Iterate:
    """One step, given the product of the matrix with the search direction."""
    step = here.norm2 / float(here.p @ product)
    residual = here.residual - step * product
    p = residual + (float(residual @ residual) / here.norm2) * here.p
    return _Iterate(here.steps + 1, here.u + step * here.p, residual, p)


@dataclass(frozen=True, eq=False)
class WithinProductOf:
    """What the rows of a chunk add to S w: sum_i r_i x_i (x_i.w - m.w), with m the mean of the class of row i."""

    data: Data
    w: np.ndarray

    def __call__(self, rows: NumberedRows) -> np.ndarray:
        """A vector of one number a column."""
        X, y, weight = rows.data
        return within_product(replace(self.data, X=X, y=y, weight=weight), self.w)
