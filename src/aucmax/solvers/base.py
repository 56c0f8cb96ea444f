"""Solver: settings, and the one loop of all algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Problem
from aucmax.trace import Record, Solution, Trace


@dataclass(repr=False, kw_only=True)
class Solver(BaseEstimator):
    """A minimiser of the one objective; subclasses write `init` and `epoch`.

    Parameters
    ----------
    max_epochs : int
        Epochs after which to stop in any case.
    tol : float
        Stop when the certified gap is at most `tol` times the objective.
    """

    max_epochs: int = 1000
    tol: float = 1e-6

    losses: ClassVar[tuple[type, ...]] = (Squared,)
    online: ClassVar[bool] = False

    def wants_scatter(self, n: int, dim: int, penalty: ElasticNet) -> bool:
        """Whether the data should come with the scatter matrix of their classes."""
        return False

    def init(self, problem: Problem, w: np.ndarray) -> Any:
        """State from which the first epoch starts; its `w` are the weights so far."""
        raise NotImplementedError

    def epoch(self, problem: Problem, state: Any, rng: np.random.Generator) -> Any:
        """The state one epoch later; its `passes` count passes over the data."""
        raise NotImplementedError

    def solve(
        self,
        problem: Problem,
        w: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
        callback: Callable[[Record], bool | None] | None = None,
    ) -> Solution:
        """Run epochs until the gap is small, the epochs are used up, or the callback returns True."""
        rng = np.random.default_rng() if rng is None else rng
        trace, start = Trace(), perf_counter()
        state = self.init(problem, np.zeros(problem.data.dim) if w is None else w)
        seconds = perf_counter() - start
        for epoch in range(1, self.max_epochs + 1):
            start = perf_counter()
            state = self.epoch(problem, state, rng)
            seconds += perf_counter() - start
            objective, gap = problem.certify(state.w)
            record = Record(epoch, state.passes, seconds, objective, gap)
            trace.records.append(record)
            converged = gap <= self.tol * objective
            if converged or not np.isfinite(objective) or (callback is not None and callback(record)):
                break
        return Solution(state.w, objective, gap, epoch, converged, trace, state)
