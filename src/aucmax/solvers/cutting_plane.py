"""Cutting planes: the pairwise hinge (ranking SVM, SVM-perf's ROCArea, AUC-SVM), certified.

    Joachims. "Training linear SVMs in linear time." KDD 2006.
    Chapelle, Keerthi. "Efficient algorithms for ranking with SVMs." Information Retrieval 2010.

Three parts, which share their planes (bundle.py), the best weights and the best lower bound:

    planes    w_k = argmin of the model;  plane a.w + b with a = X'c(w_k) and b the weight of the active pairs
    Newton    if the gap is still open after 10 planes: truncated Newton (newton.py) on the hinge Huberised over a
              width, 0.2 at first and a tenth of it whenever the stage's own gap is a fifth of the gap of the hinge;
              the gradient at every point is a plane too (hinges.py)
    planes    if Newton takes too many steps, as it does where nearly all pairs are satisfied, or for many columns

The AUC-SVM's  |w|^2/2 + C sum_ij s_i s_j z_ij  is the same problem with l2 = 1 / (C sum_i s_i sum_j s_j).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from aucmax.losses import Hinge
from aucmax.losses.hinges import Huberised
from aucmax.losses.pairwise_sums import SortedScores
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet
from aucmax.solvers.base import Solver
from aucmax.solvers.newton import Point, newton_step, point_at
from aucmax.solvers.shared.bundle import Bundle
from aucmax.solvers.shared.sample import Sample
from aucmax.validation.params import check_counts, check_number

FIRST = 10  # planes before Newton: more of them rarely paid
COLUMNS = 5000  # up to which Newton pays
WIDTH, NARROWER = 0.2, 0.1  # of the Huberised kink: at first, and from stage to stage
STAGE = 0.2  # share of the hinge's gap at which the gap of a stage is small enough
STEPS, PRODUCTS = 40, 1000  # Newton steps in a stage, and products with the Hessian, before planes take over
IDLE, MOVE = 10, 1e-3  # epochs of planes in which the gap falls by less than such a share, after which they end
INNER = 0.1  # share of tol to which the model is solved


class Certified(NamedTuple):
    """The best weights, passes over the data, objective, lower bound; planes, where to cut next, the Newton stage."""

    w: np.ndarray
    passes: float
    objective: float
    lower: float
    bundle: Bundle
    trial: np.ndarray
    cuts: int
    newton: Point | None
    width: float
    steps: int
    idle: int  # epochs of planes that hardly moved the gap

    @property
    def gap(self) -> float:
        """An upper bound on P(w) - min P; what is negative is rounding, and NaN stays NaN."""
        return max(self.objective - self.lower, 0.0)

    @property
    def ended(self) -> bool:
        """Whether planes hardly move the gap any more."""
        return self.idle >= IDLE

    @property
    def certificate(self) -> tuple[float, float]:
        """Objective and gap."""
        return self.objective, self.gap

    def seen(self, w: np.ndarray, objective: float) -> Certified:
        """After another point."""
        return self._replace(w=w, objective=objective) if objective < self.objective else self

    def bounded(self, lower: float) -> Certified:
        """After another lower bound."""
        return self._replace(lower=max(self.lower, lower))


@dataclass(repr=False, kw_only=True)
class CuttingPlane(Solver):
    """Cutting planes and Huberised Newton for the pairwise hinge with an L2 penalty.

    Parameters
    ----------
    batch : int
        Planes in an epoch; in the Newton part an epoch is one step.
    C : float or None
        The AUC-SVM's constant, for the scaled columns; alpha is ignored then.
    max_epochs, tol
        See `Solver`.
    """

    batch: int = 10
    C: float | None = None

    losses = (Hinge,)
    penalties = ("l2",)

    def adapt(self, problem: Problem) -> Problem:
        check_counts(batch=self.batch)
        own = self.own_alpha(problem.data)
        if own is not None:
            return replace(problem, penalty=ElasticNet(0.0, own))
        if problem.penalty.l1 > 0 or problem.penalty.l2 <= 0:
            raise ValueError(
                f"solver CuttingPlane takes an L2 penalty alone, not {problem.penalty}; "
                "set l1_ratio=0 and alpha above 0, or use loss='squared_hinge' with solver='newton'"
            )
        return problem

    def own_alpha(self, data: Data) -> float | None:
        if self.C is None:
            return None
        check_number("C", self.C)
        return 1.0 / (self.C * data.raw_moments.pos.weight * data.raw_moments.neg.weight)

    def init(self, problem: Problem, w: np.ndarray) -> Certified:
        bundle = Bundle(w.size, problem.penalty.l2)
        return Certified(w, 0.0, np.inf, 0.0, bundle, w, 0, None, WIDTH, 0, 0)

    def epoch(self, problem: Problem, state: Certified, rng: np.random.Generator) -> Certified:
        if state.newton is not None:
            return _newton_epoch(problem, state, state.newton)
        before, state = state.gap, state._replace(bundle=state.bundle.copy())
        for _ in range(self.batch):
            state = _cut(problem, state, self.tol)
        state = state._replace(idle=state.idle + 1 if state.gap > (1.0 - MOVE) * before else 0)
        untried = state.width == WIDTH and problem.data.dim <= COLUMNS
        return _smoothed(problem, state) if untried and state.cuts >= FIRST else state


def _cut(problem: Problem, state: Certified, tol: float) -> Certified:
    """Add the plane at the trial point, and move this to the minimum of the model."""
    data, penalty, w = problem.data, problem.penalty, state.trial
    order = SortedScores.of(data, data.scores(w))
    active = order.active(1.0)
    state.bundle.add(data.combine(order.spread(-active.Q, active.P)), active.weight)
    state = state.seen(w, active.short + penalty.value(w))
    trial, lower = state.bundle.solve(INNER * tol * state.objective)
    return state.bounded(lower)._replace(trial=trial, cuts=state.cuts + 1, passes=state.passes + 2.0)


def _smoothed(problem: Problem, state: Certified) -> Certified:
    """Begin the Newton part at the best weights."""
    order = SortedScores.of(problem.data, problem.data.scores(state.w))
    return _stage(problem, state, WIDTH, order, Sample.of(problem.data))


def _stage(
    problem: Problem, state: Certified, width: float, order: SortedScores, sample: Sample | None, products: int = 0
) -> Certified:
    """Begin a stage at weights whose scores are sorted already."""
    w = state.w if state.newton is None else state.newton.w
    smooth = replace(problem, loss=Huberised(width))
    point = point_at(smooth, w, smooth.loss.of(order), sample, state.passes + 1.0)
    state = _with_point(problem, state, point._replace(products=products))
    return state._replace(width=width, steps=0)


def _with_point(problem: Problem, state: Certified, point: Point) -> Certified:
    """The state after a point of the Newton part, which brings a plane."""
    bundle = state.bundle.copy()
    lower = bundle.add(point.gradient, point.curve.mass)
    state = state.seen(point.w, point.curve.hinge + problem.penalty.value(point.w)).bounded(lower)
    return state._replace(bundle=bundle, newton=point, passes=point.passes, steps=state.steps + 1)


def _newton_epoch(problem: Problem, state: Certified, point: Point) -> Certified:
    """One Newton step, after narrowing the kink if the stage is done; or back to planes."""
    if point.gap <= STAGE * state.gap:
        state = _stage(problem, state, NARROWER * state.width, point.curve.order, point.sample, point.products)
        point = state.newton or point
    after = newton_step(replace(problem, loss=Huberised(state.width)), point)
    state = _with_point(problem, state, after)
    if after.w is point.w or state.steps >= STEPS or after.products >= PRODUCTS:
        return state._replace(newton=None, width=0.0, trial=state.w)
    return state
