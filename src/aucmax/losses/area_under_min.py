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
