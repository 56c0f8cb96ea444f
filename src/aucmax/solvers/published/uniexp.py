"""Uni-Exp: the exponential loss of single rows, which has the same minimiser as the exponential loss of pairs.

    Kotlowski, Dembczynski, Huellermeier. "Bipartite Ranking through Minimization of Univariate Loss." ICML 2011.

The loss factorises, E[exp(-w.(x - x'))] = E+[exp(-w.x)] E-[exp(w.x')], and over a free bias b the mean of the two
terms E+[exp(-w.x - b)] and E-[exp(w.x' + b)] has the root of that product as its minimum. Row by row, with p_y the
share of the row's class in the weight so far, and x' = x - centre (the midpoint of the class means; only b changes),

    k = exp(-y (w.x' + b)) / (2 p_y),    eta_t = eta / sqrt(t)
    w <- w / (1 + eta_t l2 / (2 U)) + eta_t k y x',    b <- b + eta_t k y

U is the root of the loss of pairs, estimated from running means of exp(-y (w.x' + b)) in both classes: the gradient
of the loss is 2 U times that of its root. The published penalty lacks this factor, w <- w / (1 + eta_t l2) + ..., and
minimises the loss of rows plus l2/2 |w|^2: over b, that is the root of the loss of pairs plus the same. The
exponent is kept within +-30, and eta_t k so small that the score of the row itself moves by no more than 5. With
w = f v + c centre, and w.centre tracked, a step costs O(nonzeros of x), regardless of dim.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt
from typing import ClassVar

import numpy as np

from aucmax.losses import Exponential
from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, State
from aucmax.solvers.published.one_pass import OnePassSolver, relative_weights, total_variance
from aucmax.validation.params import Boolean, Option

SMALL = 1e-9  # f below which v is multiplied out
LARGEST_EXPONENT = 30.0
LARGEST_LOSS = 20.0  # of a row, in the running means
PRIOR = 10.0  # number of rows that the initial value of a running mean counts for
MEMORY = 1000.0  # number of rows over which a running mean averages
LARGEST_MOVE = 5.0  # of the score of a row, by its own step


@dataclass(frozen=True, eq=False)
class UniExpState(State):
    """The bias, and running sums and means of the negatives (0) and of the positives (1)."""

    b: float  # bias
    t: int  # steps so far
    total: np.ndarray  # weight of each class
    level: np.ndarray  # mean loss of each class


@dataclass(repr=False, kw_only=True)
class UniExp(OnePassSolver):
    """Online minimisation of the exponential loss with L2: a baseline for streams, and for sparse rows.

    Parameters
    ----------
    eta : float or None
        Steps are eta/sqrt(t). None means 1 over the mean of |x'|^2 + 1.
    centre : bool
        Subtract the midpoint of the class means from the rows. The minimiser is the same; columns far from zero
        are learned much sooner.
    penalised : {"pair_loss", "row_loss"}
        What the penalty is added to: the loss of pairs, which is the objective, or the loss of rows, as published.
        Objective and gap are those of the loss of pairs in both cases.
    order, max_epochs, tol
        See `OnePassSolver`.
    """

    eta: float | None = None
    centre: bool = True
    penalised: str = "pair_loss"

    parameter_constraints: ClassVar[Constraints] = {
        "eta": [None, POSITIVE],
        "centre": [Boolean()],
        "penalised": [Option("pair_loss", "row_loss")],
    }
    losses = (Exponential,)

    def init(self, problem: Problem, w: np.ndarray) -> UniExpState:
        return UniExpState(w, 0.0, -float(w @ problem.data.centre), 0, np.zeros(2), np.ones(2))

    def epoch(self, problem: Problem, state: UniExpState, rng: np.random.Generator) -> UniExpState:
        data = problem.data
        centre = data.centre * self.centre
        along = data.centre_products if self.centre else np.zeros(data.n)
        norms = data.centred_norms if self.centre else data.squared_norms
        order = self.row_order(data, rng)
        eta = self.eta or 1.0 / (1.0 + _mean_square(data, centre))
        v = state.w.copy()
        total = state.total.copy()
        level = state.level.copy()
        b = state.b + float(v @ centre)
        rows = (data.rows, data.y, data.weight, relative_weights(data), order, norms, centre, along)
        of_pairs = self.penalised == "pair_loss"
        b, t = _epoch(*rows, problem.penalty.l2, of_pairs, eta, state.t, total, level, v, b)
        return UniExpState(v, state.passes + 1.0, b - float(v @ centre), t, total, level)


def _mean_square(data: Data, centre: np.ndarray) -> float:
    """Mean of |x - centre|^2 over all rows seen."""
    weights = np.array([data.raw_moments.pos.weight, data.raw_moments.neg.weight])
    distance = weights @ data.means / weights.sum() - centre
    return total_variance(data) + float(distance @ distance)


@compiled
def _epoch(X, y, weight, relative, order, norms, centre, along, l2, of_pairs, eta, t, total, level, v, b):
    f, c = 1.0, 0.0
    height, square = 0.0, 0.0
    for j in range(v.size):
        height += v[j] * centre[j]
        square += centre[j] * centre[j]
    for i in order:
        own = 1 if y[i] > 0 else 0
        total[own] += weight[i]
        if total[1 - own] == 0.0:
            continue
        t += 1
        eta_t = eta / sqrt(t)
        margin = y[i] * (f * row_dot(X, i, v) + c * along[i] - height + b)
        k = exp(min(max(-margin, -LARGEST_EXPONENT), LARGEST_EXPONENT))
        share = total[own] / (total[0] + total[1])
        fresh = min(relative[i] / min(t * share + PRIOR, MEMORY), 1.0)
        level[own] += fresh * (min(k, LARGEST_LOSS) - level[own])
        k *= 0.5 * relative[i] / share
        step = y[i] * min(eta_t * k, LARGEST_MOVE / (norms[i] + 1.0))
        per_gradient = 2.0 * sqrt(level[0] * level[1]) if of_pairs else 1.0
        shrink = 1.0 / (1.0 + eta_t * l2 / per_gradient)
        f *= shrink
        c = c * shrink - step
        height = height * shrink + step * (along[i] - square)
        b += step
        if f < SMALL:
            for j in range(v.size):
                v[j] *= f
            f = 1.0
        row_axpy(X, i, step / f, v)
    for j in range(v.size):
        v[j] = f * v[j] + c * centre[j]
    return b, t
