"""What the one-pass learners share: their settings, the order of the rows, and the scale of their steps.

A sample weight, relative to the mean weight, multiplies the step of its row and the row's share in the statistics.
The statistics are exactly those of as many copies of the row; the weights w are so only to first order in the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucmax.problem.data import Data
from aucmax.solvers.base import Constraints, Solver
from aucmax.solvers.visiting_order import shuffled_blocks
from aucmax.validation.params import Option

TINY = 1e-300  # avoids division by zero


@dataclass(repr=False, kw_only=True)
class OnePassSolver(Solver):
    """A learner that makes one pass over the rows, with an L2 penalty or none: a baseline for streams.

    While a stream has contained only one class, there are no pairs to learn from: its latest 1000 rows are kept, and
    learned once the other class appears.

    Parameters
    ----------
    order : {"shuffled", "stream"}
        Visit the rows in shuffled blocks, or in the order of the table, even if it is sorted by label.
    max_epochs, tol
        See `Solver`. One pass does not reach a small tol; the ranking is close to the best long before.
    """

    order: str = "shuffled"
    max_epochs: int = 1

    parameter_constraints: ClassVar[Constraints] = {"order": [Option("shuffled", "stream")]}
    penalties = ("l2", "none")
    certificates = "last"
    online = True
    certified = False

    def row_order(self, data: Data, rng: np.random.Generator) -> np.ndarray:
        """Every row once, in the order set by `order`."""
        return np.arange(data.n) if self.order == "stream" else shuffled_blocks(data, rng)


def relative_weights(data: Data) -> np.ndarray:
    """Weights of the rows, relative to the mean weight of all rows seen."""
    pos, neg = data.raw_moments.pos, data.raw_moments.neg
    return data.weight * ((pos.count + neg.count) / (pos.weight + neg.weight))


def total_variance(data: Data) -> float:
    """Mean squared distance of all rows seen from their mean; never zero."""
    pos, neg = data.moments.pos, data.moments.neg
    weight = pos.weight + neg.weight
    within = (pos.trace + neg.trace) / weight
    return within + (pos.weight / weight) * (neg.weight / weight) * float(data.delta @ data.delta) or TINY
