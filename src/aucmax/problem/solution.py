"""Solution, Trace and Monitor: the result of a run, and what is recorded along the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aucmax.metrics.auc import auc_of_classes
from aucmax.numerics.matrix import dot


@dataclass(frozen=True)
class Record:
    """One evaluation of a run."""

    epoch: int  # counted from 1
    passes: float  # over the data so far
    seconds: float  # spent by the solver so far, not counting evaluations and compilation
    objective: float  # P(w), penalty included
    gap: float  # upper bound on the objective minus its minimum
    auc: float = np.nan  # on the training rows, if there is a `Monitor`
    validation_auc: float = np.nan  # on its validation set, if there is one


Callback = Callable[[Any], bool | None]  # called with every `Record`; the run stops when it returns True


@dataclass
class Trace:
    """The records of a run, by column: `trace["gap"]`."""

    records: list[Record] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, column: str) -> np.ndarray:
        return np.array([getattr(record, column) for record in self.records])


@dataclass
class Solution:
    """What a solver returns."""

    coef: np.ndarray  # weights in scaled units
    objective: float  # P(w), penalty included
    gap: float  # upper bound on the objective minus its minimum
    n_epochs: int  # epochs run
    converged: bool  # whether the gap reached `tol`, or for an uncertified solver the objective is finite
    trace: Trace  # one record per evaluation, of each epoch or, where it costs too much, of some
    state: Any  # from which the run can be resumed


@dataclass
class Monitor:
    """Computes AUC on the training rows and on a validation set (X, y as -1/+1) after every epoch."""

    validation: tuple[Any, np.ndarray] | None = None

    def aucs(self, data: Any, w: np.ndarray) -> tuple[float, float]:
        """Training and validation AUC of weights w in scaled units."""
        training = _auc(data.scores(w), data.y)
        if self.validation is None:
            return training, np.nan
        X, y = self.validation
        return training, _auc(dot(X, w / data.scale), y)


def _auc(scores: np.ndarray, y: np.ndarray) -> float:
    return auc_of_classes(scores[y > 0], scores[y < 0])
