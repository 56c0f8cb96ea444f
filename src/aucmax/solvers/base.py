"""Solver: the contract of all algorithms, and the one loop that runs them.

A solver is a dataclass of settings. A run calls, in this order,

    check_settings()            reject settings that are invalid for any problem
    adapt(problem)              the problem to minimise: the one given, unless a constraint replaces its penalty;
                                reject one that these settings cannot solve: all other methods trust their input
    init(problem, w)            the `State` before the first epoch
    epoch(problem, state, rng)  the `State` one epoch later, until the gap is small or `state.ended`

An algorithm declares its capabilities on its class: the losses and penalties it supports, the losses it is the
default for, whether it supports streams, and the accuracy it promises.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from aucmax.losses import Squared
from aucmax.losses.base import Loss
from aucmax.numerics.clock import run_clock
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Callback, Monitor, Record, Solution, Trace
from aucmax.solvers.shared.visiting_order import shuffle_if_sorted
from aucmax.validation.params import Constraint, Integer, Number, check_params

Constraints = Mapping[str, Sequence[Constraint | None]]
POSITIVE = Number(0, open="low")
NEGLIGIBLE = 1e-13  # without a penalty, a gap that counts as zero: that of rows fitted perfectly, up to rounding
COUNT = Integer(1, 10**15)  # exact as a float and as a compiled integer


class Promise(NamedTuple):
    """The accuracy that a certified solver reaches on small tables, checked by the contract tests."""

    gap: float  # relative to the objective
    epochs: int  # within which it is reached
    in_ball: bool = False  # if it minimises the loss over a ball instead of the penalised objective


@dataclass(frozen=True, eq=False)
class State:
    """The state of a run; each solver adds the fields that its next epoch needs. Immutable and picklable."""

    w: np.ndarray  # the weights to return if the run stops here
    passes: float  # over the data so far

    # These a subclass may override, with properties:
    certificate: ClassVar[Any] = None  # objective and gap at w if known, at least as tight as `Problem.certify`
    ended: ClassVar[Any] = False  # whether another epoch would change nothing

    def check(self) -> None:
        """Reject fields that contradict each other; called when a state was read from a file."""


@dataclass(repr=False, kw_only=True)
class Solver(BaseEstimator, ABC):
    """A minimiser of the objective; subclasses implement `init` and `epoch`.

    Parameters
    ----------
    max_epochs : int
        Maximum number of epochs.
    tol : float
        Stop when the certified gap is at most `tol` times the objective.
    """

    max_epochs: int = 1000
    tol: float = 1e-6

    name: ClassVar[str]  # that of its file or, outside of this package, of its class
    parameter_constraints: ClassVar[Constraints] = {"max_epochs": [Integer(1)], "tol": [Number(0)]}
    losses: ClassVar[tuple[type[Loss], ...]] = (Squared,)
    penalties: ClassVar[tuple[str, ...]] = ("l2", "elastic net", "l1", "none")
    default_for: ClassVar[tuple[str, ...]] = ()  # names of losses for which it is the default, on tables it `suits`
    streams_for: ClassVar[tuple[str, ...]] = ()  # names of losses for which it is the default in a stream
    promise: ClassVar[Promise | None] = None  # required if it is certified
    remedy: ClassVar[str] = ""  # what else a ConvergenceWarning recommends
    fixed: ClassVar[tuple[str, ...]] = ()  # settings that cannot change in the middle of a stream
    stochastic: ClassVar[bool] = False
    online: ClassVar[bool] = False
    from_moments: ClassVar[bool] = False  # full moments are all it needs: streams are exact, rows can be unlearned
    sublinear: ClassVar[bool] = False  # its gap falls slowly, and is certified after epochs 2, 4, 8, ... and the last
    certify_every: ClassVar[int] = 1  # epochs between certificates; 0: only after the last, if no gap ends a run
    certified: ClassVar[bool] = True  # if False, it has its own stopping rule instead of the gap

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        package, _, file = cls.__module__.rpartition(".")
        cls.name = file if package == __package__ else cls.__name__

    @classmethod
    def suits(cls, n: int, dim: int, nonzeros: int) -> bool:
        """Whether it is a good default for a table of this size; if not, the next default of the loss is tried.

        Parameters
        ----------
        n : int
            The number of rows.
        dim : int
            The number of columns.
        nonzeros : int
            The number of cells that are not zero.
        """
        return True

    def check_settings(self) -> None:
        """Reject settings that violate their constraints or, in subclasses, contradict each other."""
        check_params(self)

    def keeps_order(self) -> bool:
        """Whether the settings ask for the rows in the order of the table, even if they are sorted by label."""
        return False

    def wants_scatter(self, n: int, dim: int, penalty: ElasticNet) -> bool:
        """Whether the data should come with the scatter matrix of their classes.

        Parameters
        ----------
        n : int
            The number of rows.
        dim : int
            The number of columns.
        penalty : ElasticNet
            The penalty.
        """
        return False

    def forgetting_factor(self) -> float:
        """The share of its weight that a row of a stream keeps when the next one arrives."""
        return 1.0

    def implied_alpha(self, data: Data) -> float | None:
        """The strength of the penalty if the solver's settings determine it instead of the estimator's.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        """
        return None

    def adapt(self, problem: Problem) -> Problem:
        """The problem that this solver minimises: the one given, unless a constraint replaces its penalty.

        Rejects a problem that these settings cannot solve; the registry has checked its loss and penalty.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the penalty.
        """
        return problem

    @abstractmethod
    def init(self, problem: Problem, w: np.ndarray) -> State:
        """State from which the first epoch starts.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the penalty.
        w : array of shape (d,)
            The weights to start from.
        """

    @abstractmethod
    def epoch(self, problem: Problem, state: Any, rng: np.random.Generator) -> State:
        """The state one epoch later.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the penalty.
        state : State
            The state after the last epoch, of the solver's own class.
        rng : numpy.random.Generator
            Where random choices come from.
        """

    def rescaled(self, state: Any, ratio: np.ndarray) -> Any:
        """The state of a stream after the scale of column j has been multiplied by ratio[j].

        Weights stay as they are, in scaled units: if scores were preserved instead, the weight of a column whose
        spread grows a hundredfold would become a hundred times too large.

        Parameters
        ----------
        state : State
            The state after the last epoch, of the solver's own class.
        ratio : array of shape (d,)
            By what the scale of each column was multiplied.
        """
        return state

    def variance(self, problem: Problem, state: Any) -> float:
        """The variance of the update of a stochastic solver that can compute it; not timed, like other evaluations.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the penalty.
        state : State
            The state after the last epoch, of the solver's own class.
        """
        return np.nan

    def solve(
        self,
        problem: Problem,
        w: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
        monitor: Monitor | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Run epochs until the gap is small, the epochs are used up, or the callback returns True.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the penalty.
        w : array of shape (d,), optional
            The weights to start from; zeros by default.
        rng : numpy.random.Generator, optional
            Where random choices come from.
        monitor : Monitor, optional
            What to record after every epoch.
        callback : callable, optional
            Called with every record; the run ends if it returns True.
        """
        self.check_settings()
        rng = np.random.default_rng() if rng is None else rng
        watched = monitor is not None or callback is not None
        trace = Trace()
        seconds = 0.0
        start = run_clock()
        if self.stochastic and not self.keeps_order():
            problem = shuffle_if_sorted(problem, rng)
        problem = self.adapt(problem)
        state = self.init(problem, np.zeros(problem.data.dim) if w is None else w)
        smallest = NEGLIGIBLE if problem.penalty.kind == "none" else 0.0
        for epoch in range(1, self.max_epochs + 1):
            state = self.epoch(problem, state, rng)
            if self.stochastic and not (watched or self.is_due(epoch, state)):
                continue
            seconds += run_clock() - start
            objective, gap = state.certificate or problem.certify(state.w)
            aucs = (np.nan, np.nan) if monitor is None else monitor.aucs(problem.data, state.w)
            variance = self.variance(problem, state) if self.stochastic else np.nan
            record = Record(epoch, state.passes, seconds, objective, gap, *aucs, variance)
            trace.records.append(record)
            finite = bool(np.isfinite(objective))
            converged = self.certified and finite and gap <= max(self.tol * objective, smallest)
            stopped = callback is not None and callback(record)
            if converged or stopped or state.ended or not finite:
                break
            start = run_clock()
        reached = converged or (not self.certified and finite)
        return Solution(state.w, objective, gap, epoch, reached, trace, state)

    def is_due(self, epoch: int, state: State) -> bool:
        """Whether a stochastic solver computes a certificate now, which may cost up to half an epoch.

        After epochs 2, 4, 8, ... and the last one, those of a sublinear solver cost at most a quarter of all epochs;
        the one before the last is omitted if it could save few of them.

        Parameters
        ----------
        epoch : int
            The number of the epoch, counted from 1.
        state : State
            The state after it.
        """
        if state.certificate is not None or state.ended or epoch == self.max_epochs:
            return True
        if not self.sublinear:
            return self.certify_every > 0 and epoch % self.certify_every == 0
        return epoch > 1 and epoch & (epoch - 1) == 0 and 2 * (self.max_epochs - epoch) > epoch
