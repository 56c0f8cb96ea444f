"""Logistic: the mean of f(m) = log(1 + exp(-m)) over the margins m = s - s' of all pairs, as in RankNet.

    Burges et al. "Learning to Rank using Gradient Descent." ICML 2005.

f is analytic within pi of the real line, 0 far above zero and -m far below it, so that analytic_sums.py computes its
sums over pairs, and those of its derivatives, exactly up to rounding in O(n). With F'_i and F''_i the sums of f' and
f'' over the partners of row i, each times the partner's weight,

    gradient = sum_i r_i y_i F'_i x_i         Hessian v = sum_i r_i (F''_i u_i - U_i) x_i,   u = Xv

with U_i the sum of f'' over the partners, each times the partner's weight and u.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr, expit

from aucmax.losses.analytic_sums import BoxedRows, BoxMoments, Line, MarginFunction
from aucmax.losses.base import SmoothLoss


@dataclass(frozen=True, eq=False)
class LogisticEvaluation:
    """The logistic loss at given scores; see `SmoothEvaluation`."""

    scores: np.ndarray  # of the rows
    r: np.ndarray  # weights of the rows, summing to 1 in each class
    rows: BoxedRows
    moments: BoxMoments  # for the weights r

    @classmethod
    def of(cls, scores: np.ndarray, y: np.ndarray, r: np.ndarray) -> LogisticEvaluation:
        """The loss of rows with labels -1 and 1 and weights that sum to 1 in each class."""
        rows = BoxedRows.of(scores - scores.mean(), y)
        return cls(scores, r, rows, rows.moments(r))

    @cached_property
    def value(self) -> float:
        """The loss."""
        return max(self.moments.over_pairs(derivatives().value), 0.0)  # NaN stays NaN

    @cached_property
    def curvature(self) -> float:
        """Mean of the second derivative over all pairs."""
        return max(self.moments.over_pairs(derivatives().second), 0.0)

    def coefficients(self) -> np.ndarray:
        """c such that gradient = sum_i c_i x_i."""
        return self.r * self.rows.y * self.rows.values(self.moments, derivatives().first)

    def product(self, u: np.ndarray) -> np.ndarray:
        """h such that Hessian v = sum_i h_i x_i, for u = Xv."""
        u = u - u.mean()  # the Hessian does not see a shift, rounding does
        return self.r * (self._second * u - self.rows.values(self.rows.moments(self.r * u), derivatives().second))

    @cached_property
    def _second(self) -> np.ndarray:
        """F''_i of the rows."""
        return self.rows.values(self.moments, derivatives().second)


class Logistic(SmoothLoss):
    """E[log(1 + exp(-w.(x - x')))]."""

    name = "logistic"

    def at(self, data: Any, scores: np.ndarray) -> LogisticEvaluation:
        """The loss at given scores of the rows."""
        return LogisticEvaluation.of(scores, data.y, data.r)

    def l1_lower_bound(self, data: Any, w: np.ndarray, value: float, slope: float, tau: float) -> float:
        """The dual at alpha = -tau f'(m), for tau of at most 1: the mean entropy of alpha."""
        tau = min(tau, 1.0)
        entropy = MarginFunction.of(lambda m: _entropy(m, tau), low=Line(float(_entropy(np.array(-np.inf), tau))))
        return max(self.at(data, data.scores(w)).moments.over_pairs(entropy), 0.0)


def _entropy(m: np.ndarray, tau: float) -> np.ndarray:
    """-alpha log(alpha) - (1 - alpha) log(1 - alpha) for alpha = tau / (1 + exp(m))."""
    return entr(tau * expit(-m)) + entr((1.0 - tau) * expit(-m) + expit(m))


class Derivatives(NamedTuple):
    """f and its derivatives."""

    value: MarginFunction
    first: MarginFunction
    second: MarginFunction


@cache
def derivatives() -> Derivatives:
    """The expansions of f, f' and f''."""
    return Derivatives(
        MarginFunction.of(lambda m: np.logaddexp(0.0, -m), low=Line(slope=-1.0)),
        MarginFunction.of(lambda m: -expit(-m), low=Line(offset=-1.0)),
        MarginFunction.of(lambda m: expit(m) * expit(-m)),
    )
