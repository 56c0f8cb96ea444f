"""Newton: truncated Newton for the pairwise squared hinge, exponential and logistic losses, with a duality gap.

    Chapelle, Keerthi. "Efficient algorithms for ranking with SVMs." Information Retrieval 2010.
    Chen, Curtis, Robinson. "A reduced-space algorithm for minimizing l1-regularized convex functions." SIAM 2017.

With L2 an epoch is one step of truncated Newton (truncated_newton.py). With an l1 norm an epoch consists of two
steps; with X'c the gradient of the loss and h the diagonal of its Hessian times a factor,

    w <- argmin_v  v.X'c + sum_j h_j (v_j - w_j)^2 / 2 + penalty(v)           which finds the nonzero weights
    a Newton step on these weights that keeps their signs: a weight that would change sign becomes zero
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aucmax.losses import Exponential, Logistic, SquaredHinge
from aucmax.penalties import soft_threshold
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.truncated_newton import (
    ROUNDING,
    NewtonState,
    evaluate_at,
    hessian_diagonal,
    newton_step,
    subsample_of,
)

STEPS = 50  # maximum number of steps on the subsample
DOUBLINGS = 30  # of the factor of h, before the proximal step is given up
START = 1e-3  # gap on the subsample, relative to the objective, at which they end


@dataclass(repr=False, kw_only=True)
class Newton(Solver):
    """Truncated Newton for the squared hinge, exponential and logistic losses: certified; L2 and elastic net.

    Parameters
    ----------
    max_epochs, tol
        See `Solver`. An epoch is one Newton step.
    """

    max_epochs: int = 200

    losses = (SquaredHinge, Exponential, Logistic)
    penalties = ("l2", "elastic net", "l1")

    def init(self, problem: Problem, w: np.ndarray) -> NewtonState:
        subsample = subsample_of(problem.data)
        if subsample is not None and not w.any():
            w = self._start(problem, subsample)
        scores = problem.data.scores(w) if w.any() else np.zeros(problem.data.n)
        evaluation = problem.loss.at(problem.data, scores)
        return evaluate_at(problem, w, evaluation, subsample, passes=float(w.any()))

    def _start(self, problem: Problem, subsample: Data) -> np.ndarray:
        """The minimiser on the subsample, as accurate as the subsample allows."""
        smaller = Problem(subsample, problem.loss, problem.penalty)
        zero = problem.loss.at(subsample, np.zeros(subsample.n))
        state = evaluate_at(smaller, np.zeros(problem.data.dim), zero, subsample)
        for _ in range(STEPS):
            state = self._step(smaller, state)
            if state.gap <= START * state.objective:
                break
        return state.w

    def epoch(self, problem: Problem, state: NewtonState, rng: np.random.Generator) -> NewtonState:
        return self._step(problem, state)

    def certify(self, problem: Problem, state: NewtonState) -> tuple[float, float]:
        return state.objective, state.gap

    def _step(self, problem: Problem, state: NewtonState) -> NewtonState:
        if problem.penalty.l1 == 0:
            return newton_step(problem, state)
        after = newton_step(problem, _proximal_step(problem, state))
        return replace(after, stuck=np.array_equal(after.w, state.w))


def _proximal_step(problem: Problem, state: NewtonState) -> NewtonState:
    """argmin_v of the model above, with the factor of h raised until the model is an upper bound."""
    penalty = problem.penalty
    diagonal = hessian_diagonal(problem, state)
    stiffness = state.stiffness
    passes = state.passes
    for _ in range(DOUBLINGS):
        h = stiffness * diagonal
        trial = soft_threshold(h * state.w - state.gradient, penalty.l1) / (h + penalty.l2)
        step = trial - state.w
        evaluation = problem.loss.at(problem.data, problem.data.scores(trial))
        passes += 1.0
        model = state.evaluation.value + float(state.gradient @ step) + 0.5 * float(h @ step**2)
        if evaluation.value <= model * (1.0 + ROUNDING):
            after = evaluate_at(problem, trial, evaluation, state.subsample, passes)
            return replace(after, products=state.products, stiffness=0.7 * stiffness)
        stiffness *= 2.0
    return replace(state, passes=passes)
