"""FSAUC: fast stochastic AUC maximisation in an l1 ball, in stages that shrink around successively better points.

    Liu, Zhang, Chen, Wang, Yang. "Fast Stochastic AUC Maximization with O(1/n)-Convergence Rate." ICML 2018.

With the saddle function F_i and the rows x' of saddle_function.py, kappa = max |x'| and v = (w, a, b), the rows are
split into

    m = max(1, floor(log2(2n / log2 n) / 2) - 1) stages of n0 rows,    R_0 = 2 sqrt(1 + 2 kappa^2) R,  R_k = R_0 / 2^k

and stage k starts from (v_{k-1}, al_{k-1}) and visits its rows with a constant step, clipping the ascent in al too:

    v <- projection of v - eta_k dF_i on {|w|_1 <= R, |a|, |b| <= R kappa} and {|v - v_{k-1}| <= R_{k-1}}
    al <- al + eta_k dF_i/dal, clipped to [-2 R kappa, 2 R kappa] and [al_{k-1} - D_{k-1}, al_{k-1} + D_{k-1}]
    v_k = mean of the iterates,    al_k = -w_k.delta

    eta_k = eta_1 / 2^(k-1)                                     schedule "halving", which keeps beta constant
    eta_k = sqrt(beta_{k-1}) R_{k-1} / (G sqrt(2 n0)),  beta_0 = 1 + 8 kappa^2                 schedule "theorem"

D_k, beta_k and G are in fsauc_stages.py. Every step changes every column, so that no O(nonzeros) form exists: steps
take mini-batches, with one O(dim) projection each. The paper makes one pass over n rows, with the statistics of the
rows so far: al_k = -w_k.(m+ - m-) with their class means, and their share of positives in F_i and in beta_k. In
Algorithm 2 these are restarted in each stage, statistics="stage"; the remark on theorem 1 lets them run on,
statistics="running"; otherwise both are those of all rows. In a fit an epoch is a pass; in a stream a pass
continues from batch to batch until `horizon` rows have come. The next pass starts where the last one ended, with
steps divided by the root of its number, and pass k has weight k in the mean of their results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import COUNT, POSITIVE, Constraints, Solver, State
from aucmax.solvers.published.fsauc_stages import StageLimits, first_step, project, stage_limits, stage_sizes
from aucmax.solvers.published.saddle_function import (
    RowScaling,
    RowsSeen,
    clip,
    in_ball,
    mini_batch,
    saddle_step,
)
from aucmax.solvers.published.step_sizes import paper_factor
from aucmax.solvers.visiting_order import shuffled_blocks
from aucmax.validation.params import Boolean, Integer, Number, Option

LARGEST = 1e150  # length of a row, so that its square is finite


class Point(NamedTuple):
    """(w, a, b), for rows that are neither centred nor divided."""

    w: np.ndarray  # weights
    a: float  # mean score of the positives
    b: float  # mean score of the negatives

    def for_rows(self, scaling: RowScaling) -> np.ndarray:
        """The point for rows x', as one array."""
        height = float(self.w @ scaling.centre)
        return np.append(self.w * scaling.unit, [self.a - height, self.b - height])

    @classmethod
    def of(cls, v: np.ndarray, scaling: RowScaling) -> Point:
        """The inverse of `for_rows`."""
        w = v[:-2] / scaling.unit
        height = float(w @ scaling.centre)
        return cls(w, float(v[-2]) + height, float(v[-1]) + height)


class Stage(NamedTuple):
    """A stage of a pass."""

    passes: int  # finished before; -1 before the first pass
    sizes: tuple[int, ...]  # rows of each stage of the pass
    number: int  # of the stage in the pass, from 0
    left: int  # rows of the stage still to come
    start: Point  # v_{k-1}
    start_al: float  # al_{k-1}
    seen: RowsSeen  # weights of the rows in the statistics before the stage
    total: Point  # sum of the iterates
    steps: int  # number of them


