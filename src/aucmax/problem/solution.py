"""Solution, Trace and Monitor: what a run leaves behind, and what is looked at on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aucmax.metrics import auc_of_classes
from aucmax.numerics.matrix import dot


@dataclass(frozen=True)
class Record:
    """One evaluation of a run; `seconds` do not count the evaluations themselves.

    `auc` (on the training rows) and `validation_auc` are NaN unless a `Monitor` was given, `variance` (of the
    update) unless the solver knows it.
    """

    epoch: int
    passes: float
    seconds: float
    objective: float
    gap: float
    auc: float = np.nan
    validation_auc: float = np.nan
    variance: float = np.nan


Callback = Callable[[Any], bool | None]  # called with every `Record`; the run stops when it returns True


@dataclass
class Trace:
    """The records of a run, a column each: `trace["gap"]`."""

    records: list[Record] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, column: str) -> np.ndarray:
        return np.array([getattr(record, column) for record in self.records])


@dataclass
class Solution:
    """Weights in scaled units, with the certificate and the state from which the run can go on."""

    coef: np.ndarray
    objective: float
    gap: float
    n_epochs: int
    converged: bool
    trace: Trace
    state: Any


@dataclass
class Monitor:
    """AUC on the training rows and on a validation set (X, y as -1/+1), after every epoch."""

    validation: tuple[Any, np.ndarray] | None = None

    def aucs(self, data: Any, w: np.ndarray) -> tuple[float, float]:
        """Training and validation AUC of weights in scaled units."""
        training = _auc(data.scores(w), data.y)
        if self.validation is None:
            return training, np.nan
        X, y = self.validation
        return training, _auc(dot(X, w / data.scale), y)


def _auc(scores: np.ndarray, y: np.ndarray) -> float:
    return auc_of_classes(scores[y > 0], scores[y < 0])
