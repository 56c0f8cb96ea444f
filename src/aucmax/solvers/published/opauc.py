"""OPAUC: one-pass AUC optimisation, from the running means and covariances of the classes.

    Gao, Jin, Zhu, Zhou. "One-Pass AUC Optimization." ICML 2013.

Row by row, with g the gradient of the squared loss against all rows of the other class so far (online_statistics.py),

    w <- w - eta_t g,    eta_t = min(eta, 1 / (l2 + |e|^2 + trace of the covariance))

and then the row enters the statistics of its own class. No step is taken before both classes have been seen. The
bound on the step is below 2 over the curvature, so that the iterates stay bounded for any eta. A step costs O(dim^2)
with the covariance matrix and O(dim) with its diagonal, however sparse the row, since the means are dense. For many
columns there is the sketch (covariance_sketch.py), at O(nonzeros of the row) per step.

With a constant step the iterates reach a neighbourhood of the minimiser that shrinks with eta. With steps that decay
as 1/sqrt(t), the average of the iterates weighted by t, in which the second half of the run counts for three
quarters, converges to the minimiser over several epochs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.objective import Problem
from aucmax.solvers.base import COUNT, POSITIVE, Constraints, State
from aucmax.solvers.published.covariance_sketch import OPAUCConstants, OPAUCSketchState, opauc_step
from aucmax.solvers.published.one_pass import OnePassSolver, relative_weights, total_variance
from aucmax.solvers.published.online_statistics import (
    ClassStatistics,
    absorb,
    check_full_covariance,
    copy_row,
    pair_gradient,
)
from aucmax.validation.params import Boolean, Integer, Option


@dataclass(frozen=True, eq=False)
class OPAUCState(State):
    """The iterates, and the class statistics of all rows so far."""

    last: np.ndarray  # the last iterate
    average: np.ndarray  # of the iterates, weighted by t
    t: int  # steps so far
    statistics: ClassStatistics  # of all rows so far

    def rescaled(self, ratio: np.ndarray) -> OPAUCState:
        return replace(self, statistics=self.statistics.rescaled(ratio))


@dataclass(repr=False, kw_only=True)
class OPAUC(OnePassSolver):
    """One-pass AUC optimisation for the squared loss and L2: a baseline for streams.

    Parameters
    ----------
    covariance : {"full", "diagonal", "sketched"}
        Representation of the class covariances: the matrix, for up to 2000 columns; its diagonal, as if columns were
        uncorrelated; or a random sketch of it, whose cost per step on sparse rows does not depend on the number of
        columns.
    tau : int
        Columns of the sketch of each class, at most 100,000; 2 tau + 3 numbers are kept for every column of the
        table.
    eta : float or None
        Step. None means 0.05 over the mean squared distance of the rows from their mean.
    decay_after : int or None
        Rows after which steps decay as 1/sqrt(t), for several epochs. None keeps them constant, as published.
    average : bool
        Return the average of the iterates, weighted by t, instead of the last one; not supported by the sketch.
    order, max_epochs, tol
        See `OnePassSolver`.
    """

    covariance: str = "full"
    tau: int = 50
    eta: float | None = None
    decay_after: int | None = None
    average: bool = False

    parameter_constraints: ClassVar[Constraints] = {
        "covariance": [Option("full", "diagonal", "sketched")],
        "tau": [Integer(1, 10**5)],
        "eta": [None, POSITIVE],
        "decay_after": [None, COUNT],
        "average": [Boolean()],
    }

    def check_settings(self) -> None:
        super().check_settings()
        if self.average and self.covariance == "sketched":
            raise ValueError("average=True is not supported with covariance='sketched'; set average=False")

    def init(self, problem: Problem, w: np.ndarray) -> OPAUCState | OPAUCSketchState:
        check_full_covariance(self.covariance, problem.data.dim, "'diagonal' or 'sketched'")
        if self.covariance == "sketched":
            return OPAUCSketchState.start(w, self.tau)
        return OPAUCState(w, 0.0, w, w, 0, ClassStatistics.start(w.size, full=self.covariance == "full"))

    def epoch(self, problem: Problem, state: OPAUCState | OPAUCSketchState, rng: np.random.Generator) -> State:
        data = problem.data
        eta = self.eta or 0.05 / total_variance(data)
        constants = OPAUCConstants(problem.penalty.l2, eta, self.decay_after or inf, self.average)
        if isinstance(state, OPAUCSketchState):
            return state.after_rows(data, constants, rng, self.row_order)
        order = self.row_order(data, rng)
        last = state.last.copy()
        average = state.average.copy()
        statistics = state.statistics.copy()
        buffers = (np.empty(data.dim), np.empty(data.dim))
        weights = (data.weight, relative_weights(data))
        t = _epoch(data.rows, data.y, *weights, order, constants, state.t, last, average, statistics, buffers)
        return OPAUCState(average if self.average else last, state.passes + 1.0, last, average, t, statistics)


@compiled
def _epoch(X, y, weight, relative, order, constants, t, w, average, statistics, buffers):
    x, g = buffers
    total, mean, scatter, trace = statistics
    for i in order:
        copy_row(X, i, x)
        if total[0 if y[i] > 0 else 1] > 0.0:
            t += 1
            curvature = pair_gradient(x, y[i], constants.l2, w, total, mean, scatter, trace, g)
            eta = opauc_step(constants, t, relative[i], curvature)
            for j in range(w.size):
                w[j] -= eta * g[j]
            if constants.average:
                for j in range(w.size):
                    average[j] += (w[j] - average[j]) * (2.0 / (t + 1.0))
        absorb(x, y[i], weight[i], total, mean, scatter, trace)
    return t
