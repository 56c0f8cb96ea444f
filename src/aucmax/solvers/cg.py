"""CG: the squared loss without forming a matrix, for CSR and for many columns.

Conjugate gradients on (S + delta delta' + l2 I) w = delta, preconditioned by the diagonal. A product with S is one
pass over the rows: c_i = r_i (w.x_i - w.mean_y), Sw = sum_i c_i x_i. The residual is minus the gradient of P. The
elastic net is solved by column descent (coordinate_descent.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aucmax.losses.squared import within_product
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver, State
from aucmax.solvers.coordinate_descent import ColumnDescentState

ITERATIONS = 5  # in an epoch, that is, between two certificates


@dataclass(frozen=True, eq=False)
class CGState(State):
    """The vectors of preconditioned conjugate gradients."""

    residual: np.ndarray  # minus the gradient of P
    norm2: float  # inner product of the residual and the preconditioned residual
    p: np.ndarray  # search direction

    @property
    def ended(self) -> bool:
        return not 0.0 < self.norm2 < np.inf


@dataclass(repr=False, kw_only=True)
class CG(Solver):
    """Conjugate gradients for L2, column descent for the elastic net; never forms a matrix.

    With an l1 norm and up to 3000 columns, `Exact` needs far fewer epochs.

    Parameters
    ----------
    max_epochs, tol
        See `Solver`.
    """

    def init(self, problem: Problem, w: np.ndarray) -> State:
        if problem.penalty.l1 > 0:
            return ColumnDescentState.start(problem, w)
        residual = problem.data.delta - _product(problem, w) if w.any() else problem.data.delta.copy()
        z = residual / _diagonal(problem)
        return CGState(w, float(w.any()), residual, float(residual @ z), z)

    def epoch(self, problem: Problem, state: CGState | ColumnDescentState, rng: np.random.Generator) -> State:
        if isinstance(state, ColumnDescentState):
            return state.sweep(problem)
        diagonal = _diagonal(problem)
        for _ in range(ITERATIONS):
            if state.ended:
                break
            state = _iteration(problem, state, diagonal)
        return state


def _iteration(problem: Problem, state: CGState, diagonal: np.ndarray) -> CGState:
    Hp = _product(problem, state.p)
    curvature = float(state.p @ Hp)
    if not curvature > 0.0:  # only rounding error is left of it
        return replace(state, norm2=0.0)
    step = state.norm2 / curvature
    residual = state.residual - step * Hp
    z = residual / diagonal
    norm2 = float(residual @ z)
    p = z + (norm2 / state.norm2) * state.p
    return CGState(state.w + step * state.p, state.passes + 1, residual, norm2, p)


def _product(problem: Problem, v: np.ndarray) -> np.ndarray:
    """(S + delta delta' + l2 I) v."""
    data = problem.data
    return within_product(data, v) + (data.delta @ v) * data.delta + problem.penalty.l2 * v


def _diagonal(problem: Problem) -> np.ndarray:
    """Diagonal of the same matrix; 1 where it would be zero."""
    diagonal = problem.data.variances + problem.data.delta**2 + problem.penalty.l2
    return np.where(diagonal > 0, diagonal, 1.0)
