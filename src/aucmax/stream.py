"""Stream: what `partial_fit` keeps between two batches."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucmax.checks import Checked
from aucmax.moments import Moments
from aucmax.problem import Problem
from aucmax.rows import stacked
from aucmax.solvers import Solver

WAITING = 1000  # rows, the latest ones, that are kept until the other class is seen


@dataclass(frozen=True, eq=False)
class Stream:
    """Moments of all rows seen, the problem of the last batch, the state of the solver, and its chance.

    While only one class has been seen, its latest rows wait for the other. A stream is not changed: `advance` returns
    a new one, so that a batch which fails leaves no trace. Pickled and taken up again, it goes on as if it had never
    stopped.
    """

    moments: Moments
    rng: np.random.Generator
    problem: Problem | None = None
    state: Any = None
    batches: int = 0
    waiting: Checked | None = None

    @classmethod
    def start(cls, dim: int, rng: np.random.Generator) -> Stream:
        """Before the first row."""
        nothing = Moments.of(np.empty((0, dim)), np.empty(0), full=False)
        return cls(nothing, rng)

    def advance(self, table: Checked, solver: Solver, pose: Callable[[Moments, Checked], Problem]) -> Stream:
        """The stream one batch later; `pose` makes the problem of a batch from the moments of all rows."""
        moments = self.moments + Moments.of(*table, full=False)
        table = _joined(self.waiting, table.weighted())
        if not (moments.pos.count and moments.neg.count):
            latest = table.rows(np.arange(max(table.y.size - WAITING, 0), table.y.size))
            return replace(self, moments=moments, batches=self.batches + 1, waiting=latest)
        problem, rng = solver.adapt(pose(moments, table)), deepcopy(self.rng)
        state = self._state_for(problem, solver)
        state = solver.epoch(problem, state, rng) if problem.data.n else state
        # the next batch needs the scale, not the rows: they are not carried along
        kept = Problem(problem.data.without_rows(), problem.loss, problem.penalty)
        return Stream(moments, rng, kept, state, self.batches + 1)

    def _state_for(self, problem: Problem, solver: Solver) -> Any:
        """The last state in the scale of this batch, or a first one."""
        if self.problem is None:
            return solver.init(problem, np.zeros(problem.data.dim))
        return self.state.rescaled(problem.data.scale / self.problem.data.scale)


def _joined(waiting: Checked | None, table: Checked) -> Checked:
    """The rows that have waited, and those that came."""
    if waiting is None:
        return table
    y, weight = np.append(waiting.y, table.y), np.append(waiting.weight, table.weight)
    return Checked(stacked(waiting.X, table.X), y, weight)
