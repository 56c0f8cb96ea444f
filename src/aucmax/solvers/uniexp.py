"""Uni-Exp: the exponential loss of single rows, which leads to the minimiser of the exponential loss of pairs.

    Kotlowski, Dembczynski, Hullermeier. "Bipartite Ranking through Minimization of Univariate Loss." ICML 2011.

Pairs factorise, E[exp(-w.(x - x'))] = E+[exp(-w.x)] E-[exp(w.x')], and over a free bias b the mean of the two terms
E+[exp(-w.x - b)] and E-[exp(w.x' + b)] has the root of that product as its minimum. Row by row, with p_y the share
of the row's class in the weight so far, and x' = x - centre, the middle of the class means, which only b sees,

    k = exp(-y (w.x' + b)) / (2 p_y),    eta_t = eta / sqrt(t)
    w <- w / (1 + eta_t l2 / (2 U)) + eta_t k y x',    b <- b + eta_t k y

U is the root of the loss of pairs, from running means of exp(-y (w.x' + b)) in both classes: the gradient of the loss
is 2 U times that of its root, so that with l2 alone (as published) another problem would be solved. The exponent is
kept within +-30, and eta_t k so small that the score of the row itself moves by no more than 5. With w = f v + c
centre, and w.centre tracked, a step costs O(nonzeros of x), whatever dim is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from aucmax.losses import Exponential
from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.shared.onepass import ORDERS, check_choice, spread, step_weights, visits
from aucmax.validation.params import check_positive

SMALL = 1e-9  # of the factor f: below it, v is multiplied out
LARGEST_EXPONENT = 30.0
LARGEST_LOSS = 20.0  # of a row, in the running means
PRIOR, MEMORY = 10.0, 1000.0  # rows that the first value of a running mean counts for, and that it looks back
LARGEST_MOVE = 5.0


class Biased(NamedTuple):
    """Weights, passes over the data, bias, steps so far; weight of and mean loss in the negatives, the positives."""

    w: np.ndarray
    passes: float
    b: float
    t: int
    total: np.ndarray
    level: np.ndarray


@dataclass(repr=False, kw_only=True)
class UniExp(Solver):
    """Online minimisation of the exponential loss with L2: a baseline for streams, and for sparse rows.

    Parameters
    ----------
    eta : float or None
        Steps are eta/sqrt(t). None takes 1 over the mean of |x'|^2 + 1.
    centre : bool
        Take the middle of the class means from the rows. The answer sought is the same; columns far from zero
        are learnt much sooner.
    order : {"shuffled", "stream"}
        Visit the rows in shuffled blocks, or as they come.
    max_epochs, tol
        See `Solver`. One pass does not reach a small tol.
    """

    eta: float | None = None
    centre: bool = True
    order: str = "shuffled"
    max_epochs: int = 1

    losses = (Exponential,)
    stochastic = True
    online = True
    certified = False
    penalties = ("l2", "none")

    def adapt(self, problem: Problem) -> Problem:
        check_positive(eta=self.eta)
        check_choice(order=(self.order, ORDERS))
        return problem

    def init(self, problem: Problem, w: np.ndarray) -> Biased:
        return Biased(w, 0.0, -float(w @ problem.data.centre), 0, np.zeros(2), np.ones(2))

    def epoch(self, problem: Problem, state: Biased, rng: np.random.Generator) -> Biased:
        data, v, total, level = problem.data, state.w.copy(), state.total.copy(), state.level.copy()
        centre = data.centre * self.centre
        along = data.centre_products if self.centre else np.zeros(data.n)
        norms = data.centred_norms if self.centre else data.squared_norms
        turns = (data.y, data.weight, step_weights(data), visits(self.order, data.n, rng))
        eta = self.eta or 1.0 / (1.0 + _mean_square(data, centre))
        b = state.b + float(v @ centre)
        b, t = _epoch(data.rows, *turns, norms, centre, along, problem.penalty.l2, eta, state.t, total, level, v, b)
        return Biased(v, state.passes + 1.0, b - float(v @ centre), t, total, level)


def _mean_square(data: Data, centre: np.ndarray) -> float:
    """Mean of |x - centre|^2 over all rows seen."""
    weights = np.array([data.raw_moments.pos.weight, data.raw_moments.neg.weight])
    distance = weights @ data.means / weights.sum() - centre
    return spread(data) + float(distance @ distance)


@compiled
def _epoch(X, y, weight, relative, order, norms, centre, along, l2, eta, t, total, level, v, b):
    f, c, height, square = 1.0, 0.0, 0.0, 0.0
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
        shrink = 1.0 / (1.0 + eta_t * l2 / (2.0 * sqrt(level[0] * level[1])))
        f, c = f * shrink, c * shrink - step
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
