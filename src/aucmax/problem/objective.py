"""Problem: the objective that is minimised, and its certificate.

    P(w) = E[loss(w.(x - x'))] + l1 |w|_1 + l2/2 |w|^2,    x a positive row, x' a negative one

A certificate holds for the computed numbers: it adds what rounding may have changed (docs/mathematics.md, section
5.1). With e the root mean square of the errors of the scores, and a_j = sqrt(sum_i r_i x_ij^2), whose sums over
pairs and rows Cauchy-Schwarz bounds:

    margins      E|error| <= sqrt(2) e,    E[error^2] <= 2 e^2
    gradient     sum_i |c_i x_ij| <= sqrt(sum_i c_i^2 / r_i) a_j,    times the relative error of a sum
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.penalties import Ball, ElasticNet
from aucmax.problem.data import Data

ROOT2 = 2.0**0.5


class Rounding(NamedTuple):
    """Bounds on the rounding errors of a loss at given weights."""

    value: float  # of the loss
    slack: float  # how far the computed gradient's plane through the loss may lie above the loss elsewhere
    gradient: np.ndarray | float  # of every entry of the gradient


class Scores(NamedTuple):
    """Scores of the rows, possibly accumulated over several steps."""

    scores: np.ndarray
    error: float  # root mean square of their rounding errors


class Plane(NamedTuple):
    """loss(v) >= loss(w) - slack + g.(v - w) for all v, up to the error of g."""

    slack: float
    gradient: np.ndarray  # g
    error: np.ndarray | float  # a bound on the rounding error of every entry of g


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
        rounding = self.loss.rounding(self.data, w, value, scores)
        gap = objective + rounding.value  # no loss is negative
        if self.loss.convex:
            gap = np.fmin(gap, self._excess(w, objective, gradient, rounding))
        return objective, float(gap)

    def _excess(self, w: np.ndarray, objective: float, gradient: np.ndarray, rounding: Rounding) -> float:
        """An upper bound on P(w) - min P for a convex loss, rounding errors included."""
        if self.penalty.kind == "none":
            return self.loss.unpenalised_excess(self.data, w) + rounding.value
        if self.penalty.kind == "l1":
            lower = self.loss.l1_lower_bound(self.data, w, self.penalty.l1, rounding.gradient)
            return max(objective - lower, 0.0) + 4.0 * rounding.value
        planes = [Plane(0.0, gradient, rounding.gradient)]
        if not self.loss.smooth:
            planes += self.loss.near_subgradients(self.data, w)
        gap = np.inf
        for slack, g, error in planes:
            gap = min(gap, slack + self.penalty.fenchel_gap(w, -g, error))
        return gap + rounding.slack

    def gap(self, w: np.ndarray) -> float:
        """An upper bound on P(w) - min P."""
        return self.certify(w)[1]


def rounding_of_sum(terms: float) -> float:
    """Relative rounding error of a sum, which grows as the root of the number of terms.

    Only with negligible probability is it larger (Higham, Mary. "A New Approach to Probabilistic Rounding Error
    Analysis." SIAM J. Sci. Comput. 2019); the worst case would grow as the number of terms.
    """
    return (4.0 + 2.0 * terms**0.5) * np.finfo(float).eps


def error_of_scores(data: Any, w: np.ndarray) -> float:
    """Root mean square of the rounding errors of the scores w.x."""
    return rounding_of_sum(data.dim) * float(data.root_mean_squares @ np.abs(w))


def lipschitz_rounding(data: Any, value: float, error: float, slack: float) -> Rounding:
    """For a loss whose derivative is at most 1, at scores with the given error."""
    relative = rounding_of_sum(data.n)
    return Rounding(ROOT2 * error + relative * (1.0 + value), slack, relative * ROOT2 * data.root_mean_squares)
