"""Cutting planes: the pairwise hinge (ranking SVM, SVM-perf's ROCArea, AUC-SVM), certified.

    Joachims. "Training linear SVMs in linear time." KDD 2006.
    Chapelle, Keerthi. "Efficient algorithms for ranking with SVMs." Information Retrieval 2010.

Three phases, which share their planes (bundle.py), the best weights and the best lower bound:

    planes    w_k = argmin of the model;  plane a.w + b with a = X'c(w_k) and b the weight of the active pairs
    Newton    if the gap is still open after 10 planes: truncated Newton (truncated_newton.py) on the hinge Huberised
              over a width, at first 0.2, divided by 10 whenever the gap of the stage is a fifth of the gap of the
              hinge; the gradient at every point gives a plane too (hinges.py)
    planes    if Newton takes too many steps, as it does where nearly all pairs are satisfied, or for many columns

The AUC-SVM's  |w|^2/2 + C sum_ij s_i s_j z_ij  is the same problem with l2 = 1 / (C sum_i s_i sum_j s_j).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from aucmax.losses import Hinge
from aucmax.losses.hinges import HuberEvaluation, HuberisedHinge
from aucmax.losses.pairwise_sums import SortedScores
from aucmax.losses.rounding import ROOT2, Scores, plane_error, rounding_bounds, rounding_of_sum
from aucmax.numerics.matrix import nonzeros
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.bundle import MODEL_WORK, BundleState
from aucmax.solvers.truncated_newton import NewtonState, evaluate_at, newton_step, subsample_of

BATCH = 10  # planes in an epoch
FIRST_PLANES = 10  # planes before Newton: more of them rarely paid off
NEWTON_COLUMNS = 5000  # number of columns up to which Newton pays off
FIRST_WIDTH = 0.2  # initial width of the Huberised kink
WIDTH_FACTOR = 0.1  # factor of the width from stage to stage
STAGE_GAP = 0.2  # gap of a stage, relative to that of the hinge, at which the stage ends
NEWTON_STEPS = 40  # Newton steps in a stage before planes take over
HESSIAN_PRODUCTS = 1000  # products with the Hessian before planes take over
IDLE_EPOCHS = 10  # consecutive idle epochs of planes after which the run ends
IDLE_REDUCTION = 1e-3  # an epoch that lowers the gap by less than this share is idle
FAR = 0.5  # lower bound, relative to the objective, below which no epoch is idle for some seconds


@dataclass(frozen=True, eq=False)
class CuttingPlaneState(BundleState):
    """The best weights, the best lower bound, and the progress of the three phases."""

    cuts: int = 0  # made so far
    newton: NewtonState | None = None  # during the Newton phase
    width: float = FIRST_WIDTH  # of the kink in this stage of the Newton phase; 0 once it is over
    steps: int = 0  # of Newton in this stage
    idle: int = 0  # consecutive epochs of planes that hardly reduced the gap

    @property
    def ended(self) -> bool:
        """Whether planes no longer reduce the gap, or cost too much."""
        return self.idle >= IDLE_EPOCHS or self.exhausted


@dataclass(repr=False, kw_only=True)
class CuttingPlane(Solver):
    """Cutting planes and Huberised Newton for the pairwise hinge with an L2 penalty.

    If nearly all pairs are ranked correctly, rounding limits the gap: only a larger alpha or tol helps.

    Parameters
    ----------
    max_epochs, tol
        See `Solver`. An epoch makes ten planes; in the Newton phase it is one step.
    """

    losses = (Hinge,)
    penalties = ("l2",)

    def init(self, problem: Problem, w: np.ndarray) -> CuttingPlaneState:
        return CuttingPlaneState.start(w, problem.data.root_mean_squares, problem.penalty.l2)

    def epoch(self, problem: Problem, state: CuttingPlaneState, rng: np.random.Generator) -> CuttingPlaneState:
        if state.newton is not None:
            return _newton_epoch(problem, state, state.newton)
        before = state.gap
        for _ in range(BATCH):
            state = _cut(problem, state, self.tol)
        on_data = state.passes * nonzeros(problem.data.X)
        patient = state.lower < FAR * state.objective and state.bundle.work + on_data < MODEL_WORK
        idle = state.gap > (1.0 - IDLE_REDUCTION) * before and not patient
        state = replace(state, idle=state.idle + 1 if idle else 0)
        untried = state.width == FIRST_WIDTH and problem.data.dim <= NEWTON_COLUMNS
        return _start_newton(problem, state) if untried and state.cuts >= FIRST_PLANES else state

    def certify(self, problem: Problem, state: CuttingPlaneState) -> tuple[float, float]:
        return state.objective, state.gap


def _cut(problem: Problem, state: CuttingPlaneState, tol: float) -> CuttingPlaneState:
    """Add the plane at the trial point, and move the trial point to the minimum of the model."""
    data = problem.data
    w = state.trial
    order = SortedScores.of(data, data.scores(w))
    active = order.active(1.0)
    error = rounding_bounds(problem.loss, data, w, active.short).value
    state = state.after_point(w, active.short + problem.penalty.value(w), error)
    plane = data.combine(order.spread(-active.Q, active.P))
    state = state.after_cut(data, plane, active.weight, ROOT2 * rounding_of_sum(data.n), tol)
    return replace(state, cuts=state.cuts + 1)


def _start_newton(problem: Problem, state: CuttingPlaneState) -> CuttingPlaneState:
    """Begin the Newton phase at the best weights."""
    order = SortedScores.of(problem.data, problem.data.scores(state.w))
    return _start_stage(problem, state, FIRST_WIDTH, order, subsample_of(problem.data))


def _start_stage(
    problem: Problem,
    state: CuttingPlaneState,
    width: float,
    order: SortedScores,
    subsample: Data | None,
    products: int = 0,
) -> CuttingPlaneState:
    """Begin a stage at weights whose scores are already sorted."""
    w = state.w if state.newton is None else state.newton.w
    smooth = replace(problem, loss=HuberisedHinge(width))
    point = evaluate_at(smooth, w, smooth.loss.of(order), subsample, state.passes + 1.0)
    state = _after_newton(problem, state, replace(point, products=products))
    return replace(state, width=width, steps=0)


def _after_newton(problem: Problem, state: CuttingPlaneState, point: NewtonState) -> CuttingPlaneState:
    """The state after a point of the Newton phase, whose gradient is added as a plane."""
    bundle = copy(state.bundle)
    smooth = cast(HuberEvaluation, point.evaluation)
    lower = max(state.lower, bundle.add(point.gradient, smooth.mass, ROOT2 * plane_error(smooth)))
    scores = Scores(smooth.scores, point.score_error)
    error = rounding_bounds(problem.loss, problem.data, point.w, smooth.hinge, scores).value
    state = state.after_point(point.w, smooth.hinge + problem.penalty.value(point.w), error)
    return replace(state, lower=lower, bundle=bundle, newton=point, passes=point.passes, steps=state.steps + 1)


def _newton_epoch(problem: Problem, state: CuttingPlaneState, point: NewtonState) -> CuttingPlaneState:
    """One Newton step, after narrowing the kink if the stage is done; return to planes if Newton is too slow."""
    if point.gap <= STAGE_GAP * state.gap:
        smooth = cast(HuberEvaluation, point.evaluation)
        width = WIDTH_FACTOR * state.width
        state = _start_stage(problem, state, width, smooth.order, point.subsample, point.products)
        point = state.newton or point
    after = newton_step(replace(problem, loss=HuberisedHinge(state.width)), point)
    state = _after_newton(problem, state, after)
    if after.stuck or state.steps >= NEWTON_STEPS or after.products >= HESSIAN_PRODUCTS:
        return replace(state, newton=None, width=0.0, trial=state.w)
    return state
