"""Problem: the objective that is minimised.

P(w) = E[loss(w.(x - x'))] + l1 |w|_1 + l2/2 |w|^2,    x a positive row, x' a negative one
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.penalties import Ball, ElasticNet
from aucmax.problem.data import Data

ROUNDING = np.finfo(float).eps / 2  # rounding error of P(0) = 1/2: a smaller gap counts as zero


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, a loss and a penalty."""

    data: Data
    loss: Any
    penalty: ElasticNet | Ball

    def objective(self, w: np.ndarray) -> float:
        """P(w)."""
        return self.loss.value_and_gradient(self.data, w)[0] + self.penalty.value(w)

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Gradient of the loss at w, without the penalty."""
        return self.loss.value_and_gradient(self.data, w)[1]

    def certify(self, w: np.ndarray) -> tuple[float, float]:
        """P(w) and an upper bound on P(w) - min P, P(w) itself if not convex (docs/mathematics.md, section 5)."""
        value, gradient = self.loss.value_and_gradient(self.data, w)
        objective = value + self.penalty.value(w)
        if not self.loss.convex:
            return objective, objective
        kind = self.penalty.kind
        if kind == "none":
            gap = self.loss.unpenalised_excess(self.data, w)
            return objective, gap if gap > ROUNDING else 0.0
        error = self.loss.gradient_error(self.data, w)
        if kind == "l1":
            gap = objective - self.loss.l1_lower_bound(self.data, w, self.penalty.l1)
            gap += float((np.abs(w) * error).sum())
            return objective, gap if gap > ROUNDING else 0.0
        gap = np.inf
        planes = [(0.0, gradient)]
        if not self.loss.smooth:
            planes += self.loss.near_subgradients(self.data, w)
        for slack, g in planes:
            gap = min(gap, slack + self.penalty.fenchel_gap(w, -g, error))
        return objective, gap

    def gap(self, w: np.ndarray) -> float:
        """An upper bound on P(w) - min P."""
        return self.certify(w)[1]
