"""Solver: settings, and the one loop of all algorithms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from aucmax.losses import Squared
from aucmax.losses.base import Loss
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet
from aucmax.problem.solution import Monitor, Record, Solution, Trace
from aucmax.solvers.shared.order import shuffle_if_sorted
from aucmax.validation.params import check_number

Callback = Callable[[Record], bool | None]


@dataclass(repr=False, kw_only=True)
class Solver(BaseEstimator, ABC):
    """A minimiser of the one objective; subclasses write `init` and `epoch`.

    A state is anything with `w`, the weights to return so far, and `passes`, the passes over the data that they
    cost; it may have `certificate`, the objective at w and a gap that the run has found, at least as tight as
    `Problem.certify`, and `ended`, that another epoch would change nothing. States are not changed: `epoch` returns a
    new one.

    Parameters
    ----------
    max_epochs : int
        Epochs after which to stop in any case.
    tol : float
        Stop when the certified gap is at most `tol` times the objective.
    """

    max_epochs: int = 1000
    tol: float = 1e-6

    losses: ClassVar[tuple[type[Loss], ...]] = (Squared,)
    penalties: ClassVar[tuple[str, ...]] = ("l2", "elastic net", "l1", "none")
    fixed: ClassVar[tuple[str, ...]] = ()  # settings that a stream cannot change on its way
    stochastic: ClassVar[bool] = False
    online: ClassVar[bool] = False
    from_moments: ClassVar[bool] = False  # full moments are all it needs: exact streams, rows taken out again
    certified: ClassVar[bool] = True  # False: a rule of its own, not the gap, says when the run has come to its end

    def wants_scatter(self, n: int, dim: int, penalty: ElasticNet) -> bool:
        """Whether the data should come with the scatter matrix of their classes."""
        return False

    def kept_weight(self) -> float:
        """What a row of a stream keeps of its weight when the next one comes."""
        return 1.0

    def adapt(self, problem: Problem) -> Problem:
        """The problem that this solver minimises: the one given, unless it is set to a constraint instead."""
        return problem

    @abstractmethod
    def init(self, problem: Problem, w: np.ndarray) -> Any:
        """State from which the first epoch starts."""

    @abstractmethod
    def epoch(self, problem: Problem, state: Any, rng: np.random.Generator) -> Any:
        """The state one epoch later."""

    def rescaled(self, state: Any, ratio: np.ndarray) -> Any:
        """The state of a stream, once column j of the rows is divided by a scale ratio[j] times the former one.

        Weights stay as they are, in units of the scale: if scores were kept instead, the weight of a column whose
        spread grows a hundredfold would become a hundred times too large.
        """
        return state

    def own_alpha(self, data: Data) -> float | None:
        """The strength of the penalty, if the settings of the solver say it and not the estimator's."""
        return None

    def variance(self, problem: Problem, state: Any) -> float:
        """The variance of the update, of solvers that know it: an evaluation, off the clock."""
        return np.nan

    def solve(
        self,
        problem: Problem,
        w: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
        monitor: Monitor | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Run epochs until the gap is small, the epochs are used up, or the callback returns True."""
        self._check_limits()
        rng = np.random.default_rng() if rng is None else rng
        start = perf_counter()
        problem = self.adapt(shuffle_if_sorted(problem, rng) if self.stochastic else problem)
        state = self.init(problem, np.zeros(problem.data.dim) if w is None else w)
        seconds, trace = perf_counter() - start, Trace()
        for epoch in range(1, self.max_epochs + 1):
            start = perf_counter()
            state = self.epoch(problem, state, rng)
            seconds += perf_counter() - start
            objective, gap = getattr(state, "certificate", None) or problem.certify(state.w)
            aucs = (np.nan, np.nan) if monitor is None else monitor.aucs(problem.data, state.w)
            record = Record(epoch, state.passes, seconds, objective, gap, *aucs, self.variance(problem, state))
            trace.records.append(record)
            converged = self.certified and gap <= self.tol * max(objective, 0.0)  # rounding
            told = callback is not None and callback(record)
            if converged or told or not np.isfinite(objective) or getattr(state, "ended", False):
                break
        reached = converged or (not self.certified and bool(np.isfinite(objective)))
        return Solution(state.w, objective, gap, epoch, reached, trace, state)

    def _check_limits(self) -> None:
        check_number("max_epochs", self.max_epochs, whole=True)
        check_number("tol", self.tol, zero=True)