@dataclass(frozen=True, eq=False)
class FSAUCState(State):
    """The mean of the passes so far, with the current stage as the result of the last one, and the saddle point.

    Statistics are those of the rows visited so far, or since the stage began.
    """

    v: Point  # the last iterate
    al: float  # dual variable
    mean: np.ndarray  # of the results of the passes before the current one
    stage: Stage  # the current one
    kappa: float  # largest |x - centre|
    seen: RowsSeen  # weights of the rows in the statistics
    sums: np.ndarray  # weighted sums of the positive and of the negative rows in the statistics

    def check(self) -> None:
        stage = self.stage
        before = stage.passes == -1 and not stage.sizes and stage.left == 0
        within = stage.passes >= 0 and stage.number < len(stage.sizes) and min(stage.sizes) > 0
        if not before and not (within and 0 <= stage.left <= stage.sizes[stage.number]):
            raise ValueError(f"stage {stage.number} with {stage.left} rows left is not one of {stage.sizes}")
        if not 0.0 <= self.kappa < LARGEST:
            raise ValueError(f"kappa must be from 0 to {LARGEST:g}, not {self.kappa}")

    def rescaled(self, ratio: np.ndarray) -> FSAUCState:
        return replace(self, sums=self.sums / ratio)

    @property
    def delta(self) -> np.ndarray | None:
        """Difference of the class means in the statistics; None if a class is missing."""
        if min(self.seen) <= 0.0:
            return None
        return self.sums[0] / self.seen.pos - self.sums[1] / self.seen.neg


