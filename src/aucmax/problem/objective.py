"""Problem: the objective that is minimised, and its certificate.

P(w) = E[loss(w.(x - x'))] + l1 |w|_1 + l2/2 |w|^2,    x a positive row, x' a negative one
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.losses.base import Plane
from aucmax.losses.rounding import Rounding, Scores, rounding_bounds
from aucmax.penalties import Ball, ElasticNet
from aucmax.problem.data import Data


class ProblemSpec(NamedTuple):
    """The objective as users specify it, before there are any data (docs/mathematics.md, section 1)."""

    loss: Any  # a `Loss`
    alpha: float | str  # strength of the penalty, or "auto"
    l1_ratio: float  # share of the l1 norm in the penalty
    standardize: bool  # whether columns are divided by their standard deviation


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

    def certify(
        self, w: np.ndarray, loss: tuple[float, np.ndarray] | None = None, scores: Scores | None = None
    ) -> tuple[float, float]:
        """P(w) and an upper bound on P(w) - min P, P(w) itself if not convex (docs/mathematics.md, section 5).

        If they are known: the value and the gradient of the loss at w, and the scores.
        """
        value, gradient = self.loss.value_and_gradient(self.data, w) if loss is None else loss
        objective = value + self.penalty.value(w)
        rounding = rounding_bounds(self.loss, self.data, w, value, scores)
        gap = objective + rounding.value  # no loss is negative
        if self.loss.convex:
            gap = np.fmin(gap, self._excess(w, value, gradient, rounding))
        return objective, float(gap)

    def _excess(self, w: np.ndarray, value: float, gradient: np.ndarray, rounding: Rounding) -> float:
        """An upper bound on P(w) - min P for a convex loss, rounding errors included."""
        if self.penalty.kind == "none":
            return self.loss.unpenalised_excess(self.data, w) + rounding.value
        planes = [Plane(0.0, gradient, rounding.gradient), *self.loss.near_subgradients(self.data, w)]
        if self.penalty.kind == "l1":
            lower = max(self._l1_lower_bound(w, value, plane) for plane in planes)
            return max(value + self.penalty.value(w) - lower, 0.0) + 4.0 * rounding.value
        gap = np.inf
        for slack, g, error in planes:
            gap = min(gap, slack + self.penalty.fenchel_gap(w, -g, error))
        return gap + rounding.slack

    def _l1_lower_bound(self, w: np.ndarray, value: float, plane: Plane) -> float:
        """A lower bound on min P, for an l1 penalty alone."""
        slack, g, error = plane
        steepest = (np.abs(g) + error).max(initial=0.0)
        tau = self.penalty.l1 / steepest if steepest > 0 else np.inf
        slope = float(w @ g + (np.abs(w) * error).sum())
        return self.loss.l1_lower_bound(self.data, w, value - slack, slope, tau)

    def gap(self, w: np.ndarray) -> float:
        """An upper bound on P(w) - min P."""
        return self.certify(w)[1]
