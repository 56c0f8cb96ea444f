"""The squared loss of all rows of a source, in one pass: for tables too wide for a scatter matrix.

With m the mean of a class and r the weights in it, its part of S w is sum_i r_i x_i (x_i.w - m.w): partitions add up
vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.losses import Squared
from aucmax.losses.squared import within_product
from aucmax.problem.data import Data
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows


def with_rows(data: Data, rows: NumberedRows) -> Data:
    """The statistics of all rows, and the rows of a chunk."""
    return Data(*rows.data, data.raw_moments, data.scale, data.shift)


@dataclass(frozen=True, eq=False)
class WithinProductOf:
    """What the rows of a chunk add to S w."""

    data: Data
    w: np.ndarray

    def __call__(self, rows: NumberedRows) -> np.ndarray:
        """A vector of one number a column."""
        return within_product(with_rows(self.data, rows), self.w)


class SquaredInPasses(Squared):
    """The squared loss, with a pass over the rows for every value and gradient."""

    def __init__(self, passes: Passes):
        self.passes = passes

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient Sw - (1 - w.delta) delta."""
        Sw = self.passes.run(WithinProductOf(data, w), "certificate")
        shortfall = 1.0 - w @ data.delta
        return 0.5 * float(w @ Sw + shortfall**2), Sw - shortfall * data.delta
