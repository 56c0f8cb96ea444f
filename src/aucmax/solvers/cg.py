"""CG: the squared loss without any matrix, for CSR and for many columns.

Conjugate gradients on (S + delta delta' + l2 I) w = delta, preconditioned by the diagonal. A product with S is one
pass over the rows: c_i = r_i (w.x_i - w.mean_y), Sw = sum_i c_i x_i. The residual is minus the gradient of P, so
that the certificate costs nothing. The elastic net is solved by column descent (columns.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.losses import within_product
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.shared.columns import ColumnDescent


class Directions(NamedTuple):
    """Weights, passes over the data, residual, preconditioned residual product and search direction."""

    w: np.ndarray
    passes: float
    residual: np.ndarray
    norm2: float
    p: np.ndarray


@dataclass(repr=False, kw_only=True)
class CG(Solver):
    """Conjugate gradients for L2, column descent for the elastic net; never forms a matrix.

    Parameters
    ----------
    iterations : int
        Iterations in an epoch, that is between two certificates.
    max_epochs, tol
        See `Solver`.
    """

    iterations: int = 5

    def init(self, problem: Problem, w: np.ndarray) -> Any:
        if problem.penalty.l1 > 0:
            return ColumnDescent.start(problem, w)
        residual = problem.data.delta - _product(problem, w) if w.any() else problem.data.delta.copy()
        z = residual / _diagonal(problem)
        return Directions(w, float(w.any()), residual, float(residual @ z), z)

    def epoch(self, problem: Problem, state: Any, rng: np.random.Generator) -> Any:
        if problem.penalty.l1 > 0:
            return state.sweep(problem)
        diagonal = _diagonal(problem)
        for _ in range(self.iterations):
            if state.norm2 <= 0.0:
                break
            state = _iteration(problem, state, diagonal)
        return state


def _iteration(problem: Problem, state: Directions, diagonal: np.ndarray) -> Directions:
    w, passes, residual, norm2, p = state
    Hp = _product(problem, p)
    step = norm2 / float(p @ Hp)
    residual = residual - step * Hp
    z = residual / diagonal
    after = float(residual @ z)
    return Directions(w + step * p, passes + 1, residual, after, z + (after / norm2) * p)


def _product(problem: Problem, v: np.ndarray) -> np.ndarray:
    """(S + delta delta' + l2 I) v."""
    data = problem.data
    return within_product(data, v) + (data.delta @ v) * data.delta + problem.penalty.l2 * v


def _diagonal(problem: Problem) -> np.ndarray:
    """Diagonal of the same matrix; 1 for a column that neither data nor penalty see."""
    diagonal = problem.data.moments.variances + problem.data.delta**2 + problem.penalty.l2
    return np.where(diagonal > 0, diagonal, 1.0)
