"""What the one-pass learners share: their settings, the order of the rows, and steps of the right size.

A weight multiplies the step of its row, relative to the mean weight, and the share of the row in the statistics. The
statistics are those of as many copies; the weights are so to first order in the step, as copies come one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucmax.problem.data import Data
from aucmax.solvers.base import Constraints, Solver
from aucmax.solvers.shared.visiting_order import shuffled_blocks
from aucmax.validation.params import Option

TINY = 1e-300  # instead of a zero in a denominator


@dataclass(repr=False, kw_only=True)
class OnePassSolver(Solver):
    """A learner that makes one pass over the rows, for L2 or no penalty: a baseline for streams.

    While a stream has brought one class only, there are no pairs to learn from: its latest 1000 rows are kept, and
    learned once the other class comes.

    Parameters
    ----------
    order : {"shuffled", "stream"}
        Visit the rows in shuffled blocks, or in the order of the table.
    max_epochs, tol
        See `Solver`. One pass does not reach a small tol; the ranking is near the best long before.
    """

    order: str = "shuffled"
    max_epochs: int = 1

    parameter_constraints: ClassVar[Constraints] = {"order": [Option("shuffled", "stream")]}
    penalties = ("l2", "none")
    stochastic = True
    online = True
    certified = False

    def row_order(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """All rows once, in the order of the settings."""
        return np.arange(n) if self.order == "stream" else shuffled_blocks(n, rng)


def relative_weights(data: Data) -> np.ndarray:
    """Weights of the rows over the mean weight of all rows seen."""
    pos, neg = data.raw_moments.pos, data.raw_moments.neg
    return data.weight * ((pos.count + neg.count) / (pos.weight + neg.weight))


def total_variance(data: Data) -> float:
    """Mean squared distance of all rows seen to their mean; never zero."""
    pos, neg = data.moments.pos, data.moments.neg
    weight = pos.weight + neg.weight
    within = (pos.trace + neg.trace) / weight
    return within + (pos.weight / weight) * (neg.weight / weight) * float(data.delta @ data.delta) or TINY
