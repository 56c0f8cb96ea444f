"""Sigmoid: 1 - AUC with its steps smoothed, over all pairs, without visiting each pair.

    Herschtal, Raskutti. "Optimising Area Under the ROC Curve Using Gradient Descent." ICML 2004.

This is the mean of f(m) = 1/(1 + exp(m)) over the margins m = s - s' of all pairs. Since f has no pole within pi of
the real line, the sums over pairs are computed by analytic_sums.py. Since f is not convex, the only certified gap is
the loss itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit

from aucmax.losses.analytic_sums import BoxedRows, Line, MarginFunction
from aucmax.losses.base import Loss


class Sigmoid(Loss):
    """E[1/(1 + exp(w.(x - x')))], which tends to 1 - AUC as w grows."""

    name = "sigmoid"
    convex = False

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient."""
        scores = data.scores(w)
        rows = BoxedRows.of(scores - scores.mean(), data.y)
        moments = rows.moments(data.r)
        sigmoid, slope = _functions()
        c = data.r * data.y * rows.values(moments, slope)
        return max(moments.over_pairs(sigmoid), 0.0), data.combine(c)


@cache
def _functions() -> tuple[MarginFunction, MarginFunction]:
    """f and its derivative, -f(m) f(-m)."""
    return (
        MarginFunction.of(lambda m: expit(-m), low=Line(offset=1.0)),
        MarginFunction.of(lambda m: -expit(m) * expit(-m)),
    )
