"""Exact: the minimiser of the squared loss from the class-centred Gram matrix.

With S the sum of the class covariances and delta the difference of the class means, for L2

    u = (S + l2 I)^-1 delta,    w = u / (1 + delta.u)                         (Cholesky, dim <= n)
    u = [delta - B'(BB' + l2 I)^-1 B delta] / l2,  B = sqrt(r) (x - mean)      (n < dim)

Without a penalty it is the minimum-norm solution. The elastic net is solved by coordinate descent
(coordinate_descent.py), on the matrix H = S + delta delta' or, where H would be too large, on the columns of X.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucmax.losses.squared import within_product
from aucmax.numerics.matrix import dense
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Constraints, Solver, State
from aucmax.solvers.coordinate_descent import GRAM_LIMIT, ColumnDescentState, GramDescentState
from aucmax.validation.params import Number

# A factorisation costs n dim min(n, dim), conjugate gradients some passes over the nonzeros: if the ratio of the two
# exceeds this, conjugate gradients are cheaper.
EXACT_COST = 2400


class ExactState(State):
    """The weights; only the elastic net needs more, see `GramDescentState`."""

    ended = True


@dataclass(repr=False, kw_only=True)
class Exact(Solver):
    """Exact minimiser of the squared loss, by one factorisation or coordinate descent on the Gram matrix.

    In a stream, a batch costs O(rows dim^2) plus one solution; the result is a fit to all rows seen, up to rounding.

    Parameters
    ----------
    forgetting : float
        Above 0 and at most 1, for streams that drift: the weight of a row seen t rows ago is forgetting^t, so that
        0.999 forgets in about 1000 rows. `fit` ignores it: there, `sample_weight` serves the same purpose.
    max_epochs, tol
        See `Solver`. With an L2 penalty one epoch is enough.
    """

    forgetting: float = 1.0
    tol: float = 1e-8

    parameter_constraints: ClassVar[Constraints] = {"forgetting": [Number(0, 1, open="low")]}
    online = True

    def init(self, problem: Problem, w: np.ndarray) -> State:
        if problem.penalty.l1 == 0:
            return ExactState(w, 1.0)
        kind = GramDescentState if scatter_pays(problem.data, l1=True) else ColumnDescentState
        return kind.start(problem, w)

    def epoch(self, problem: Problem, state: State, rng: np.random.Generator) -> State:
        if isinstance(state, GramDescentState | ColumnDescentState):
            return state.sweep(problem)
        w = _ridge(problem) if problem.penalty.l2 > 0 else _minimum_norm(problem)
        return ExactState(w, 1.0)


def factorisation_pays(X: Any) -> bool:
    """Whether the exact solver is faster than conjugate gradients on a table."""
    n, dim = X.shape
    return float(n) * dim * min(n, dim) <= EXACT_COST * X.size  # for CSR, the size counts nonzeros only


def scatter_pays(data: Data, *, l1: bool = False) -> bool:
    """Whether to solve from the scatter matrix: it is at hand, smaller than the table or, with an l1 norm, small."""
    return data.has_scatter or (data.dim <= GRAM_LIMIT if l1 else data.dim <= data.n)


def _ridge(problem: Problem) -> np.ndarray:
    """The L2 minimiser, with one step of iterative refinement."""
    data = problem.data
    l2 = problem.penalty.l2
    inverse = _gram_inverse(data, l2) if scatter_pays(data) else _row_inverse(data, l2)
    u = inverse(data.delta)
    denominator = 1.0 + data.delta @ u
    w = u / denominator
    residual = (1.0 - w @ data.delta) * data.delta - within_product(data, w) - l2 * w
    step = inverse(residual)
    return w + step - u * ((data.delta @ step) / denominator)


def _gram_inverse(data: Data, l2: float) -> Callable[[np.ndarray], np.ndarray]:
    """v -> (S + l2 I)^-1 v through a Cholesky factor of the dim x dim matrix."""
    matrix = data.within.copy()
    matrix[np.diag_indices_from(matrix)] += l2
    try:
        factor = cho_factor(matrix, overwrite_a=True, check_finite=False)
    except LinAlgError:  # l2 is lost in the rounding of S
        values, vectors = np.linalg.eigh(data.within)
        return lambda v: vectors @ ((vectors.T @ v) / (np.maximum(values, 0.0) + l2))
    return partial(cho_solve, factor, check_finite=False)


def _row_inverse(data: Data, l2: float) -> Callable[[np.ndarray], np.ndarray]:
    """v -> (S + l2 I)^-1 v through the n x n Gram matrix of the centred rows."""
    B = centred_rows(data)
    K = B @ B.T
    K[np.diag_indices_from(K)] += l2
    factor = cho_factor(K, overwrite_a=True, check_finite=False)
    return lambda v: (v - B.T @ cho_solve(factor, B @ v, check_finite=False)) / l2


def _minimum_norm(problem: Problem) -> np.ndarray:
    """The shortest of the minimisers of the loss alone."""
    data = problem.data
    if scatter_pays(data):
        H = data.within + np.outer(data.delta, data.delta)
        return np.linalg.pinv(H, hermitian=True, rcond=1e-13) @ data.delta
    A = np.vstack([centred_rows(data), data.delta])
    return np.linalg.pinv(A, rcond=1e-13)[:, -1]


def centred_rows(data: Data) -> np.ndarray:
    """Dense rows, centred at their class mean and multiplied by the root of their weight; for n < dim."""
    centres = data.raw_means[np.where(data.y > 0, 0, 1)]
    return np.sqrt(data.r)[:, None] * ((dense(data.X) - centres) / data.scale)
