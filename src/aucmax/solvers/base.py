"""Solver: the contract of all algorithms, and the one loop that runs them.

A solver is a dataclass of settings. A run calls, in this order,

    check_settings()              reject settings that contradict each other
    init(problem, w)              the `State` before the first epoch
    epoch(problem, state, rng)    the `State` one epoch later
    certify(problem, state)       objective and duality gap at the weights of a state

until the gap is small, `state.ended`, or the epochs are used up. What others must know of an algorithm stands on its
class: the losses and penalties it takes, and whether it learns from streams.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from aucmax.losses import Squared
from aucmax.losses.base import Loss
from aucmax.numerics.compiled import run_clock
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Callback, Monitor, Record, Solution, Trace
from aucmax.validation.params import Constraint, Integer, Number, check_params

Constraints = Mapping[str, Sequence[Constraint | None]]
POSITIVE = Number(0, open="low")
COUNT = Integer(1, 10**15)  # exact as a float and as a compiled integer
NEGLIGIBLE = 1e-13  # without a penalty, a gap that counts as zero: rows fitted perfectly, up to rounding


@dataclass(frozen=True, eq=False)
class State:
    """The state of a run; each solver adds the fields that its next epoch needs. Immutable and picklable."""

    w: np.ndarray  # the weights to return if the run stops here
    passes: float  # over the data so far

    ended: ClassVar[Any] = False  # whether another epoch would change nothing; a subclass may make it a property

    def check(self) -> None:
        """Reject fields that contradict each other, after a state has been read from a file."""

    def rescaled(self, ratio: np.ndarray) -> State:
        """The state of a stream after the scale of column j has been multiplied by ratio[j].

        Weights stay as they are, in scaled units: if scores were preserved instead, the weight of a column whose
        spread grows a hundredfold would become a hundred times too large.

        Parameters
        ----------
        ratio : array of shape (d,)
            The new scale of each column divided by the old one.
        """
        return self


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

    name: ClassVar[str]  # the name of its file or, outside of this package, of its class
    parameter_constraints: ClassVar[Constraints] = {"max_epochs": [Integer(1)], "tol": [Number(0)]}
    losses: ClassVar[tuple[type[Loss], ...]] = (Squared,)
    penalties: ClassVar[tuple[str, ...]] = ("l2", "elastic net", "l1", "none")
    online: ClassVar[bool] = False  # whether it learns from streams
    certified: ClassVar[bool] = True  # whether a small gap ends the run; if not, it has a stopping rule of its own
    certificates: ClassVar[str] = "every"  # epochs after which the gap is computed: see `is_due`

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        inside = cls.__module__.startswith(f"{__package__}.")
        cls.name = cls.__module__.rpartition(".")[2] if inside else cls.__name__

    def check_settings(self) -> None:
        """Reject settings that violate their constraints or, in subclasses, contradict each other."""
        check_params(self)

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
            Source of random choices.
        """

    def certify(self, problem: Problem, state: Any) -> tuple[float, float]:
        """The objective at the weights of a state, and an upper bound on its distance from the minimum.

        Parameters
        ----------
        problem : Problem
            The data, the loss and the penalty.
        state : State
            The state after the last epoch, of the solver's own class.
        """
        return problem.certify(state.w)

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
            Source of random choices.
        monitor : Monitor, optional
            What to record after every epoch.
        callback : callable, optional
            Called with every record; the run ends if it returns True.
        """
        self.check_settings()
        rng = np.random.default_rng() if rng is None else rng
        watched = monitor is not None or callback is not None
        trace = Trace()
        seconds = problem.data.seconds
        start = run_clock()
        state = self.init(problem, np.zeros(problem.data.dim) if w is None else w)
        smallest = NEGLIGIBLE if problem.penalty.kind == "none" else 0.0
        for epoch in range(1, self.max_epochs + 1):
            state = self.epoch(problem, state, rng)
            if not (watched or state.ended or is_due(self.certificates, epoch, self.max_epochs)):
                continue
            seconds += run_clock() - start
            objective, gap = self.certify(problem, state)
            aucs = (np.nan, np.nan) if monitor is None else monitor.aucs(problem.data, state.w)
            record = Record(epoch, state.passes, seconds, objective, gap, *aucs)
            trace.records.append(record)
            finite = bool(np.isfinite(objective))
            converged = self.certified and finite and gap <= max(self.tol * objective, smallest)
            stopped = callback is not None and callback(record)
            if converged or stopped or state.ended or not finite:
                break
            start = run_clock()
        reached = converged or (not self.certified and finite)
        return Solution(state.w, objective, gap, epoch, reached, trace, state)


def is_due(certificates: str, epoch: int, max_epochs: int) -> bool:
    """Whether the gap, which may cost half an epoch, is computed after this epoch: always after the last one.

    "every", "second" or "last" epoch; or "doubling", after epochs 2, 4, 8, ..., for solvers whose gap falls slowly:
    the certificates cost at most a quarter of all epochs. One just before the last is omitted.

    Examples
    --------
    >>> [epoch for epoch in range(1, 13) if is_due("doubling", epoch, 12)]
    [2, 4, 12]
    """
    if epoch == max_epochs:
        return True
    if certificates == "doubling":
        return epoch > 1 and epoch & (epoch - 1) == 0 and 2 * (max_epochs - epoch) > epoch
    return certificates == "every" or (certificates == "second" and epoch % 2 == 0)
