"""Truncated Newton: a step on a smooth pairwise loss with an L2 penalty, for `Newton` and `CuttingPlane`.

    Chapelle, Keerthi. "Efficient algorithms for ranking with SVMs." Information Retrieval 2010.

With L the graph Laplacian of the pairs, weighted by the second derivative of the loss, and X'c the gradient of the
loss,

    (X'LX + l2 I) p = -(X'c + l2 w)                 approximately, by preconditioned conjugate gradients
    w <- w + t p                                    t = 1, 1/2, 1/4 ... until the objective falls (Armijo)

A product with the Hessian takes two products with X and no sort; a trial step takes a sort and no product, since the
scores are Xw + t Xp, and Xp is a by-product of the conjugate gradients. The preconditioner is the Hessian of a
subsample of the rows, or the diagonal.

A tall table has many more rows than the Hessian needs: preconditioned by the Hessian of m >> dim rows, drawn evenly
from both classes, the full one is close to the identity, and conjugate gradients converge in two or three products.
Since the loss is a mean over pairs, each class may be subsampled at its own rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from aucmax.losses.base import SmoothEvaluation
from aucmax.losses.rounding import Scores, error_of_scores
from aucmax.numerics.matrix import copy_rows, nonzeros
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import State

ACCURACY = 0.1  # of the conjugate gradients: final residual relative to the first one
PRODUCTS = 30  # maximum number of products with the Hessian in one step
ARMIJO = 1e-4  # share of the predicted decrease that a step must achieve
HALVINGS = 60  # of a step, before it is given up: without curvature it is as long as 1 / l2
ROUNDING = 4.0 * np.finfo(float).eps  # relative rounding error of the objective
ENOUGH = 20  # rows per column from which a subsample is worth its time
PLENTY = 500  # rows per column beyond which more of them gain nothing


def subsample_of(data: Data) -> Data | None:
    """As many rows as keep the cost of a Hessian below that of a product with X, dense and in scaled units.

    None if these are too few.
    """
    size = min(nonzeros(data.X) // data.dim**2, PLENTY * data.dim)
    if size < ENOUGH * data.dim:
        return None
    pos, neg = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)
    half = min(size // 2, pos.size, neg.size)
    index = np.concatenate([_evenly(pos, max(half, size - neg.size)), _evenly(neg, max(half, size - pos.size))])
    rows = np.empty((index.size, data.dim))
    copy_rows(data.X, index, rows)
    rows /= data.scale
    return Data.of(rows, data.y[index], data.weight[index], standardize=False)


@dataclass(frozen=True, eq=False)
class NewtonState(State):
    """Weights with the loss and its derivatives there."""

    objective: float  # P(w)
    gap: float  # an upper bound on P(w) - min P
    evaluation: SmoothEvaluation  # the loss at the scores of w
    gradient: np.ndarray  # of the loss at w
    subsample: Data | None  # rows to precondition with
    score_error: float  # rounding error of the scores, which accumulates from step to step
    products: int = 0  # with the Hessian so far
    stuck: bool = False  # whether the last step found no lower objective: only rounding error is left
    stiffness: float = 1.0  # factor on the diagonal of the Hessian in a proximal step: its inverse step size

    @property
    def ended(self) -> bool:
        return self.stuck


def evaluate_at(
    problem: Problem,
    w: np.ndarray,
    evaluation: SmoothEvaluation,
    subsample: Data | None,
    passes: float = 0.0,
    score_error: float | None = None,
) -> NewtonState:
    """The state at w, given the loss at its scores, and the error of the scores unless they were computed from w."""
    score_error = error_of_scores(problem.data, w) if score_error is None else score_error
    gradient = problem.data.combine(evaluation.coefficients())
    objective, gap = problem.certify(w, (evaluation.value, gradient), Scores(evaluation.scores, score_error))
    return NewtonState(w, passes + 1.0, objective, gap, evaluation, gradient, subsample, score_error)


def newton_step(problem: Problem, state: NewtonState) -> NewtonState:
    """One step on the nonzero weights, or on all weights if there is no l1 norm."""
    data = problem.data
    penalty = problem.penalty
    w = state.w
    # direction
    free = w != 0 if penalty.l1 > 0 else np.ones(w.size, dtype=bool)
    slope = np.where(free, state.gradient + penalty.l2 * w + penalty.l1 * np.sign(w), 0.0)
    p, Xp, products, error_of_Xp = _conjugate_gradients(problem, state, -slope, free)
    state = replace(state, products=state.products + products)
    passes = state.passes + 2.0 * products
    # line search
    t = 1.0
    for _ in range(HALVINGS):
        trial = w + t * p
        crossed = trial * w < 0 if penalty.l1 > 0 else np.zeros(w.size, dtype=bool)
        if crossed.any():
            trial[crossed] = 0.0
            passes += 1.0
        evaluation = problem.loss.at(data, data.scores(trial) if crossed.any() else state.evaluation.scores + t * Xp)
        bar = state.objective * (1.0 + ROUNDING) + ARMIJO * float(slope @ (trial - w))
        if evaluation.value + penalty.value(trial) <= bar:
            error = None if crossed.any() else state.score_error + error_of_scores(data, w) + t * error_of_Xp
            after = evaluate_at(problem, trial, evaluation, state.subsample, passes, error)
            return replace(after, products=state.products, stiffness=state.stiffness)
        t *= 0.5
    return replace(state, passes=passes, stuck=True)


def _conjugate_gradients(
    problem: Problem, state: NewtonState, residual: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int, float]:
    """p and Xp such that Hessian p is close to the residual, the products with the Hessian, and the error of Xp."""
    data = problem.data
    l2 = problem.penalty.l2
    precondition = _preconditioner(problem, state, free)
    p = np.zeros(residual.size)
    Xp = np.zeros(data.n)
    direction = precondition(residual)
    norm2 = float(residual @ direction)
    goal = ACCURACY**2 * norm2
    error = 0.0
    for k in range(PRODUCTS):
        if norm2 <= goal:
            return p, Xp, k, error
        u = data.scores(direction)
        product = np.where(free, data.combine(state.evaluation.product(u)), 0.0) + l2 * direction
        curvature = float(direction @ product)
        if curvature <= 0.0:  # no curvature: take the preconditioned gradient step, or stop with what has been found
            return (p, Xp, k + 1, error) if k else (direction, u, k + 1, error_of_scores(data, direction))
        step = norm2 / curvature
        error += step * error_of_scores(data, direction)
        p = p + step * direction
        Xp = Xp + step * u
        residual = residual - step * product
        z = precondition(residual)
        after = float(residual @ z)
        direction = z + (after / norm2) * direction
        norm2 = after
    return p, Xp, PRODUCTS, error


def _preconditioner(problem: Problem, state: NewtonState, free: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """v -> approximately Hessian^-1 v, from the diagonal if there is no subsample or its Hessian is singular."""
    diagonal = hessian_diagonal(problem, state) + problem.penalty.l2
    if state.subsample is None:
        return lambda v: v / diagonal
    evaluation = problem.loss.at(state.subsample, state.subsample.scores(state.w))
    hessian = _hessian(evaluation, state.subsample.X[:, free])
    hessian[np.diag_indices_from(hessian)] += problem.penalty.l2
    try:
        factor = cho_factor(hessian, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return lambda v: v / diagonal

    def solve(v: np.ndarray) -> np.ndarray:
        out = np.zeros(v.size)
        out[free] = cho_solve(factor, v[free], check_finite=False)
        return out

    return solve


def hessian_diagonal(problem: Problem, state: NewtonState) -> np.ndarray:
    """Diagonal of the Hessian, approximating the active pairs by all pairs, which saves a pass; never zero."""
    moments = problem.data.moments
    diagonal = state.evaluation.curvature * (moments.variances + moments.delta**2)
    return np.where(diagonal > 0, diagonal, 1.0)


def _evenly(rows: np.ndarray, size: int) -> np.ndarray:
    """`size` of the rows, evenly spaced; all of them if there are fewer."""
    return rows[np.linspace(0, rows.size - 1, min(size, rows.size)).astype(np.int64)]


def _hessian(evaluation: SmoothEvaluation, X: np.ndarray) -> np.ndarray:
    """X'LX."""
    products = np.empty((X.shape[1], X.shape[0]))
    for k in range(X.shape[1]):
        products[k] = evaluation.product(np.ascontiguousarray(X[:, k]))
    with threads_for(X.shape[1]):
        return products @ X
