"""Newton's method in passes: the pairwise logistic loss with an L2 penalty, two passes a step (newton_sums.py).

The models of all folds and alphas take their steps together; one that has converged takes no further part.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from aucmax.losses import Squared
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution, Trace
from aucmax.scale.newton_sums import (
    BoxMomentsOf,
    CurvaturesOf,
    FoldTrainingRows,
    NewtonTerms,
    Standardizer,
    all_terms,
)
from aucmax.scale.passes import Passes
from aucmax.solvers import Newton
from aucmax.solvers.base import State
from aucmax.solvers.exact import Exact

ACCURACY = 1e-14  # gap at which steps end, relative to the objective
PATH_ACCURACY = 1e-8  # the same for the models of folds, of which only AUCs are wanted
_STEPS = 50
_HALVINGS = 30


class NewtonDescent:
    """The descent of one model: weights, the step that is tried, and what the last pass found.

    Parameters
    ----------
    training : FoldTrainingRows
    w : array
        The weights to start from.
    l2 : float
        Strength of the penalty.
    accuracy : float
        Gap at which steps end, relative to the objective.
    """

    def __init__(self, training: FoldTrainingRows, w: np.ndarray, l2: float, accuracy: float = ACCURACY):
        self.training = training
        self.w = w
        self.l2 = l2
        self.accuracy = accuracy
        self.objective = np.inf
        self.gap = np.inf
        self.n_steps = 0
        self.ended = False
        self._step = np.zeros_like(w)
        self._halvings = 0

    @property
    def tried(self) -> np.ndarray:
        """The weights at which the loss is wanted."""
        return self.w + 0.5**self._halvings * self._step

    def look(self, terms: NewtonTerms) -> bool:
        """Take the step that was tried if it is down, and end if that is enough; whether it needs the curvature."""
        w = self.tried
        lower = terms.loss + 0.5 * self.l2 * float(w @ w)
        if not lower <= self.objective:
            self._halvings += 1
            self.ended = self._halvings > _HALVINGS  # only rounding error is left
            return False
        stalled = lower == self.objective
        self.w = w
        self.objective = lower
        self.terms = terms
        self.slope = terms.gradient + self.l2 * w
        self.gap = 0.5 * float(self.slope @ self.slope) / self.l2  # the objective is l2-strongly convex
        self.ended = stalled or self.gap <= self.accuracy * self.objective or self.n_steps == _STEPS
        return not self.ended

    def turn(self, squares: np.ndarray) -> None:
        """Choose the next step, given the curvature."""
        hessian = squares - self.terms.cross - self.terms.cross.T
        hessian[np.diag_indices_from(hessian)] += self.l2
        self._step = -cho_solve(cho_factor(hessian), self.slope)
        self._halvings = 0
        self.n_steps += 1


def descend(models: list[NewtonDescent], passes: Passes) -> None:
    """Newton steps of all models together, until the last one has ended; those of the same rows stand together."""
    step = 0
    while active := [model for model in models if not model.ended]:
        tried = BoxMomentsOf([(one.training, one.tried) for one in active])
        found = passes.run(tried, f"Newton step {step}, loss", all_terms)
        turning = [one for one, terms in zip(active, found.parts) if one.look(terms)]
        step += 1
        if turning:
            curvatures = CurvaturesOf([(one.training, one.w, one.terms) for one in turning])
            squares = passes.run(curvatures, f"Newton step {step}, curvature")
            for one, square in zip(turning, squares.parts):
                one.turn(square)


def solve_by_newton(problem: Problem, solver: Newton, passes: Passes) -> Solution:
    """The minimiser of the logistic loss with an L2 penalty, from that of the squared loss."""
    start = Exact().solve(Problem(problem.data, Squared(), problem.penalty)).coef
    model = NewtonDescent(FoldTrainingRows(Standardizer.of(problem.data)), start, problem.penalty.l2)
    descend([model], passes)
    converged = model.gap <= solver.tol * model.objective
    state = State(model.w, float(passes.count))
    return Solution(model.w, model.objective, model.gap, model.n_steps, converged, Trace(), state)


def newton_paths(
    training: list[Data], starts: list[np.ndarray], alphas: np.ndarray, passes: Passes
) -> list[np.ndarray]:
    """The weights of every alpha without each fold, one column an alpha, from those of the squared loss."""
    models = []
    for fold, (data, path) in enumerate(zip(training, starts)):
        rows = FoldTrainingRows(Standardizer.of(data), fold, len(training))
        models += [NewtonDescent(rows, w, float(alpha), PATH_ACCURACY) for w, alpha in zip(path.T, alphas)]
    descend(models, passes)
    weights = np.array([model.w for model in models]).reshape(len(training), alphas.size, -1)
    return [path.T for path in weights]
