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

from aucmax.losses.analytic_sums import ChebyshevBoxes, chebyshev_tables
from aucmax.losses.base import Loss


class Sigmoid(Loss):
    """E[1/(1 + exp(w.(x - x')))], which tends to 1 - AUC as w grows."""

    name = "sigmoid"
    convex = False

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient."""
        scores = data.scores(w)
        scores -= scores.mean()
        pos, neg = (ChebyshevBoxes.of(scores[side], data.r[side]) for side in (data.y > 0, data.y < 0))
        values, slopes = _tables()
        value = np.vdot(pos.moments, pos.sums(neg, values, 1.0))
        c = np.empty(data.n)
        c[data.y > 0] = pos.values(pos.sums(neg, slopes, 0.0))
        c[data.y < 0] = -neg.values(neg.sums(pos, slopes, 0.0))  # f' is even
        return max(0.0, float(value)), data.combine(data.r * c)

    def l1_lower_bound(self, data: Any, w: np.ndarray, l1: float) -> float:
        """Zero, since the loss is non-negative."""
        return 0.0


@cache
def _tables() -> tuple[np.ndarray, np.ndarray]:
    """The expansions of f and of its derivative, -f(m) f(-m)."""
    return chebyshev_tables(lambda m: expit(-m)), chebyshev_tables(lambda m: -expit(m) * expit(-m))
