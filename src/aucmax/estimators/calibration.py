"""Probabilities and thresholds from out-of-fold scores.

Platt scaling: Platt 1999, with Newton steps as in Lin, Lin and Weng 2007.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import expit, log_expit
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.decision import prior_cut
from aucmax.estimators.fitted_state import reads_one_state
from aucmax.metrics import threshold_for
from aucmax.numerics.compiled import compiled
from aucmax.validation.inputs import LabeledData
from aucmax.validation.params import Option

FLATTEST = 1e-3  # smallest slope, per standard deviation of the scores: positive, so that their order is kept


class Calibration(NamedTuple):
    """Platt scaling: the probability of the positive class is 1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float  # of the log odds against the score
    intercept: float  # log odds at a score of zero

    @classmethod
    def fit(cls, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Calibration:
        """Maximum likelihood with smoothed labels, so that the slope is finite even if the scores are separable.

        Examples
        --------
        >>> calibration = Calibration.fit(np.array([-1.0, 0.0, 0.0, 1.0]), np.array([-1, 1, -1, 1]), np.ones(4))
        >>> calibration.slope > 0, abs(calibration.intercept) < 1e-9
        (True, True)
        """
        spread = float(scores.std()) or 1.0
        z = (scores - scores.mean()) / spread
        slope, intercept = _newton(z, _soft_labels(y, weight), weight / weight.sum())
        slope = max(slope, FLATTEST) / spread
        return cls(float(slope), float(intercept - slope * scores.mean()))

    def shifted(self, zero: float) -> Calibration:
        """The same probabilities, for scores from which `zero` has been subtracted."""
        at_half = -self.intercept / self.slope
        return Calibration(self.slope, self.slope * (zero - at_half))  # exactly 0 if zero is at probability 1/2

    def log_odds(self, scores: np.ndarray) -> np.ndarray:
        """Log-odds of the positive class."""
        return self.slope * scores + self.intercept

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities of the negative and the positive class, of shape (n, 2)."""
        log_odds = self.log_odds(scores)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Logarithms of the probabilities, without underflow."""
        log_odds = self.log_odds(scores)
        return np.column_stack([log_expit(-log_odds), log_expit(log_odds)])


class CalibratedMixin:
    """Probabilities and thresholds from out-of-fold scores: an estimator calls `_calibrate` at the end of `fit`."""

    parameter_constraints: ClassVar[dict[str, Any]] = {"decision": [Option("prior", "probability", "balanced")]}

    classes_: np.ndarray
    decision: str
    decision_function: Any

    @reads_one_state
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two classes, calibrated on the out-of-fold scores.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        scores = self.decision_function(X)
        return self.calibration_.probabilities(scores)

    @reads_one_state
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`, without underflow.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        scores = self.decision_function(X)
        return self.calibration_.log_probabilities(scores)

    @reads_one_state
    def threshold_at(
        self,
        *,
        fpr: float | None = None,
        tpr: float | None = None,
        precision: float | None = None,
        pos_label: Any = None,
    ) -> float:
        """The threshold on the scores that achieves a rate on the out-of-fold scores.

        Give exactly one of `fpr`, the maximum false positive rate; `tpr`, the minimum recall; or `precision`, the
        minimum precision. Rows that score at least the threshold are called positive.

        The rates are those of finding `pos_label`, by default `classes_[1]`. For `classes_[0]` the scores are read
        the other way round: rows that score at most the threshold are called `pos_label`.

        Parameters
        ----------
        fpr, tpr, precision : float, optional
            The rate to achieve on the out-of-fold scores: at most this false positive rate, or at least this true
            positive rate or precision.
        pos_label : label, optional
            The class whose rates are meant; the positive one if not given.
        """
        check_is_fitted(self, "calibration_")
        rates = {"fpr": fpr, "tpr": tpr, "precision": precision}
        return threshold_at(*self._held_out_scores(), swapped=is_swapped(pos_label, self.classes_), rates=rates)

    def _held_out_scores(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Out-of-fold scores, classes -1/+1 and weights of the rows."""
        return self.oof_scores_, self._oof_labels, self._oof_weight

    def _calibration(self) -> Calibration:
        """From scores to probabilities."""
        return self.calibration_

    def _calibrate(self, scores: np.ndarray, table: LabeledData) -> float:
        """Store out-of-fold scores and calibration, with zero where `decision` says; return the shift of zero."""
        seen = ~np.isnan(scores)
        weight = _class_total_weights(seen, table)
        calibration = Calibration.fit(scores[seen], table.y[seen], weight[seen])
        zero = 0.0  # out-of-fold scores have it midway between the class means
        if self.decision == "prior":
            zero = prior_cut(scores[seen], table.y[seen], weight[seen])
        elif self.decision == "probability":
            zero = -calibration.intercept / calibration.slope
        self.calibration_ = calibration.shifted(zero)
        self.oof_scores_ = scores - zero
        self._oof_labels = table.y
        self._oof_weight = weight
        return zero


def is_swapped(pos_label: Any, classes: np.ndarray) -> bool:
    """Whether `pos_label` is the first of the two classes, so that low scores speak for it."""
    labels = classes.tolist()
    if pos_label is not None and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not a label; choose one of {labels}")
    return pos_label is not None and pos_label == labels[0]


def threshold_at(
    scores: np.ndarray, y: np.ndarray, weight: np.ndarray, *, swapped: bool, rates: dict[str, float | None]
) -> float:
    """The threshold for a rate of finding the positives or, if `swapped`, the negatives; NaN scores are ignored."""
    seen = ~np.isnan(scores)
    sign = -1.0 if swapped else 1.0
    return sign * threshold_for(sign * y[seen], sign * scores[seen], sample_weight=weight[seen], **rates)


def _class_total_weights(seen: np.ndarray, table: LabeledData) -> np.ndarray:
    """Weights that restore the total weight of each class among the scored rows: a subsample may be balanced."""
    weight = table.weight.copy()
    for mine in (table.y > 0, table.y < 0):
        weight[mine] *= table.weight[mine].sum() / table.weight[mine & seen].sum()
    return weight


def _soft_labels(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Labels 0/1 with Laplace smoothing; weights that sum to less than the number of rows are scaled up to it."""
    count = weight * max(1.0, np.count_nonzero(weight) / weight.sum())
    pos, neg = count[y > 0].sum(), count[y < 0].sum()
    return np.where(y > 0, (pos + 1.0) / (pos + 2.0), 1.0 / (neg + 2.0))


def _newton(z: np.ndarray, target: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Slope and intercept that minimise the weighted logistic loss, by Newton steps with backtracking."""
    theta = np.zeros(2)
    value, gradient, hessian = _logistic(z, target, weight, *theta)
    for _ in range(100):
        step = np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient)
        size = 1.0
        while (lower := _logistic(z, target, weight, *(theta - size * step)))[0] > value and size > 1e-10:
            size /= 2
        gain = value - lower[0]
        theta = theta - size * step
        if gain <= 1e-12:
            break
        value, gradient, hessian = lower
    return theta[0], theta[1]


@compiled
def _logistic(z, target, weight, slope, intercept):
    """Loss, gradient and Hessian."""
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
    return value, np.array([g0, g1]), np.array([[h00, h01], [h01, h11]])
