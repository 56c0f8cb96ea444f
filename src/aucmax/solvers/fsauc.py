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

D_k, beta_k and G are in `_theorem`. The projection is exact: the nearest point of the first set to
(1 - s) v + s v_{k-1}, with s found by bisection (alternating projections converge to some point of the intersection,
not to the nearest). Every step changes every column, so that no O(nonzeros) form exists: steps take mini-batches,
with one O(dim) projection each. The paper makes one pass. Here an epoch is such a pass; the next one starts where the
last one ended, with steps divided by the root of its number, and pass k has weight k in the mean of their results.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, log2, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, Promise, Solver, State
from aucmax.solvers.shared.saddle_function import (
    RowScaling,
    clip,
    in_ball,
    l1_threshold,
    mini_batch,
    saddle_step,
    soft_threshold_in_place,
)
from aucmax.solvers.shared.visiting_order import shuffled_blocks
from aucmax.validation.params import Boolean, Integer, Option

HALVINGS = 60  # of [0, 1] in the bisection


class StageLimits(NamedTuple):
    """The sets on which a stage projects."""

    l1: float  # radius of the l1 ball
    bound: float  # R kappa, on |a| and |b|
    around: float  # radius of the ball around the start
    dual: float  # D, the same for al


@dataclass(frozen=True, eq=False)
class FSAUCState(State):
    """The mean of the passes so far, which is returned, and the point at the end of the last one."""

    last: np.ndarray  # its w
    a: float  # mean score of the positives
    b: float  # mean score of the negatives
    al: float  # dual variable


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
    batch_size : int or None
        Rows per step. None means columns over nonzeros of a row.
    centre : bool
        Subtract the midpoint of the class means from the rows.
    max_epochs, tol
        See `Solver`. With a ball, the gap is of first order in the distance to the optimum: at a gap of a tenth of
        the objective, the objective itself is within hundredths or thousandths of the minimum.
    """

    radius: float | None = None
    eta: float | None = None
    schedule: str = "halving"
    batch_size: int | None = None
    centre: bool = True
    max_epochs: int = 100
    tol: float = 0.1

    parameter_constraints: ClassVar[Constraints] = {
        "radius": [None, POSITIVE],
        "eta": [None, POSITIVE],
        "schedule": [Option("halving", "theorem")],
        "batch_size": [None, Integer(1)],
        "centre": [Boolean()],
    }
    penalties = ("l2", "none")  # alpha determines the radius if none is given
    promise = Promise(gap=0.2, epochs=300, in_ball=True)
    stochastic = True
    sublinear = True

    def adapt(self, problem: Problem) -> Problem:
        return in_ball(problem, self.radius, norm=1)

    def init(self, problem: Problem, w: np.ndarray) -> FSAUCState:
        w = problem.penalty.prox(w, 0.0)  # projected onto the ball
        a, b = (float(score) for score in problem.data.means @ w)
        return FSAUCState(w, 0.0, w, a, b, b - a)

    def epoch(self, problem: Problem, state: FSAUCState, rng: np.random.Generator) -> FSAUCState:
        data = problem.data
        scaling = RowScaling.of(data, self.centre)
        size = mini_batch(data, self.batch_size)
        height = float(state.last @ scaling.centre)
        v = np.append(state.last * scaling.unit, [state.a - height, state.b - height])
        al = state.al
        order = shuffled_blocks(data.n, rng)
        stages = self._stages(problem, scaling, size)
        for rows, (eta, limits) in zip(np.array_split(order, len(stages)), stages, strict=True):
            v = _stage(data.rows, data.y, rows, size, scaling, limits, eta / sqrt(state.passes + 1), v, al)
            al = -float(v[:-2] @ data.delta) / scaling.unit
        last = v[:-2] / scaling.unit
        height = float(last @ scaling.centre)
        share = 2.0 / (state.passes + 2)
        mean = state.w + share * (last - state.w)
        return FSAUCState(mean, state.passes + 1, last, float(v[-2]) + height, float(v[-1]) + height, al)

    def _stages(self, problem: Problem, scaling: RowScaling, size: int) -> list[tuple[float, StageLimits]]:
        """Step and limits of every stage, for rows x'."""
        ball: Any = problem.penalty
        n = problem.data.n
        R = ball.radius * scaling.unit
        kappa = sqrt(scaling.norms.max())
        number = max(1, int(0.5 * log2(2.0 * n / log2(n))) - 1)
        first, later, D = _theorem(problem, R, kappa, n // number)
        halving = self.schedule == "halving"
        eta = self.eta or (2.0 / scaling.curvature(size) if halving else first)
        stages = []
        for k in range(number):
            around = 2.0 * sqrt(1.0 + 2.0 * kappa**2) * R / 2.0**k
            step = eta / 2.0**k * (1.0 if halving or k == 0 else later)
            dual = 2.0 * sqrt(2.0) * kappa * around + (D if k > 0 else 0.0)
            stages.append((step, StageLimits(R, R * kappa, around, dual)))
        return stages


def _theorem(problem: Problem, R: float, kappa: float, n0: int) -> tuple[float, float, float]:
    """The theorem's eta_1, its sqrt(beta_k / beta_0), and the term that D_k adds to 2 sqrt(2) kappa R_k, for k > 0.

    Its delta is 0.1. With few rows, or a rare class, xi is not positive: then beta is constant and D infinite.
    """
    weights = (problem.data.raw_moments.pos.weight, problem.data.raw_moments.neg.weight)
    p = weights[0] / sum(weights)
    deviation = sqrt(2.0 * log(12.0 / 0.1))
    xi = min(p, 1.0 - p) - deviation / sqrt(n0)
    beta = 1.0 + 8.0 * kappa**2
    G = kappa * max(
        (1.0 + 4.0 * kappa) * (R + 1.0),
        2.0 * (2.0 * R + 1.0 + 2.0 * R * kappa),
        2.0 * (4.0 * R * kappa + 11.0 * R + 1.0),
    )
    R0 = 2.0 * sqrt(1.0 + 2.0 * kappa**2) * R
    eta = 2.0 * p * (1.0 - p) * sqrt(beta) * R0 / ((G or 1.0) * sqrt(2.0 * n0))  # 2p(1-p): the scale of the paper
    if xi <= 0:
        return eta, 1.0, inf
    spread = kappa * (1.0 + 2.0 * kappa) * (2.0 + deviation)
    return eta, sqrt(1.0 + 32.0 * spread**2 / (xi * beta)), 4.0 * sqrt(2.0) * spread * R / sqrt(xi * n0)


@compiled
def _stage(X, y, order, size, scaling, limits, eta, v, al):
    """The mean of the iterates of (w, a, b), starting from v, which is not modified."""
    start = v
    start_al = al
    dim = v.size - 2
    v = start.copy()
    mean = np.zeros(v.size)
    batches = (order.size + size - 1) // size
    dq = np.empty(size)
    for part in range(batches):
        rows = order[part * order.size // batches : (part + 1) * order.size // batches]
        a, b, al = saddle_step(X, y, rows, scaling, eta, 0.0, v, v[dim], v[dim + 1], al, dq)
        v[dim], v[dim + 1] = a, b
        al = clip(start_al + clip(al - start_al, limits.dual), 2.0 * limits.bound)
        project(v, start, limits)
        for j in range(v.size):
            mean[j] += v[j] / batches
    return mean


@compiled
def project(v, start, limits):
    """Move v to the nearest point within the limits and within limits.around of start."""
    free = v.copy()
    _bounded(v, limits)
    if _distance(v, start) <= limits.around:
        return
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        s = 0.5 * (low + high)
        for j in range(v.size):
            v[j] = (1.0 - s) * free[j] + s * start[j]
        _bounded(v, limits)
        if _distance(v, start) > limits.around:
            low = s
        else:
            high = s


@compiled
def _bounded(v, limits):
    """Project (w, a, b) onto the l1 ball and the bounds on a and b."""
    dim = v.size - 2
    soft_threshold_in_place(v, dim, l1_threshold(v, dim, limits.l1))
    v[dim] = clip(v[dim], limits.bound)
    v[dim + 1] = clip(v[dim + 1], limits.bound)


@compiled
def _distance(v, start):
    total = 0.0
    for j in range(v.size):
        total += (v[j] - start[j]) ** 2
    return sqrt(total)
