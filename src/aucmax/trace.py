"""Solution and Trace: what a run leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Record(NamedTuple):
    """One evaluation of a run; `seconds` do not count the evaluations themselves."""

    epoch: int
    passes: float
    seconds: float
    objective: float
    gap: float


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
