"""AdaOAM: OPAUC's gradients with a step of its own for every column.

    Ding, Zhao, Hoi, Ong. "An Adaptive Gradient Method for Online AUC Maximization." AAAI 2015.

Row by row, with g of onepass.py, the gradient of the squared loss against all rows of the other class so far,

    q <- q + g^2,    h = delta + sqrt(q),    w <- w - eta g / h                            (for each column)
    w <- h w / (h + nu),   nu >= 0 with |w| = R, if |w| > R = 1/sqrt(l2)                   projection in the norm of h

as the penalised minimiser lies in that ball: P(0) = 1/2. Only the sum of squares is kept, no gradient. It grows for
ever, so that in a stream that drifts the steps become too small; with a decay below 1, q <- decay q + g^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.opauc import check_full
from aucmax.solvers.shared.onepass import (
    ORDERS,
    ClassStatistics,
    absorb,
    check_choice,
    pair_gradient,
    spread_out,
    step_weights,
    visits,
)
from aucmax.validation.params import check_number, check_positive, check_share

COVARIANCES = ("full", "diagonal")
NEWTON_STEPS = 100  # more than the projection ever takes


class Adaptive(NamedTuple):
    """Weights (the answer), passes, last and average iterate, sums of squares, steps so far, class statistics."""

    w: np.ndarray
    passes: float
    last: np.ndarray
    average: np.ndarray
    squares: np.ndarray
    t: int
    statistics: ClassStatistics


class Rule(NamedTuple):
    """What does not change in an epoch: penalty, radius of the ball, step, delta, decay, whether to average."""

    l2: float
    radius: float
    eta: float
    delta: float
    decay: float
    average: bool


@dataclass(repr=False, kw_only=True)
class AdaOAM(Solver):
    """Adaptive online AUC maximisation for the squared loss and L2: a baseline for streams.

    A stream that begins with one class alone has none to pair its rows with: once the other class comes, only the
    latest 1000 rows that waited are met.

    Parameters
    ----------
    covariance : {"full", "diagonal"}
        Of the classes: the matrix, for up to 2000 columns, or its diagonal, as if columns were uncorrelated.
    eta : float or None
        Size of the first steps, in each column. None takes 0.05, or a tenth of the radius of the ball where that is
        less: else a column of huge values, whose penalty is huge, is thrown from one end of it to the other.
    delta : float
        Added to the root of the sum of squares.
    decay : float
        Above 0 and at most 1: what is left of the sum of squares after each row. 1 as published; 0.999 for streams
        that drift, which forgets in about 1000 rows.
    average : bool
        Return the average of the iterates, weighted by t, instead of the last one.
    order : {"shuffled", "stream"}
        Visit the rows in shuffled blocks, or as they come.
    max_epochs, tol
        See `Solver`. One pass does not reach a small tol; the ranking is near the best long before.
    """

    covariance: str = "full"
    eta: float | None = None
    delta: float = 1e-6
    decay: float = 1.0
    average: bool = False
    order: str = "shuffled"
    max_epochs: int = 1

    stochastic = True
    fixed = ("covariance",)
    online = True
    certified = False
    penalties = ("l2", "none")

    def adapt(self, problem: Problem) -> Problem:
        check_number("delta", self.delta)
        check_positive(eta=self.eta)
        check_share(decay=self.decay)
        check_choice(covariance=(self.covariance, COVARIANCES), order=(self.order, ORDERS))
        check_full(self.covariance, problem.data.dim, "'diagonal', or solver='opauc' with covariance='sketched'")
        return problem

    def init(self, problem: Problem, w: np.ndarray) -> Adaptive:
        statistics = ClassStatistics.start(w.size, full=self.covariance == "full")
        return Adaptive(w, 0.0, w, w, np.zeros_like(w), 0, statistics)

    def rescaled(self, state: Adaptive, ratio: np.ndarray) -> Adaptive:
        return state._replace(statistics=state.statistics.rescaled(ratio))

    def epoch(self, problem: Problem, state: Adaptive, rng: np.random.Generator) -> Adaptive:
        data, l2 = problem.data, problem.penalty.l2
        radius = 1.0 / sqrt(l2) if l2 > 0 else inf
        rule = Rule(l2, radius, self.eta or min(0.05, 0.1 * radius), self.delta, self.decay, self.average)
        order, sizes = visits(self.order, data.n, rng), (data.weight, step_weights(data))
        iterates = (state.last.copy(), state.average.copy(), state.squares.copy())
        statistics, room = state.statistics.copy(), (np.empty(data.dim), np.empty(data.dim))
        t = _epoch(data.rows, data.y, *sizes, order, rule, state.t, *iterates, statistics, room)
        return Adaptive(iterates[1 if self.average else 0], state.passes + 1.0, *iterates, t, statistics)


@compiled
def _epoch(X, y, weight, relative, order, rule, t, w, average, squares, statistics, room):
    x, g = room
    total, mean, scatter, trace = statistics
    for i in order:
        spread_out(X, i, x)
        if total[0 if y[i] > 0 else 1] > 0.0:
            t += 1
            pair_gradient(x, y[i], rule.l2, w, total, mean, scatter, trace, g)
            eta, norm2 = rule.eta * relative[i], 0.0
            for j in range(w.size):
                squares[j] = rule.decay * squares[j] + relative[i] * g[j] * g[j]
                w[j] -= eta * g[j] / (rule.delta + sqrt(squares[j]))
                norm2 += w[j] * w[j]
            if norm2 > rule.radius**2:
                project(w, squares, rule.delta, rule.radius)
            if rule.average:
                for j in range(w.size):
                    average[j] += (w[j] - average[j]) * (2.0 / (t + 1.0))
        absorb(x, y[i], weight[i], total, mean, scatter, trace)
    return t


@compiled
def project(w, squares, delta, radius):
    """Nearest point with |w| <= radius in the norm of h: Newton's method on 1/|w(nu)|, which never overshoots."""
    nu = 0.0
    for _ in range(NEWTON_STEPS):
        norm2, slope = 0.0, 0.0
        for j in range(w.size):
            h = delta + sqrt(squares[j])
            part = w[j] / (1.0 + nu / h)
            norm2 += part * part
            slope += part * part / (h + nu)
        if norm2 <= radius**2 * (1.0 + 1e-12) or slope <= 0.0:
            break
        nu += (sqrt(norm2) / radius - 1.0) * norm2 / slope
    for j in range(w.size):
        w[j] /= 1.0 + nu / (delta + sqrt(squares[j]))
