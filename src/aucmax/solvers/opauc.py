"""OPAUC: one-pass AUC optimisation, from the running means and covariances of the classes.

    Gao, Jin, Zhu, Zhou. "One-Pass AUC Optimization." ICML 2013.

Row by row, with g of onepass.py, the gradient of the squared loss against all rows of the other class so far,

    w <- w - eta_t g,    eta_t = min(eta, 1 / (l2 + |e|^2 + trace of the covariance))

and then the row enters the statistics of its own class. No step is taken before both classes have been seen. The
bound on the step is below 2 over the curvature, so that no eta makes the iterates grow without limit. A step costs
O(dim^2) with the covariance matrix and O(dim) with its diagonal, however sparse the row: the means are dense. For
many columns there is the sketch (opauc_sketch.py), with O(nonzeros of the row) a step.

With a constant step the iterates end up in a neighbourhood of the minimiser that shrinks with eta. Steps that fall
as 1/sqrt(t), and the average of the iterates weighted by t, in which the second half of the run counts for three
quarters, converge to it over several epochs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.shared.onepass import (
    ORDERS,
    ClassStatistics,
    Rule,
    absorb,
    check_choice,
    pair_gradient,
    spread,
    spread_out,
    step_size,
    step_weights,
    visits,
)
from aucmax.solvers.shared.sketch import Sketch
from aucmax.validation.params import check_counts, check_number, check_positive

COVARIANCES = ("full", "diagonal", "sketched")
FULL_LIMIT = 2000  # columns up to which two covariance matrices are kept


class Iterate(NamedTuple):
    """Weights (the answer), passes over the data, last iterate, average iterate, steps so far, class statistics."""

    w: np.ndarray
    passes: float
    last: np.ndarray
    average: np.ndarray
    t: int
    statistics: ClassStatistics

    def rescaled(self, ratio: np.ndarray) -> Iterate:
        """Once column j is divided by a scale ratio[j] times the former one: see `Solver.rescaled`."""
        return self._replace(statistics=self.statistics.rescaled(ratio))


@dataclass(repr=False, kw_only=True)
class OPAUC(Solver):
    """One-pass AUC optimisation for the squared loss and L2: a baseline for streams.

    A stream that begins with one class alone has none to pair its rows with: once the other class comes, only the
    latest 1000 rows that waited are met.

    Parameters
    ----------
    covariance : {"full", "diagonal", "sketched"}
        Of the classes: the matrix, for up to 2000 columns; its diagonal, as if columns were uncorrelated; or a
        random sketch of it, whose steps on sparse rows do not depend on the number of columns.
    tau : int
        Columns of the sketch of each class; 2 tau + 3 numbers are kept for every column of the table.
    eta : float or None
        Step. None takes 0.05 over the mean squared distance of the rows to their mean.
    decay_after : int or None
        Rows after which steps fall as 1/sqrt(t), for several epochs. None keeps them constant, as published.
    average : bool
        Return the average of the iterates, weighted by t, instead of the last one; not for the sketch.
    order : {"shuffled", "stream"}
        Visit the rows in shuffled blocks, or as they come.
    max_epochs, tol
        See `Solver`. One pass does not reach a small tol; the ranking is near the best long before.
    """

    covariance: str = "full"
    tau: int = 50
    eta: float | None = None
    decay_after: int | None = None
    average: bool = False
    order: str = "shuffled"
    max_epochs: int = 1

    stochastic = True
    fixed = ("covariance", "tau")
    online = True
    certified = False
    penalties = ("l2", "none")

    def adapt(self, problem: Problem) -> Problem:
        check_number("tau", self.tau, whole=True)
        check_counts(decay_after=self.decay_after)
        check_positive(eta=self.eta)
        check_choice(covariance=(self.covariance, COVARIANCES), order=(self.order, ORDERS))
        check_full(self.covariance, problem.data.dim, "'diagonal' or 'sketched'")
        if self.average and self.covariance == "sketched":
            raise ValueError("average=True is not offered with covariance='sketched'; set average=False")
        return problem

    def init(self, problem: Problem, w: np.ndarray) -> Iterate | Sketch:
        if self.covariance == "sketched":
            return Sketch.start(w, self.tau)
        return Iterate(w, 0.0, w, w, 0, ClassStatistics.start(w.size, full=self.covariance == "full"))

    def rescaled(self, state: Any, ratio: np.ndarray) -> Any:
        return state.rescaled(ratio)

    def epoch(self, problem: Problem, state: Any, rng: np.random.Generator) -> Any:
        data = problem.data
        rule = Rule(problem.penalty.l2, self.eta or 0.05 / spread(data), self.decay_after or inf, self.average)
        if self.covariance == "sketched":
            return state.advanced(data, rule, rng, self.order)
        order = visits(self.order, data.n, rng)
        last, average, statistics = state.last.copy(), state.average.copy(), state.statistics.copy()
        room = (np.empty(data.dim), np.empty(data.dim))
        sizes = (data.weight, step_weights(data))
        t = _epoch(data.rows, data.y, *sizes, order, rule, state.t, last, average, statistics, room)
        w = average if self.average else last
        return Iterate(w, state.passes + 1.0, last, average, t, statistics)


def check_full(covariance: str, dim: int, others: str) -> None:
    """Refuse covariance matrices that would fill the memory."""
    if covariance == "full" and dim > FULL_LIMIT:
        raise ValueError(
            f"covariance='full' keeps two matrices of {dim} x {dim}; above {FULL_LIMIT} columns use {others}"
        )


@compiled
def _epoch(X, y, weight, relative, order, rule, t, w, average, statistics, room):
    x, g = room
    total, mean, scatter, trace = statistics
    for i in order:
        spread_out(X, i, x)
        if total[0 if y[i] > 0 else 1] > 0.0:
            t += 1
            curvature = pair_gradient(x, y[i], rule.l2, w, total, mean, scatter, trace, g)
            eta = step_size(rule, t, relative[i], curvature)
            for j in range(w.size):
                w[j] -= eta * g[j]
            if rule.average:
                for j in range(w.size):
                    average[j] += (w[j] - average[j]) * (2.0 / (t + 1.0))
        absorb(x, y[i], weight[i], total, mean, scatter, trace)
    return t
