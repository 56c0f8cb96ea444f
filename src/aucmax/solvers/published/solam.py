"""SOLAM: stochastic online AUC maximisation, by gradient steps on a saddle function.

    Ying, Wen, Lyu. "Stochastic Online AUC Maximization." NIPS 2016.                     SOLAM: l2 ball
    Natole, Ying, Lyu. "Stochastic AUC Optimization Algorithms With Linear
    Convergence." Front. Appl. Math. Stat. 2019; Natole's dissertation, 2020.             SOLAM-l1, regSOLAM

Row by row, with F_i and x' as in saddle_function.py, eta_t = min(1/L, zeta / sqrt(t)) and kappa = max |x'|,

    (w, a, b) <- project[(w, a, b) - eta_t dF_i],    |w| <= R, |a|, |b| <= R kappa
    al <- clip(al + eta_t dF_i/dal, -2 R kappa, 2 R kappa)                       (ascent)
    result: sum_t c_t w_t / sum_t c_t over the w_t before the steps,   c_t = eta_t t^tilt    (published: tilt = 0)

Published are steps of gamma_t = c / sqrt(t) without the 1/L, and the share p_t of positives so far (Algorithm 10):
capped=False, prior="running", tilt=0 and zeta = 2 p (1-p) c, since their F is 2p(1-p) times ours.

For the penalised objective R is the smaller of 1/(2 sqrt(l2)) and 1/(4 l1): the minimiser always lies in that ball,
since there l1 |w|_1 + l2 |w|^2 = m - m^2 - w'Sw <= 1/4, with m = w.delta. Printed is R = sqrt(2 / lambda), where
lambda = 2p(1-p) l2: a far larger ball.

In the l2 ball a step costs O(nonzeros of x_i): w = s v + k centre, with |w|^2 and w.centre tracked, and the
weighted sum of the iterates kept as total + C v + K centre (C += c_t s, and total -= C D whenever v += D). The l1
ball and an l1 penalty change every column in every step, so that no such form exists: there, steps take mini-batches,
with one O(dim) projection each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar, NamedTuple, cast

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.penalties import Ball, ElasticNet
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, Solver, State
from aucmax.solvers.published.saddle_function import (
    RowScaling,
    RowsSeen,
    clip,
    in_ball,
    l1_threshold,
    mini_batch,
    project_on_l2_ball,
    saddle_step,
    slopes,
    soft_threshold_in_place,
    uncorrelated_minimiser,
)
from aucmax.solvers.published.step_sizes import paper_factor
from aucmax.solvers.visiting_order import shuffled_blocks
from aucmax.validation.params import Boolean, Integer, Number, Option

NORMS = {"l2_ball": 2, "l1_ball": 1}
SMALL = 1e-4  # s below which v is multiplied out: total + C v would suffer from cancellation


class SOLAMConstants(NamedTuple):
    """The constants of an epoch, for rows x'."""

    l1: float  # strength of the l1 penalty
    l2: float  # strength of the L2 penalty
    norm: int  # of the ball, 1 or 2
    radius: float  # of the ball
    bound: float  # R kappa, on |a| and |b|
    zeta: float  # steps are zeta / sqrt(t)
    cap: float  # upper bound on the steps
    tilt: float  # exponent of t in the weights of the average


class SaddleVariables(NamedTuple):
    """The scalars that change in an epoch."""

    t: int  # steps so far
    weight: float  # total weight of the iterates in the average
    a: float  # mean score of the positives
    b: float  # mean score of the negatives
    al: float  # dual variable

    def shifted(self, score: float) -> SaddleVariables:
        """The variables after a translation of the rows, which shifts the scores a and b."""
        return self._replace(a=self.a + score, b=self.b + score)


@dataclass(frozen=True, eq=False)
class SOLAMState(State):
    """The average of the iterates, which is returned, and the saddle point so far."""

    last: np.ndarray  # the last iterate
    total: np.ndarray  # weighted sum of the iterates
    saddle: SaddleVariables  # a, b and al, for rows that are not centred
    kappa: float  # largest |x - centre|
    seen: RowsSeen  # rows visited so far, for the running prior


