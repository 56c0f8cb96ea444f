"""Stream: what `partial_fit` keeps between two batches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from aucmax.numerics.matrix import columns_added, is_sparse, stacked
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data, check_finite
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution
from aucmax.problem.spec import ProblemSpec
from aucmax.solvers import Solver
from aucmax.solvers.registry import check_finite_weights, make_problem
from aucmax.solvers.shared.gram_descent import GRAM_LIMIT
from aucmax.streaming.moment_updates import widened, with_rows, without_rows
from aucmax.validation.inputs import LabeledData

WAITING = 1000  # rows, the latest ones, that are kept until the other class is seen


@dataclass(frozen=True, eq=False)
class Stream:
    """Moments of all rows seen, the problem of the last batch, the state of the solver, and the seed of its chance.

    A solver for which full moments are enough leaves a `solution`, that of all rows seen. Others go on from their
    state; while only one class has been seen, its latest rows wait for the other. A stream is not changed: `advance`
    and `retract` return a new one, so that a batch which fails leaves no trace. Pickled and taken up again, it goes
    on as if it had never stopped.
    """

    solver: Solver
    moments: Moments
    seed: int
    problem: Problem | None = None
    state: Any = None
    solution: Solution | None = None
    batches: int = 0
    waiting: LabeledData | None = None

    @classmethod
    def start(cls, dim: int, solver: Solver, rng: np.random.Generator) -> Stream:
        """Before the first row."""
        if solver.from_moments:
            _check_size(dim)
        nothing = Moments.of(np.empty((0, dim)), np.empty(0), full=solver.from_moments)
        return cls(clone(solver), nothing, int(rng.integers(2**63)))

    @property
    def coef(self) -> np.ndarray:
        """Weights in scaled units; there are none before both classes have been seen."""
        return self.state.w if self.solution is None else self.solution.coef

    def advance(self, table: LabeledData, spec: ProblemSpec, solver: Solver) -> Stream:
        """The stream one batch later."""
        self._check_solver(solver)
        table = table.weighted()
        before = self.widened(table.X.shape[1])
        moments = with_rows(before.moments, *table, solver.kept_weight())
        check_finite(moments, table.X)
        if solver.from_moments:
            return before._solved(moments, spec, solver)
        return before._stepped(moments, table, spec, solver)

    def retract(self, table: LabeledData, spec: ProblemSpec, solver: Solver) -> Stream:
        """The stream as if it had never met these rows; for solvers for which moments are enough."""
        self._check_solver(solver)
        return self._solved(without_rows(self.moments, *table.weighted()), spec, solver)

    def widened(self, dim: int) -> Stream:
        """The stream with as many columns, the new ones zero so far."""
        if dim == self.moments.delta.size:
            return self
        if self.moments.full:
            _check_size(dim)
        waiting = self.waiting and self.waiting._replace(X=columns_added(self.waiting.X, dim))
        return replace(self, moments=widened(self.moments, dim), waiting=waiting)

    def _solved(self, moments: Moments, spec: ProblemSpec, solver: Solver) -> Stream:
        """With the answer to all rows seen, from their moments."""
        after = replace(self, moments=moments, batches=self.batches + 1, problem=None, solution=None)
        if not _both(moments):
            return after
        problem = make_problem(spec, Data.of_moments(moments, standardize=spec.standardize), solver)
        with threads_for(problem.data.dim):
            solution = solver.solve(problem, rng=self._chance())
        return replace(after, problem=problem, solution=replace(solution, state=None))

    def _stepped(self, moments: Moments, table: LabeledData, spec: ProblemSpec, solver: Solver) -> Stream:
        """With the state of the solver one epoch of this batch later."""
        table = _joined(self.waiting, table)
        if not _both(moments):
            latest = table.rows(np.arange(max(table.y.size - WAITING, 0), table.y.size))
            return replace(self, moments=moments, batches=self.batches + 1, waiting=latest)
        data = Data.of_batch(*table, moments, standardize=spec.standardize)
        problem = solver.adapt(make_problem(spec, data, solver))
        state = self._state_for(problem, solver)
        state = solver.epoch(problem, state, self._chance()) if problem.data.n else state
        check_finite_weights(state.w, solver)
        # the next batch needs the scale, not the rows: they are not carried along
        kept = Problem(problem.data.without_rows(), problem.loss, problem.penalty)
        return Stream(self.solver, moments, self.seed, kept, state, batches=self.batches + 1)

    def _chance(self) -> np.random.Generator:
        """That of this batch: a function of the seed and of the number of batches before it."""
        return np.random.default_rng([self.seed, self.batches])

    def _state_for(self, problem: Problem, solver: Solver) -> Any:
        """The last state in the columns and the scale of this batch, or a first one."""
        first = solver.init(problem, np.zeros(problem.data.dim)) if self._is_narrower(problem) else None
        if self.problem is None:
            return first
        state, scale = self.state, self.problem.data.scale
        if first is not None:
            state = _grown(state, first, scale.size, problem.data.dim)
            scale = np.pad(scale, (0, problem.data.dim - scale.size), constant_values=1.0)
        return solver.rescaled(state, problem.data.scale / scale)

    def _is_narrower(self, problem: Problem) -> bool:
        return self.problem is None or self.problem.data.dim < problem.data.dim

    def _check_solver(self, solver: Solver) -> None:
        """What the state was made for may not change."""
        made_for, found = ([type(one), *(getattr(one, name) for name in one.fixed)] for one in (self.solver, solver))
        if made_for != found:
            raise ValueError(
                f"a stream of {self.solver} cannot go on with {solver}; set it back, or clone the model for a new one"
            )


def _both(moments: Moments) -> bool:
    return moments.pos.count > 0 and moments.neg.count > 0


def _check_size(dim: int) -> None:
    if dim > GRAM_LIMIT:
        raise ValueError(
            f"solver 'exact' keeps two matrices of {dim} x {dim} for a stream; above {GRAM_LIMIT} columns use 'spam' "
            "or 'solam', or select columns"
        )


def _joined(waiting: LabeledData | None, table: LabeledData) -> LabeledData:
    """The rows that have waited, and those that came."""
    if waiting is None:
        return table
    y, weight = np.append(waiting.y, table.y), np.append(waiting.weight, table.weight)
    return LabeledData(stacked(waiting.X, table.X), y, weight)


def _grown(old: Any, first: Any, dim: int, wider: int) -> Any:
    """A state with zeros for more columns; where it has columns, the shapes of a first state tell."""
    if hasattr(old, "_fields"):
        return type(old)(*(_grown(part, other, dim, wider) for part, other in zip(old, first, strict=True)))
    if hasattr(old, "__dataclass_fields__"):
        parts = {name: _grown(getattr(old, name), getattr(first, name), dim, wider) for name in vars(old)}
        return replace(old, **parts)
    if is_sparse(old):
        return columns_added(old, wider)
    if not isinstance(old, np.ndarray):
        return old
    grows = [was == dim and now == wider for was, now in zip(old.shape, first.shape, strict=True)]
    return np.pad(old, [(0, wider - dim if grow else 0) for grow in grows]) if any(grows) else old
