"""Exponential: E[exp(-w.(x - x'))] = E+[exp(-w.x)] E-[exp(w.x)], which needs no sorting.

    Kotlowski, Dembczynski, Huellermeier. "Bipartite Ranking through Minimization of Univariate Loss." ICML 2011.

With k_i the share of row i in the mean of its own class, that is, softmax(-s + log r) over the positive rows and
softmax(s + log r) over the negative ones, the gradient is the value times sum_i -y_i k_i x_i. With u = Xv, and u' the
mean of u over the other class weighted by its k, the Hessian times v is the value times sum_i k_i (u_i - u') x_i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.losses.base import SmoothLoss

LARGEST = 300.0  # logarithm of the largest value returned: its square still fits in a double


class ExponentialEvaluation(NamedTuple):
    """The exponential loss at given scores; see `SmoothEvaluation`."""

    scores: np.ndarray  # of the rows
    y: np.ndarray  # labels of the rows
    value: float  # the loss
    shares: np.ndarray  # k_i of the rows

    @property
    def curvature(self) -> float:
        """Mean of the second derivative over all pairs."""
        return self.value

    def coefficients(self) -> np.ndarray:
        """c such that gradient = sum_i c_i x_i."""
        return -self.value * self.y * self.shares

    def product(self, u: np.ndarray) -> np.ndarray:
        """h such that Hessian v = sum_i h_i x_i, for u = Xv."""
        pos, neg = (float(self.shares[side] @ u[side]) for side in (self.y > 0, self.y < 0))
        return self.value * self.shares * (u - np.where(self.y > 0, neg, pos))


class Exponential(SmoothLoss):
    """E[exp(-w.(x - x'))]; saturates at exp(300), so that value, gradient and gap are always finite."""

    name = "exponential"

    def at(self, data: Any, scores: np.ndarray) -> ExponentialEvaluation:
        """The loss at given scores of the rows."""
        logarithm, shares = _log_mean_and_shares(data, scores)
        return ExponentialEvaluation(scores, data.y, float(np.exp(min(logarithm, LARGEST))), shares)

    def l1_lower_bound(self, data: Any, w: np.ndarray, value: float, slope: float, tau: float) -> float:
        """The dual at exp(-m) times the best factor up to tau."""
        if value == 0.0:
            return 0.0
        log_tau = min(-slope / value, float(np.log(tau)))
        return max(0.0, float(np.exp(min(log_tau, LARGEST))) * ((1.0 - log_tau) * value - slope))


def _log_mean_and_shares(data: Any, scores: np.ndarray) -> tuple[float, np.ndarray]:
    """Logarithm of E+[exp(-s)] E-[exp(s)], and the share of each row in the mean of its class."""
    exponents = -data.y * scores
    shares = np.empty(data.n)
    logarithm = 0.0
    for members in (data.y > 0, data.y < 0):
        largest = exponents[members].max()
        terms = data.r[members] * np.exp(exponents[members] - largest)
        shares[members] = terms / terms.sum()
        logarithm += float(largest + np.log(terms.sum()))
    return logarithm, shares