@dataclass(repr=False, kw_only=True)
class SOLAM(Solver):
    """Stochastic online AUC maximisation, for the squared loss: for streams, and for comparison.

    Parameters
    ----------
    form : {"regularised", "l2_ball", "l1_ball"}
        Minimise the penalised objective (regSOLAM), or the loss alone inside a ball (SOLAM, SOLAM-l1). Objective
        and gap are those of the chosen problem.
    radius : float, "printed" or None
        Radius of the ball. None means 1.5 times the norm that the weights would have with uncorrelated columns and
        an L2 penalty of the same alpha. For the regularised form, None means the smallest ball that is known to
        contain the minimiser, and "printed" the ball of the dissertation; a number is refused.
    zeta : float or None
        Steps are zeta/sqrt(t), for rows of unit size. None means twice the typical |w| over the root mean square of
        the first gradients.
    capped : bool
        Never take steps above 1/L. False as published.
    prior : {"data", "running"}
        Use the share of positives among all rows, or among the rows visited so far, as published.
    batch_size : int or None
        Rows per step in the l1 ball and with an l1 penalty. None means columns over nonzeros of a row.
    centre : bool
        Subtract the midpoint of the class means from the rows; False as published.
    row_scaling : bool
        Divide the rows by their root mean square norm, which makes zeta independent of their units; False as
        published.
    tilt : float
        Iterate t has weight eta_t t^tilt in the average; 0 as published, 1 forgets the start sooner. At most 16.
    max_epochs, tol
        See `Solver`. A method with this rate does not reach a small tol; the ranking settles long before.
    """

    form: str = "regularised"
    radius: float | str | None = None
    zeta: float | None = None
    capped: bool = True
    prior: str = "data"
    batch_size: int | None = None
    centre: bool = True
    row_scaling: bool = True
    tilt: float = 1.0
    max_epochs: int = 100
    tol: float = 1e-2

    parameter_constraints: ClassVar[Constraints] = {
        "form": [Option("regularised", *NORMS)],
        "radius": [None, Option("printed"), POSITIVE],
        "zeta": [None, POSITIVE],
        "capped": [Boolean()],
        "prior": [Option("data", "running")],
        "batch_size": [None, Integer(1)],
        "centre": [Boolean()],
        "row_scaling": [Boolean()],
        "tilt": [Number(0, 16)],  # so that t^tilt is finite for every t below 1e19
    }
    certificates = "doubling"
    online = True

    def check_settings(self) -> None:
        super().check_settings()
        if (self.form == "regularised") != (self.radius == "printed") and self.radius is not None:
            allowed = "None or 'printed'" if self.form == "regularised" else "None or a finite number above 0"
            raise ValueError(f"radius={self.radius!r} with form={self.form!r}; give {allowed}")

    def constrained(self, problem: Problem) -> Problem:
        """The penalised problem, or that of the loss alone inside the ball."""
        if self.form != "regularised":
            return in_ball(problem, cast(float | None, self.radius), NORMS[self.form])
        if problem.penalty.l1 + problem.penalty.l2 <= 0:
            raise ValueError("form='regularised' needs a penalty; give alpha > 0, or form='l2_ball' or 'l1_ball'")
        return problem

    def init(self, problem: Problem, w: np.ndarray) -> SOLAMState:
        w = self.constrained(problem).penalty.prox(w, 0.0)  # projected onto the ball, if there is one
        a, b = (float(score) for score in problem.data.means @ w)
        return SOLAMState(w, 0.0, w, np.zeros_like(w), SaddleVariables(0, 0.0, a, b, b - a), 0.0, RowsSeen())

    def epoch(self, problem: Problem, state: SOLAMState, rng: np.random.Generator) -> SOLAMState:
        problem = self.constrained(problem)
        data = problem.data
        order = shuffled_blocks(data, rng)
        by_rows = problem.penalty.l1 == 0 and _norm(problem) == 2
        size = 1 if by_rows else mini_batch(data, self.batch_size)
        # convert to the units of the rows x'
        scaling = RowScaling.of(data, centred=self.centre, scaled=self.row_scaling)
        kappa = max(state.kappa, scaling.unit * sqrt(scaling.norms.max()))
        constants = self._constants(problem, scaling, kappa, size)
        if self.prior == "running":
            scaling = scaling.with_running_prior(data, order, state.seen)
        v = state.last * scaling.unit
        total = state.total * scaling.unit
        saddle = state.saddle.shifted(-float(state.last @ scaling.centre))
        # take the steps
        if by_rows:
            after = _row_steps(data.rows, data.y, order, scaling, constants, saddle, v, total)
        else:
            after = _batch_steps(data.rows, data.y, order, size, scaling, constants, saddle, v, total)
        # convert back
        v /= scaling.unit
        total /= scaling.unit
        saddle = SaddleVariables(*after).shifted(float(v @ scaling.centre))
        seen = state.seen.after(data, order)
        return SOLAMState(total / saddle.weight, state.passes + 1, v, total, saddle, kappa, seen)

    def certify(self, problem: Problem, state: SOLAMState) -> tuple[float, float]:
        return self.constrained(problem).certify(state.w)

    def _enclosing_radius(self, data: Data, penalty: ElasticNet) -> float:
        """Radius of an l2 ball that contains the penalised minimiser."""
        by_l1 = 0.25 / penalty.l1 if penalty.l1 > 0 else inf
        by_l2 = 0.5 / sqrt(penalty.l2) if penalty.l2 > 0 else inf
        if self.radius == "printed":
            return 2.0 * by_l2 * sqrt(2.0 / paper_factor(data))
        return min(by_l1, by_l2)

    def _constants(self, problem: Problem, scaling: RowScaling, kappa: float, size: int) -> SOLAMConstants:
        """The constants of an epoch with mini-batches of the given size, in the units of the rows x'."""
        penalty = problem.penalty
        unit = scaling.unit
        radius = penalty.radius if isinstance(penalty, Ball) else self._enclosing_radius(problem.data, penalty)
        typical = unit * min(radius, float(np.linalg.norm(uncorrelated_minimiser(problem))))
        cap = 1.0 / (scaling.curvature(size) + penalty.l2 / unit**2)
        return SOLAMConstants(
            l1=penalty.l1 / unit,
            l2=penalty.l2 / unit**2,
            norm=_norm(problem),
            radius=radius * unit,
            bound=radius * kappa,
            zeta=self.zeta or 2.0 * typical / _first_gradient(problem.data, scaling, size) or cap,
            cap=cap if self.capped else inf,
            tilt=self.tilt,
        )


