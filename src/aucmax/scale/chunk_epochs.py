"""Stochastic epochs in passes: SPAM and SDCA on rows that do not fit in memory, for any number of columns.

The statistics of all rows are known before the first epoch, so that a step is the one in memory: an epoch visits the
chunks in the order of the source, and the rows of a chunk in the random order that the solver has for a table of its
size. A certificate is one pass. SPAM and SDCA keep two numbers a column, SDCA also a dual variable for every row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucmax.losses import Squared
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution
from aucmax.scale.memory import check_row_numbers
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.row_sample import RowSample
from aucmax.scale.squared_passes import SquaredInPasses, with_rows
from aucmax.solvers import SDCA, SPAM
from aucmax.solvers.base import Solver, State
from aucmax.solvers.sdca import SDCAState, row_terms
from aucmax.solvers.shared.step_sizes import POWER_ROWS, top_eigenvalue
from aucmax.solvers.shared.visiting_order import shuffle_if_sorted
from aucmax.solvers.spam import SPAMState
from aucmax.validation.caller import warn_caller

UNMIXED = 0.1  # share of the variance of the labels between chunks from which on a warning is due


@dataclass(frozen=True, eq=False)
class EpochState(State):
    """The state of the solver after so many epochs, and the certificates of all of them."""

    inner: Any  # the state of the solver
    certificates: tuple[tuple[float, float] | None, ...] = ()  # None after epochs that were not certified
    stored: EpochState | None = None  # the later state of a checkpoint, up to which epochs need not be repeated

    @property
    def certificate(self) -> tuple[float, float] | None:
        """That of the last epoch."""
        return self.certificates[-1] if self.certificates else None


@dataclass(repr=False, kw_only=True)
class ChunkEpochs(Solver):
    """Epochs of a solver over the chunks of a source."""

    solver: SPAM | SDCA
    passes: Passes

    stochastic = True

    def check_settings(self) -> None:
        """Those of the solver."""
        self.solver.check_settings()

    def is_due(self, epoch: int, state: State) -> bool:
        """Whether the solver computed a certificate in `epoch`, where the checkpoint is written."""
        return state.certificate is not None

    def keeps_order(self) -> bool:
        """Yes: chunks are shuffled one by one."""
        return True

    def init(self, problem: Problem, w: np.ndarray) -> EpochState:
        """The state before the first epoch, which knows that of a checkpoint."""
        start = _start_spam if isinstance(self.solver, SPAM) else _start_sdca
        first = start(self.solver, problem, w, self.passes)
        inner, certificates = self.passes.start_loop((first, ()))
        stored = EpochState(inner.w, inner.passes, inner, certificates)
        return replace(stored, certificates=(), stored=stored) if certificates else stored

    def epoch(self, problem: Problem, state: EpochState, rng: np.random.Generator) -> EpochState:
        """The state after a pass over all chunks, certified if that is due."""
        seed = int(rng.integers(2**63))
        number = len(state.certificates) + 1
        if state.stored is not None:
            certificates = state.stored.certificates
            return state.stored if number == len(certificates) else replace(state, certificates=certificates[:number])
        visit = _Visit(self.solver, problem, seed)
        inner = self.passes.fold(visit, state.inner, f"{self.solver.name}, epoch {number}")
        inner = replace(inner, passes=float(number))
        due = self.solver.is_due(number, inner)
        certificates = (*state.certificates, problem.certify(inner.w) if due else None)
        self.passes.keep((inner, certificates))
        return EpochState(inner.w, inner.passes, inner, certificates)


@dataclass(frozen=True, eq=False)
class _Visit:
    """Steps on the rows of a chunk; the random order of its rows follows from the number of the first."""

    solver: SPAM | SDCA
    problem: Problem
    seed: int

    def __call__(self, state: Any, rows: NumberedRows) -> Any:
        if not rows.numbers.size:
            return state
        rng = np.random.default_rng([self.seed, int(rows.numbers[0])])
        problem = _of_chunk(self.problem, rows)
        if isinstance(self.solver, SPAM):
            return self.solver.epoch(shuffle_if_sorted(problem, rng), state, rng)
        mine = replace(state, theta=state.theta[rows.numbers], terms=row_terms(problem))
        after = self.solver.epoch(problem, mine, rng)
        state.theta[rows.numbers] = after.theta
        return replace(after, theta=state.theta, terms=state.terms)


@dataclass(frozen=True, eq=False)
class _SeeRows:
    """The statistics of SPAM after the rows of a chunk, and how unlike the shares of positives of the chunks are."""

    solver: SPAM
    problem: Problem

    def __call__(self, found: Any, rows: NumberedRows) -> tuple[SPAMState, float]:
        state, between = found
        problem = _of_chunk(self.problem, rows)
        share = self.problem.data.raw_moments.pos.count / self.problem.data.raw_moments.n_rows
        between += float((rows.data.y > 0).sum() - share * rows.data.y.size) ** 2 / max(rows.data.y.size, 1)
        if state is None:
            return self.solver.init(problem, np.zeros(problem.data.dim)), between
        return self.solver.with_statistics(problem, state), between


@dataclass(frozen=True)
class _SampleOf:
    """A sample of the rows of each class."""

    limit: int

    def __call__(self, rows: NumberedRows) -> RowSample:
        return RowSample.of(rows, self.limit)


def solve_by_epochs(problem: Problem, solver: SPAM | SDCA, passes: Passes, rng: np.random.Generator) -> Solution:
    """The minimiser of the squared loss, by epochs over the chunks of a source."""
    check_solver(solver)
    in_passes = Problem(problem.data, SquaredInPasses(passes), problem.penalty)
    epochs = ChunkEpochs(solver=solver, passes=passes, max_epochs=solver.max_epochs, tol=solver.tol)
    return epochs.solve(in_passes, rng=rng)


def check_solver(solver: SPAM | SDCA) -> None:
    """Refuse settings that need the objective of all rows in the middle of an epoch."""
    if isinstance(solver, SPAM) and (solver.step != "capped" or solver.track_variance):
        raise ValueError(
            f"{solver} cannot be run in passes over a source, which would need passes within an epoch; keep "
            "step='capped' and track_variance=False"
        )


def _start_spam(solver: SPAM, problem: Problem, w: np.ndarray, passes: Passes) -> SPAMState:
    """The state before the first epoch, with the longest row of each class."""
    state, between = passes.fold(_SeeRows(solver, problem), (None, 0.0), "longest rows")
    counts = problem.data.raw_moments
    unmixed = between * counts.n_rows / (counts.pos.count * counts.neg.count)
    if unmixed > UNMIXED:
        warn_caller(
            f"the shares of positives of the chunks explain {unmixed:.0%} of the variance of the labels, as in rows "
            "sorted by label; SPAM visits them in this order and converges slowly: shuffle the rows, or use "
            "solver='sdca' or 'cg'",
            RuntimeWarning,
        )
    if problem.penalty.l1 == 0:
        return state
    sample = passes.run(_SampleOf(POWER_ROWS // 2), "sample of rows").rows
    rng = np.random.default_rng(passes.reader.seed)
    return replace(state, top=top_eigenvalue(with_rows(problem.data, sample), rng))


def _start_sdca(solver: SDCA, problem: Problem, w: np.ndarray, passes: Passes) -> SDCAState:
    """The state before the first epoch: dual variables of zero for all rows of the source."""
    n_rows = passes.summary.n_rows
    check_row_numbers(passes.memory, n_rows, solver.name)
    return replace(solver.init(problem, w), theta=np.zeros(n_rows))


def _of_chunk(problem: Problem, rows: NumberedRows) -> Problem:
    return Problem(with_rows(problem.data, rows), Squared(), problem.penalty)