@dataclass(repr=False, kw_only=True)
class FSAUC(Solver):
    """Fast stochastic AUC maximisation inside an l1 ball, for the squared loss.

    Parameters
    ----------
    radius : float or None
        Radius of the ball, which replaces the penalty. None means 1.5 times the l1 norm that the weights would
        have with uncorrelated columns and an L2 penalty of the same alpha.
    eta : float or None
        Step of the first stage, for rows of unit size; None means 2/L, or the theorem's step in its schedule.
    schedule : {"halving", "theorem"}
        Halve the step from stage to stage, or use the theorem's constants, with which it grows after the first stage.
    delta : float
        Probability, above 0 and below 1, with which the theorem's bound may fail: a smaller one makes D and the
        theorem's later steps larger.
    statistics : {"data", "running", "stage"}
        Use the class means and the share of positives of all rows, of the rows visited so far, or of those visited
        since the stage began. The last two are published.
    horizon : int or None
        Rows in a pass. None means those of the table or, in a stream, of the batch; for a stream give the number of
        rows expected in all.
    batch_size : int or None
        Rows per step. None means columns over nonzeros of a row.
    centre : bool
        Subtract the midpoint of the class means from the rows; False as published.
    row_scaling : bool
        Divide the rows by their root mean square norm, which makes eta independent of their units; False as
        published.
    max_epochs, tol
        See `Solver`. With a ball, the gap is of first order in the distance to the optimum: at a gap of a tenth of
        the objective, the objective itself is within hundredths or thousandths of the minimum.
    """

    radius: float | None = None
    eta: float | None = None
    schedule: str = "halving"
    delta: float = 0.1
    statistics: str = "data"
    horizon: int | None = None
    batch_size: int | None = None
    centre: bool = True
    row_scaling: bool = True
    max_epochs: int = 100
    tol: float = 0.1

    parameter_constraints: ClassVar[Constraints] = {
        "radius": [None, POSITIVE],
        "eta": [None, POSITIVE],
        "schedule": [Option("halving", "theorem")],
        "delta": [Number(0, 1, open="both")],
        "statistics": [Option("data", "running", "stage")],
        "horizon": [None, COUNT],
        "batch_size": [None, Integer(1)],
        "centre": [Boolean()],
        "row_scaling": [Boolean()],
    }
    penalties = ("l2", "none")  # alpha determines the radius if none is given
    certificates = "doubling"
    online = True

    def constrained(self, problem: Problem) -> Problem:
        """The problem of the loss alone inside the ball."""
        return in_ball(problem, self.radius, norm=1)

    def init(self, problem: Problem, w: np.ndarray) -> FSAUCState:
        w = self.constrained(problem).penalty.prox(w, 0.0)  # projected onto the ball
        a, b = (float(score) for score in problem.data.means @ w)
        v = Point(w, a, b)
        seen = RowsSeen()
        before = Stage(-1, (), 0, 0, v, b - a, seen, v, 0)
        return FSAUCState(w, 0.0, v, b - a, w, before, 0.0, seen, np.zeros((2, w.size)))

    def epoch(self, problem: Problem, state: FSAUCState, rng: np.random.Generator) -> FSAUCState:
        problem = self.constrained(problem)
        data = problem.data
        order = shuffled_blocks(data, rng)
        scaling = RowScaling.of(data, centred=self.centre, scaled=self.row_scaling)
        state = replace(state, kappa=max(state.kappa, scaling.unit * sqrt(scaling.norms.max())))
        while order.size:
            state = self._with_stage(state, data.n)
            rows = order[: state.stage.left]
            state = self._visit(problem, state, rows, scaling)
            order = order[rows.size :]
        return replace(state, passes=state.passes + 1)

    def certify(self, problem: Problem, state: FSAUCState) -> tuple[float, float]:
        return self.constrained(problem).certify(state.w)

    def _with_stage(self, state: FSAUCState, n: int) -> FSAUCState:
        """The state at the start of the next stage, if the last one has ended."""
        stage = state.stage
        if stage.left > 0:
            return state
        passes = stage.passes
        sizes = stage.sizes
        number = stage.number + 1
        if number >= len(sizes):
            passes = passes + 1
            sizes = stage_sizes(self.horizon or n)
            number = 0
            state = replace(state, mean=state.w)
        nothing = Point(np.zeros_like(state.v.w), 0.0, 0.0)
        fresh = Stage(passes, sizes, number, sizes[number], state.v, state.al, state.seen, nothing, 0)
        state = replace(state, stage=fresh)
        return replace(state, seen=RowsSeen(), sums=0.0 * state.sums) if self.statistics == "stage" else state

    def _step_and_limits(self, problem: Problem, state: FSAUCState, scaling: RowScaling) -> tuple[float, StageLimits]:
        """The step and the limits of the current stage, for rows x'."""
        data = problem.data
        ball: Any = problem.penalty
        stage = state.stage
        n0 = sum(stage.sizes) // len(stage.sizes)
        R, kappa = ball.radius * scaling.unit, state.kappa / scaling.unit
        all_rows = (data.raw_moments.pos.weight, data.raw_moments.neg.weight)
        seen = all_rows if self.statistics == "data" else stage.seen
        growth, limits = stage_limits(stage.number, n0, R, kappa, seen, self.delta)
        if self.schedule == "halving":
            eta = self.eta or 2.0 / scaling.curvature(mini_batch(data, self.batch_size))
        else:
            eta = growth * (self.eta or first_step(n0, R, kappa, paper_factor(data)))
        return eta / 2.0**stage.number / sqrt(stage.passes + 1), limits

    def _visit(self, problem: Problem, state: FSAUCState, rows: np.ndarray, scaling: RowScaling) -> FSAUCState:
        """Visit rows of the current stage."""
        data = problem.data
        stage = state.stage
        eta, limits = self._step_and_limits(problem, state, scaling)
        running = self.statistics != "data"
        if running:
            scaling = scaling.with_running_prior(data, rows, state.seen)
        start, v, total = (point.for_rows(scaling) for point in (stage.start, state.v, stage.total))
        arrays = (start, stage.start_al, v, state.al, total)
        size = mini_batch(data, self.batch_size)
        al, steps = _stage(data.rows, data.y, rows, size, scaling, limits, eta, *arrays)
        stage = stage._replace(left=stage.left - rows.size, total=Point.of(total, scaling), steps=stage.steps + steps)
        state = replace(state, v=Point.of(v, scaling), al=al, stage=stage, seen=state.seen.after(data, rows))
        if running:
            state = replace(state, sums=state.sums + _class_sums(data, rows))
        return self._with_result(state, data)

    def _with_result(self, state: FSAUCState, data: Data) -> FSAUCState:
        """The state with the mean of the current stage as its result and, if that has ended, as its next start."""
        stage = state.stage
        v = Point._make(part / stage.steps for part in stage.total)
        w = state.mean + 2.0 / (stage.passes + 2) * (v.w - state.mean)
        state = replace(state, w=w)
        if stage.left > 0:
            return state
        delta = data.delta if self.statistics == "data" else state.delta
        return replace(state, v=v, al=state.al if delta is None else -float(v.w @ delta))


def _class_sums(data: Data, rows: np.ndarray) -> np.ndarray:
    """Weighted sums of the positive and of the negative ones among these rows."""
    weight = np.zeros(data.n)
    weight[rows] = data.weight[rows]
    return np.stack([data.combine(weight * (data.y > 0)), data.combine(weight * (data.y < 0))])


@compiled
def _stage(X, y, order, size, scaling, limits, eta, start, start_al, v, al, total):
    """Visit the rows: (w, a, b) and the sum of its iterates change in place; returns al and the number of steps."""
    dim = v.size - 2
    batches = (order.size + size - 1) // size
    dq = np.empty(size)
    for part in range(batches):
        rows = order[part * order.size // batches : (part + 1) * order.size // batches]
        a, b, al = saddle_step(X, y, rows, scaling, eta, 0.0, v, v[dim], v[dim + 1], al, dq)
        v[dim], v[dim + 1] = a, b
        al = clip(start_al + clip(al - start_al, limits.dual), 2.0 * limits.bound)
        project(v, start, limits)
        for j in range(v.size):
            total[j] += v[j]
    return al, batches