def _norm(problem: Problem) -> int:
    return problem.penalty.norm if isinstance(problem.penalty, Ball) else 2


def _first_gradient(data: Data, scaling: RowScaling, size: int) -> float:
    """Root mean square over mini-batches of the gradient at w = 0, which is -y_i e_i x'_i for a single row."""
    pos, neg = data.raw_moments.pos.weight, data.raw_moments.neg.weight
    single = (pos + neg) * (scaling.squares[0] / pos + scaling.squares[1] / neg)
    mean = float(data.delta @ data.delta) / scaling.unit**2
    return sqrt(single / size + mean * (1.0 - 1.0 / size)) or 1.0


@compiled
def _row_steps(X, y, order, scaling, constants, saddle, v, total):
    t, weight, a, b, al = saddle
    s, k = 1.0, 0.0
    C, K = 0.0, 0.0
    norm2, height = 0.0, 0.0  # |w|^2 and w.centre
    for j in range(v.size):
        norm2 += v[j] * v[j]
        height += v[j] * scaling.centre[j]
    for i in order:
        t += 1
        eta = min(constants.cap, constants.zeta / sqrt(t))
        share = eta * t**constants.tilt
        weight += share
        C += share * s
        K += share * k
        q = (s * row_dot(X, i, v) + k * scaling.along[i] - height) / scaling.unit
        dq, da, db, dal = slopes(y[i], scaling.e[i], scaling.c[i], q, a, b, al)
        a = clip(a - eta * da, constants.bound)
        b = clip(b - eta * db, constants.bound)
        al = clip(al + eta * dal, 2.0 * constants.bound)
        shrink = 1.0 - eta * constants.l2
        step = eta * dq / scaling.unit
        s *= shrink
        k = shrink * k + step
        height = shrink * height - step * (scaling.along[i] - scaling.square)
        norm2 = shrink * (shrink * norm2 - 2.0 * eta * dq * q) + (eta * dq) ** 2 * scaling.norms[i]
        if abs(s) < SMALL:
            for j in range(v.size):
                total[j] += C * v[j]
                v[j] *= s
            s, C = 1.0, 0.0
        row_axpy(X, i, -step / s, v)
        row_axpy(X, i, C * step / s, total)
        if norm2 > constants.radius * constants.radius:
            inside = constants.radius / sqrt(norm2)
            s *= inside
            k *= inside
            height *= inside
            norm2 = constants.radius * constants.radius
    for j in range(v.size):
        total[j] += C * v[j] + K * scaling.centre[j]
        v[j] = s * v[j] + k * scaling.centre[j]
    return t, weight, a, b, al


@compiled
def _batch_steps(X, y, order, size, scaling, constants, saddle, v, total):
    t, weight, a, b, al = saddle
    batches = (order.size + size - 1) // size
    dq = np.empty(size)
    for part in range(batches):
        rows = order[part * order.size // batches : (part + 1) * order.size // batches]
        t += 1
        eta = min(constants.cap, constants.zeta / sqrt(t))
        share = eta * t**constants.tilt
        weight += share
        for j in range(v.size):
            total[j] += share * v[j]
        a, b, al = saddle_step(X, y, rows, scaling, eta, constants.l2, v, a, b, al, dq)
        a = clip(a, constants.bound)
        b = clip(b, constants.bound)
        al = clip(al, 2.0 * constants.bound)
        if constants.norm == 1:
            soft_threshold_in_place(v, v.size, l1_threshold(v, v.size, constants.radius))
        else:
            soft_threshold_in_place(v, v.size, eta * constants.l1)
            project_on_l2_ball(v, constants.radius)
    return t, weight, a, b, al
