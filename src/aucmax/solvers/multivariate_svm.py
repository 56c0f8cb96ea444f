"""Multivariate SVM: cutting planes for contingency-table measures, certified.

    Joachims. "A support vector method for multivariate performance measures." ICML 2005.

    planes    w_k = argmin of the model (bundle.py);  plane of the most violated labelling (losses/contingency.py)

Scores are w.(x - centre) + scaling u. The intercept u is one more weight, penalised like the others as in liblinear;
a large scaling makes its penalty negligible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from aucmax.losses.contingency import ContingencyPlane, Measure
from aucmax.losses.rounding import rounding_of_sum
from aucmax.numerics.matrix import nonzeros
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.bundle import Bundle, BundleState

MODEL_TOL = 0.1  # accuracy to which the model is solved, relative to tol
MODEL_WORK = 3e9  # operations on the model, beyond those on the data, after which the run ends: some seconds


class ContingencyLoss(NamedTuple):
    """The loss of a measure, for weights whose last entry is the intercept."""

    measure: Measure
    centre: np.ndarray  # of the rows, in scaled units
    scaling: float  # of the intercept; 0 for none

    def scores(self, data: Data, w: np.ndarray) -> np.ndarray:
        """Scores of the rows."""
        return data.scores(w[:-1]) + (self.scaling * w[-1] - self.centre @ w[:-1])

    def combine(self, data: Data, c: np.ndarray) -> np.ndarray:
        """The gradient of sum_i c_i s_i."""
        total = c.sum()
        return np.append(data.combine(c) - total * self.centre, self.scaling * total)

    def plane_error(self, data: Data, c: np.ndarray) -> float:
        """Rounding error of that gradient, relative to the size of the columns."""
        return rounding_of_sum(data.n + data.dim) * (
            1.0 + float(np.sqrt((c**2 / data.r).sum())) + float(np.abs(c).sum())
        )


@dataclass(repr=False, kw_only=True)
class MultivariateSVM(Solver):
    """Cutting planes for a `ContingencyLoss` with an L2 penalty; `solve` needs initial weights.

    Parameters
    ----------
    max_epochs, tol
        See `Solver`. An epoch is one plane.
    """

    penalties = ("l2",)

    def init(self, problem: Problem, w: np.ndarray) -> BundleState:
        size = np.append(problem.data.root_mean_squares + np.abs(problem.loss.centre), problem.loss.scaling)
        return BundleState(w, 0.0, np.inf, 0.0, 0.0, Bundle(size, problem.penalty.l2), w)

    def epoch(self, problem: Problem, state: BundleState, rng: np.random.Generator) -> BundleState:
        data = problem.data
        loss = problem.loss
        w = state.trial
        plane = ContingencyPlane.at(loss.measure, loss.scores(data, w), data.y)
        objective = plane.value + problem.penalty.value(w)
        bundle = state.bundle.copy()
        error = loss.plane_error(data, plane.c)
        if objective < state.objective:
            state = replace(state, w=w, objective=objective, error=error * (1.0 + float(bundle.size @ np.abs(w))))
        bundle.add(loss.combine(data, plane.c), plane.height, error)
        trial, lower = bundle.solve(MODEL_TOL * self.tol * state.objective)
        passes = state.passes + 2.0
        return replace(
            state,
            lower=max(state.lower, lower),
            bundle=bundle,
            trial=trial,
            passes=passes,
            exhausted=bundle.work > MODEL_WORK + passes * nonzeros(data.X),
        )

    def certify(self, problem: Problem, state: BundleState) -> tuple[float, float]:
        return state.objective, state.gap
