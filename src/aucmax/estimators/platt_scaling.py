"""`Calibration`: probabilities from scores by Platt scaling; scoring needs NumPy only.

Platt. "Probabilistic Outputs for Support Vector Machines." 1999; Newton steps as in Lin, Lin and Weng 2007.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled

FLATTEST = 1e-3  # smallest slope, per standard deviation of the scores: positive, so that their order is kept


class Calibration(NamedTuple):
    """Platt scaling: the probability of the positive class is 1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float  # of the log odds against the score
    intercept: float  # log odds at a score of zero

    @classmethod
    def fit(cls, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Calibration:
        """Maximum likelihood with smoothed labels, so that the slope is finite even if the scores are separable.

        Parameters
        ----------
        scores : array of shape (n,)
            The scores of the rows.
        y : array of shape (n,)
            The labels, 1 and -1.
        weight : array of shape (n,)
            The weights of the rows.

        Examples
        --------
        >>> calibration = Calibration.fit(np.array([-1.0, 0.0, 0.0, 1.0]), np.array([-1, 1, -1, 1]), np.ones(4))
        >>> calibration.slope > 0, abs(calibration.intercept) < 1e-9
        (True, True)
        """
        spread = float(scores.std()) or 1.0
        mean = float(scores.mean())
        slope, intercept = _newton(scores, y, weight, (mean, spread, *_soft_labels(y, weight)))
        slope = max(slope, FLATTEST) / spread
        return cls(float(slope), float(intercept - slope * mean))

    def shifted(self, zero: float) -> Calibration:
        """The same probabilities, for scores from which `zero` has been subtracted.

        Parameters
        ----------
        zero : float
            What has been subtracted.
        """
        at_half = -self.intercept / self.slope
        return Calibration(self.slope, self.slope * (zero - at_half))  # exactly 0 if zero is at probability 1/2

    def log_odds(self, scores: np.ndarray) -> np.ndarray:
        """Log-odds of the positive class.

        Parameters
        ----------
        scores : array of shape (n,)
            The scores of the rows.
        """
        return self.slope * scores + self.intercept

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities of the negative and the positive class, of shape (n, 2).

        Parameters
        ----------
        scores : array of shape (n,)
            The scores of the rows.
        """
        log_odds = self.log_odds(scores)
        return np.column_stack([_expit(-log_odds), _expit(log_odds)])

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Logarithms of the probabilities, without underflow.

        Parameters
        ----------
        scores : array of shape (n,)
            The scores of the rows.
        """
        log_odds = self.log_odds(scores)
        return np.column_stack([-np.logaddexp(0.0, log_odds), -np.logaddexp(0.0, -log_odds)])


def _expit(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), without overflow."""
    decay = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, decay) / (1.0 + decay)


def _soft_labels(y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """The labels 1 and 0 with Laplace smoothing; weights that sum to less than the number of rows are scaled up."""
    factor = max(1.0, np.count_nonzero(weight) / weight.sum())
    pos = factor * weight[y > 0].sum()
    neg = factor * weight[y < 0].sum()
    return (pos + 1.0) / (pos + 2.0), 1.0 / (neg + 2.0)


def _newton(
    scores: np.ndarray, y: np.ndarray, weight: np.ndarray, settings: tuple[float, float, float, float]
) -> tuple[float, float]:
    """Slope and intercept, for standardised scores, that minimise the weighted logistic loss; with backtracking."""
    theta = np.zeros(2)
    rows = (scores, y, weight, settings, 1.0 / weight.sum())
    value, gradient, hessian = _logistic(*rows, *theta)
    for _ in range(100):
        step = np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient)
        size = 1.0
        while (lower := _logistic(*rows, *(theta - size * step)))[0] > value and size > 1e-10:
            size /= 2
        gain = value - lower[0]
        theta = theta - size * step
        if gain <= 1e-12:
            break
        value, gradient, hessian = lower
    return theta[0], theta[1]


@compiled
def _logistic(scores, y, weight, settings, unit, slope, intercept):
    """Loss, gradient and Hessian; `unit` is the factor of the weights."""
    mean, spread, of_pos, of_neg = settings
    value = g0 = g1 = h00 = h01 = h11 = 0.0
    for i in range(scores.size):
        z = (scores[i] - mean) / spread
        p = unit * weight[i]
        target = of_pos if y[i] > 0 else of_neg
        logit = slope * z + intercept
        decay = np.exp(-abs(logit))
        probability = (1.0 if logit > 0.0 else decay) / (1.0 + decay)
        value += p * (max(logit, 0.0) + np.log1p(decay) - target * logit)
        g = p * (probability - target)
        h = p * probability * (1.0 - probability)
        g0 += g * z
        g1 += g
        h00 += h * z * z
        h01 += h * z
        h11 += h
    return value, np.array([g0, g1]), np.array([[h00, h01], [h01, h11]])
