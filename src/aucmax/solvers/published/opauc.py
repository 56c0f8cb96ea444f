"""OPAUC: one-pass AUC optimisation, from the running means and covariances of the classes.

    Gao, Jin, Zhu, Zhou. "One-Pass AUC Optimization." ICML 2013.

Row by row, with g the gradient of the squared loss against all rows of the other class so far (one_pass.py),

    w <- w - min(eta, 1 / (l2 + |e|^2 + trace of the covariance)) g

and then the row enters the statistics of its own class. No step is taken before both classes have been seen. The
bound on the step is below 2 over the curvature, so that the iterates stay bounded for any eta. A step costs O(dim^2)
with the covariance matrix and O(dim) with its diagonal, however sparse the row, since the means are dense. For many
columns there is the sketch (covariance_sketch.py), at O(nonzeros of the row) per step.

With a constant step, as published, the iterates reach a neighbourhood of the minimiser that shrinks with eta.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, State
from aucmax.solvers.published.covariance_sketch import OPAUCSketchState
from aucmax.solvers.published.one_pass import (
    ClassStatistics,
    OnePassSolver,
    StatisticsState,
    absorb,
    check_full_covariance,
    copy_row,
    pair_gradient,
    relative_weights,
    total_variance,
)
from aucmax.validation.params import Integer, Option


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
    order, max_epochs, tol
        See `OnePassSolver`.
    """

    covariance: str = "full"
    tau: int = 50
    eta: float | None = None

    parameter_constraints: ClassVar[Constraints] = {
        "covariance": [Option("full", "diagonal", "sketched")],
        "tau": [Integer(1, 10**5)],
        "eta": [None, POSITIVE],
    }

    def init(self, problem: Problem, w: np.ndarray) -> StatisticsState | OPAUCSketchState:
        check_full_covariance(self.covariance, problem.data.dim, "'diagonal' or 'sketched'")
        if self.covariance == "sketched":
            return OPAUCSketchState.start(w, self.tau)
        return StatisticsState(w, 0.0, ClassStatistics.start(w.size, full=self.covariance == "full"))

    def epoch(self, problem: Problem, state: StatisticsState | OPAUCSketchState, rng: np.random.Generator) -> State:
        data = problem.data
        l2 = problem.penalty.l2
        eta = self.eta or 0.05 / total_variance(data)
        if isinstance(state, OPAUCSketchState):
            seed = int(rng.integers(2**63)) if state.seed is None else state.seed
            return replace(state, seed=seed).after_rows(data, l2, eta, self.row_order(data, rng))
        w = state.w.copy()
        statistics = state.statistics.copy()
        rows = (data.rows, data.y, data.weight, relative_weights(data), self.row_order(data, rng))
        _epoch(*rows, l2, eta, w, statistics, np.empty(data.dim), np.empty(data.dim))
        return StatisticsState(w, state.passes + 1.0, statistics)


@compiled
def _epoch(X, y, weight, relative, order, l2, eta, w, statistics, x, g):
    """x and g are buffers."""
    total, mean, scatter, trace = statistics
    for i in order:
        copy_row(X, i, x)
        if total[0 if y[i] > 0 else 1] > 0.0:
            curvature = pair_gradient(x, y[i], l2, w, total, mean, scatter, trace, g)
            step = min(eta * relative[i], 1.0 / (l2 + curvature + 1e-300))
            for j in range(w.size):
                w[j] -= step * g[j]
        absorb(x, y[i], weight[i], total, mean, scatter, trace)
