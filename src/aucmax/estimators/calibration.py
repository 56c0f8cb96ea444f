"""Probabilities and thresholds from out-of-fold scores.

Platt scaling: Platt 1999, with Newton steps as in Lin, Lin and Weng 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from aucmax.metrics import threshold_for
from aucmax.numerics.compiled import compiled
from aucmax.validation.inputs import LabeledData

FLATTEST = 1e-3  # smallest slope, in standard deviations of the scores: the order of the scores is kept


CHOICES = ("best", "one_se")


def check_choice(choice: Any) -> None:
    """Refuse an unknown rule for the choice of alpha."""
    if choice not in CHOICES:
        raise ValueError(f"choice={choice!r}; choose one of {list(CHOICES)}")


@dataclass(frozen=True)
class Platt:
    """Probability of the positive class 1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float
    intercept: float

    @classmethod
    def fit(cls, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Platt:
        """Maximum likelihood against slightly softened labels, which keeps separable scores finite.

        Examples
        --------
        >>> sigmoid = Platt.fit(np.array([-1.0, 0.0, 0.0, 1.0]), np.array([-1, 1, -1, 1]), np.ones(4))
        >>> sigmoid.slope > 0, abs(sigmoid.intercept) < 1e-9
        (True, True)
        """
        spread = float(scores.std()) or 1.0
        z = (scores - scores.mean()) / spread
        slope, intercept = _newton(z, _soft_labels(y, weight), weight / weight.sum())
        slope = max(slope, FLATTEST) / spread
        return cls(float(slope), float(intercept - slope * scores.mean()))

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """Probability of the positive class."""
        return expit(self.slope * scores + self.intercept)

    @property
    def midpoint(self) -> float:
        """The score whose probability is one half."""
        return -self.intercept / self.slope


class Calibrated:
    """Probabilities, thresholds and the picture of the path, from out-of-fold scores.

    An estimator with `decision_function`, `alphas_` and `cv_auc_` calls `_calibrate` at the end of `fit`.
    """

    alphas_: np.ndarray
    cv_auc_: np.ndarray
    decision_function: Any

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two classes, calibrated on the out-of-fold scores."""
        scores = self.decision_function(X)
        probability = self.calibration_(scores)
        return np.column_stack([1.0 - probability, probability])

    def threshold_at(
        self, *, fpr: float | None = None, tpr: float | None = None, precision: float | None = None
    ) -> float:
        """Smallest score to call positive, so that the out-of-fold scores keep a rate.

        Give one of: `fpr`, the highest false positive rate; `tpr`, the lowest recall; `precision`, the lowest one.
        """
        check_is_fitted(self, "calibration_")
        seen = ~np.isnan(self.oof_scores_)
        y, scores, weight = self._oof_labels[seen], self.oof_scores_[seen], self._oof_weight[seen]
        return threshold_for(y, scores, fpr=fpr, tpr=tpr, precision=precision, sample_weight=weight)

    def plot_path(self, ax: Any = None) -> Any:
        """Draw the cross-validated AUC against alpha; needs matplotlib (`pip install aucmax[plot]`)."""
        from aucmax.plots.alpha_path import plot_path

        check_is_fitted(self, "calibration_")
        return plot_path(self.alphas_, self.cv_auc_, ax)

    def _calibrate(self, scores: np.ndarray, table: LabeledData) -> float:
        """Keep the out-of-fold scores and their sigmoid, both with zero at one half; return what moves there."""
        seen = ~np.isnan(scores)
        weight = _standing_for_all(seen, table)
        curve = Platt.fit(scores[seen], table.y[seen], weight[seen])
        self.calibration_ = Platt(curve.slope, 0.0)
        self.oof_scores_ = scores - curve.midpoint
        self._oof_labels, self._oof_weight = table.y, weight
        return curve.midpoint


def _standing_for_all(seen: np.ndarray, table: LabeledData) -> np.ndarray:
    """Weights with which the rows seen of each class weigh as much as all of it: samples may take more of one."""
    weight = table.weight.copy()
    for mine in (table.y > 0, table.y < 0):
        weight[mine] *= table.weight[mine].sum() / table.weight[mine & seen].sum()
    return weight


def _soft_labels(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Labels 0/1 moved inwards by Laplace's rule; weights that sum to less than the rows count as shares of these."""
    count = weight * max(1.0, np.count_nonzero(weight) / weight.sum())
    pos, neg = count[y > 0].sum(), count[y < 0].sum()
    return np.where(y > 0, (pos + 1.0) / (pos + 2.0), 1.0 / (neg + 2.0))


def _newton(z: np.ndarray, target: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of least weighted logistic loss, by Newton steps with backtracking."""
    theta = np.zeros(2)
    value, gradient, hessian = _logistic(z, target, weight, theta)
    for _ in range(100):
        step = np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient)
        size = 1.0
        while (lower := _logistic(z, target, weight, theta - size * step))[0] > value and size > 1e-10:
            size /= 2
        gain, theta = value - lower[0], theta - size * step
        if gain <= 1e-12:
            break
        value, gradient, hessian = lower
    return theta[0], theta[1]


def _logistic(z: np.ndarray, target: np.ndarray, weight: np.ndarray, theta: np.ndarray) -> tuple:
    """Loss, gradient and Hessian at (slope, intercept) = theta."""
    value, by_slope, by_intercept, both_slope, mixed, both_intercept = _logistic_sums(z, target, weight, *theta)
    return value, np.array([by_slope, by_intercept]), np.array([[both_slope, mixed], [mixed, both_intercept]])


@compiled
def _logistic_sums(z, target, weight, slope, intercept):
    value = g0 = g1 = h00 = h01 = h11 = 0.0
    for i in range(z.size):
        logit = slope * z[i] + intercept
        decay = np.exp(-abs(logit))
        probability = (1.0 if logit > 0.0 else decay) / (1.0 + decay)
        value += weight[i] * (max(logit, 0.0) + np.log1p(decay) - target[i] * logit)
        g = weight[i] * (probability - target[i])
        h = weight[i] * probability * (1.0 - probability)
        g0 += g * z[i]
        g1 += g
        h00 += h * z[i] * z[i]
        h01 += h * z[i]
        h11 += h
    return value, g0, g1, h00, h01, h11
