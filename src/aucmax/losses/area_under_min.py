"""Area under the minimum of the false positive and the false negative rate, as a function of the weights.

    Hillman, Hocking. "Optimizing ROC Curves with a Sort-Based Surrogate Loss." JMLR 2023.

With the rows in descending order of score s, and FP and FN the error rates if the first rows are predicted positive,

    AUM = integral of min(FP, FN) = sum_i g_i s_i,    g_i = min(FP, FN) after row i minus before it

so that sum_i g_i x_i is a gradient; where scores are tied, any order gives a subgradient
(`aum.value.aum_subgradient` moves tied thresholds together). AUM is convex, and since AUM(c w) = c AUM(w) for c > 0,
its minimum is 0, at w = 0: a solver has to keep w away from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.losses.base import Loss
from aucmax.problem.objective import ROOT2, Rounding, Scores, error_of_scores, lipschitz_rounding, rounding_of_sum


class AreaUnderMin(Loss):
    """AUM of error rates: not a mean over pairs, but also convex, non-negative and independent of the class prior."""

    name = "aum"

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """AUM at w and a subgradient."""
        scores = data.scores(w)
        order = np.argsort(-scores)
        share = data.r[order]
        is_pos = data.y[order] > 0
        false_pos = np.cumsum(np.where(is_pos, 0.0, share))
        false_neg = 1.0 - np.cumsum(np.where(is_pos, share, 0.0))
        least = np.minimum(false_pos, false_neg)
        least[-1] = 0.0
        coefficients = np.empty(order.size)
        coefficients[order] = np.diff(least, prepend=0.0)
        return max(float(coefficients @ (scores - scores.mean())), 0.0), data.combine(coefficients)

    def rounding(self, data: Any, w: np.ndarray, value: float, scores: Scores | None = None) -> Rounding:
        """Bounds on rounding errors; rates are sums over all rows, whatever the weight of a single one."""
        error = error_of_scores(data, w) if scores is None else scores.error
        bounds = lipschitz_rounding(data, value, error, slack=ROOT2 * error)
        rates = rounding_of_sum(0) * data.n**0.5 / data.r.min() ** 0.5 * data.root_mean_squares
        return bounds._replace(gradient=bounds.gradient + rates)

    def l1_lower_bound(self, data: Any, w: np.ndarray, l1: float, error: np.ndarray | float = 0.0) -> float:
        """Zero, which is attained at w = 0."""
        return 0.0
