"""Stream: the state of `partial_fit` between batches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from aucmax.numerics.matrix import columns_added, dense, is_sparse, shifted_columns, stacked
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import FAR, Data, check_finite
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem, ProblemSpec
from aucmax.problem.solution import Solution
from aucmax.solvers import Exact, Solver
from aucmax.solvers.coordinate_descent import GRAM_LIMIT
from aucmax.solvers.registry import divergence_error, make_problem
from aucmax.streaming.moment_updates import add_columns, add_rows, remove_rows
from aucmax.validation.inputs import LabeledData

BUFFER = 1000  # latest rows that are kept until the other class is seen


@dataclass(frozen=True, eq=False)
class Stream:
    """The statistics of all rows seen and the state of the solver.

    A solver that needs only full moments has a `solution`, that of all rows seen; others continue from their `state`.
    A stream is immutable: `advance` and `retract` return a new one, so a batch that fails leaves no trace. A stream
    that is pickled and loaded continues as if it had never stopped.

    Parameters
    ----------
    solver : Solver
        The solver whose state this is.
    moments : Moments
        Class statistics of all rows seen.
    seed : int
        Random seed of all batches.
    problem : Problem, optional
        The problem of the last batch, without its rows; None until both classes have been seen.
    alpha : float
        The strength of its penalty.
    state : State, optional
        The state of the solver after the last batch.
    solution : Solution, optional
        The solution for all rows seen.
    batches : int
        Number of batches seen.
    buffer : LabeledData, optional
        The latest rows, while only one class has been seen.
    shift : array of shape (dim,), or 0.0
        What is subtracted from the rows before their moments are added, if the solver needs only moments: where the
        columns are in the first batch. Moments of columns far from zero would lose digits whenever they are merged.
    """

    solver: Solver
    moments: Moments
    seed: int
    problem: Problem | None = None
    alpha: float = np.nan
    state: Any = None
    solution: Solution | None = None
    batches: int = 0
    buffer: LabeledData | None = None
    shift: np.ndarray | float = 0.0

    @classmethod
    def start(cls, dim: int, solver: Solver, rng: np.random.Generator) -> Stream:
        """A stream before its first row."""
        exact = isinstance(solver, Exact)
        if exact:
            _check_scatter_size(dim)
        nothing = Moments.of(np.empty((0, dim)), np.empty(0), full=exact)
        return cls(clone(solver), nothing, int(rng.integers(2**63)))

    @property
    def coef(self) -> np.ndarray:
        """Weights in scaled units, once both classes have been seen."""
        return self.state.w if self.solution is None else self.solution.coef

    def advance(self, table: LabeledData, spec: ProblemSpec, solver: Solver) -> Stream:
        """The stream after one more batch."""
        self._check_solver(solver)
        table = table.weighted()
        before = self.widened(table.X.shape[1])
        if not isinstance(solver, Exact):
            moments = add_rows(before.moments, *table, kept=1.0)
            check_finite(moments, table.X)
            return before._stepped(moments, table, spec, solver)
        if self.batches == 0:
            before = replace(before, shift=_location(table.X))
        table = before._shifted(table)
        moments = add_rows(before.moments, *table, kept=solver.forgetting)
        check_finite(moments, table.X)
        return before._solved(moments, spec, solver)

    def retract(self, table: LabeledData, spec: ProblemSpec, solver: Solver) -> Stream:
        """The stream as if it had never seen these rows; for solvers that need only moments."""
        self._check_solver(solver)
        return self._solved(remove_rows(self.moments, *self._shifted(table.weighted())), spec, solver)

    def resumed(self, spec: ProblemSpec, solver: Solver) -> Stream:
        """The stream with the problem and the solution that follow from its moments, as after its last batch."""
        if not _has_both_classes(self.moments):
            return self
        if isinstance(solver, Exact):
            return replace(self, batches=self.batches - 1)._solved(self.moments, spec, solver)
        problem, alpha = self._problem(spec, solver)
        kept = Problem(problem.data.without_rows(), problem.loss, problem.penalty)
        return replace(self, problem=kept, alpha=alpha)

    def first_state(self, spec: ProblemSpec, solver: Solver) -> Any:
        """A state of the solver before its first row, with the shapes that it has for these columns."""
        problem, _ = self._problem(spec, solver)
        return solver.init(problem, np.zeros(problem.data.dim))

    def _problem(self, spec: ProblemSpec, solver: Solver) -> tuple[Problem, float]:
        """The problem of the moments, with the class means as its rows, and the strength of its penalty."""
        means = np.stack([self.moments.pos.mean, self.moments.neg.mean])
        rows = (means, np.array([1.0, -1.0]), np.ones(2))
        data = Data.of_batch(*rows, self.moments, standardize=spec.standardize)
        return make_problem(spec, data, solver)

    def widened(self, dim: int) -> Stream:
        """The stream padded to `dim` columns, of which the new ones were zero so far."""
        if dim == self.moments.delta.size:
            return self
        if self.moments.full:
            _check_scatter_size(dim)
        buffer = self.buffer and self.buffer._replace(X=columns_added(self.buffer.X, dim))
        shift = np.pad(self.shift, (0, dim - self.moments.delta.size)) if np.ndim(self.shift) else self.shift
        return replace(self, moments=add_columns(self.moments, dim), buffer=buffer, shift=shift)

    def _shifted(self, table: LabeledData) -> LabeledData:
        shift = np.asarray(self.shift)
        return table._replace(X=shifted_columns(table.X, shift)) if shift.any() else table

    def _solved(self, moments: Moments, spec: ProblemSpec, solver: Solver) -> Stream:
        """The stream with the solution for all rows seen, from their moments."""
        after = replace(self, moments=moments, batches=self.batches + 1, problem=None, solution=None)
        if not _has_both_classes(moments):
            return after
        problem, alpha = make_problem(
            spec, Data.of_moments(moments, standardize=spec.standardize, shift=self.shift), solver
        )
        with threads_for(problem.data.dim):
            solution = solver.solve(problem, rng=self._rng())
        if not np.isfinite(solution.coef).all():
            raise divergence_error(solver)
        return replace(after, problem=problem, alpha=alpha, solution=replace(solution, state=None))

    def _stepped(self, moments: Moments, table: LabeledData, spec: ProblemSpec, solver: Solver) -> Stream:
        """The stream after one epoch of the solver on this batch."""
        table = _concatenated(self.buffer, table)
        if not _has_both_classes(moments):
            latest = table.rows(np.arange(max(table.y.size - BUFFER, 0), table.y.size))
            return replace(self, moments=moments, batches=self.batches + 1, buffer=latest)
        data = Data.of_batch(*table, moments, standardize=spec.standardize)
        problem, alpha = make_problem(spec, data, solver)
        state = self._state_for(problem, solver)
        state = solver.epoch(problem, state, self._rng()) if problem.data.n else state
        if not np.isfinite(state.w).all():
            raise divergence_error(solver)
        # the next batch needs the scale, not the rows
        kept = Problem(problem.data.without_rows(), problem.loss, problem.penalty)
        return Stream(self.solver, moments, self.seed, kept, alpha, state, batches=self.batches + 1)

    def _rng(self) -> np.random.Generator:
        """The random generator of this batch, which depends on the seed and on the number of batches before it."""
        return np.random.default_rng([self.seed, self.batches])

    def _state_for(self, problem: Problem, solver: Solver) -> Any:
        """The last state, converted to the columns and the scale of this batch, or an initial one."""
        dim = problem.data.dim
        if self.problem is None:
            return solver.init(problem, np.zeros(dim))
        state = self.state
        scale = self.problem.data.scale
        if scale.size < dim:
            first = solver.init(problem, np.zeros(dim))
            state = _with_columns(state, first, scale.size, dim)
            scale = np.pad(scale, (0, dim - scale.size), constant_values=1.0)
        return state.rescaled(problem.data.scale / scale)

    def _check_solver(self, solver: Solver) -> None:
        """Reject a solver with other settings than the one whose state this is."""
        if type(solver) is not type(self.solver) or solver.get_params() != self.solver.get_params():
            raise ValueError(
                f"a stream of {self.solver} cannot continue with {solver}; restore its settings, or start a new "
                "stream with a clone of the model"
            )


def _location(X: Any) -> np.ndarray:
    """The means of columns whose values are all far from zero relative to their range, zero for other columns."""
    rows = dense(X)
    if rows.shape[0] == 0:
        return np.zeros(rows.shape[1])
    low, high = rows.min(axis=0), rows.max(axis=0)
    middle = 0.5 * low + 0.5 * high
    with np.errstate(invalid="ignore"):  # `check_finite` reports NaN and infinity
        far = np.abs(middle) > FAR * (high - low)
    return np.where(far & np.isfinite(middle), middle, 0.0)


def _has_both_classes(moments: Moments) -> bool:
    return moments.pos.count > 0 and moments.neg.count > 0


def _check_scatter_size(dim: int) -> None:
    if dim > GRAM_LIMIT:
        raise ValueError(
            f"solver 'exact' keeps two {dim} x {dim} matrices for a stream; above {GRAM_LIMIT} columns use 'spam' or "
            "'solam', or select columns"
        )


def _concatenated(buffer: LabeledData | None, table: LabeledData) -> LabeledData:
    """The buffered rows, then those of the batch."""
    if buffer is None:
        return table
    y = np.append(buffer.y, table.y)
    weight = np.append(buffer.weight, table.weight)
    return LabeledData(stacked(buffer.X, table.X), y, weight)


def _with_columns(old: Any, first: Any, dim: int, wider: int) -> Any:
    """A state padded with zeros for new columns; the shapes of an initial state show which axes are columns."""
    if hasattr(old, "_fields"):
        return type(old)(*(_with_columns(part, other, dim, wider) for part, other in zip(old, first, strict=True)))
    if hasattr(old, "__dataclass_fields__"):
        parts = {name: _with_columns(getattr(old, name), getattr(first, name), dim, wider) for name in vars(old)}
        return replace(old, **parts)
    if is_sparse(old):
        return columns_added(old, wider)
    if not isinstance(old, np.ndarray):
        return old
    grows = [was == dim and now == wider for was, now in zip(old.shape, first.shape, strict=True)]
    return np.pad(old, [(0, wider - dim if grow else 0) for grow in grows]) if any(grows) else old
