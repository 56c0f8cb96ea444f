"""Probabilities and thresholds from out-of-fold scores."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.decision import prior_cut
from aucmax.estimators.platt_scaling import Calibration
from aucmax.estimators.thresholds import ThresholdMixin
from aucmax.metrics.delong import Interval, weighted_auc_interval
from aucmax.validation.inputs import LabeledData
from aucmax.validation.params import Option


class CalibratedMixin(ThresholdMixin):
    """Probabilities and thresholds from out-of-fold scores: an estimator calls `_calibrate` at the end of `fit`."""

    parameter_constraints: ClassVar[dict[str, Any]] = {"decision": [Option("prior", "probability", "balanced")]}

    classes_: np.ndarray
    decision: str
    decision_function: Any

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two classes, calibrated on the out-of-fold scores.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        scores = self.decision_function(X)
        return self.calibration_.probabilities(scores)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`, without underflow.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        scores = self.decision_function(X)
        return self.calibration_.log_probabilities(scores)

    @property
    def oof_interval_(self) -> Interval:
        """The AUC of the out-of-fold scores, over all folds together, with DeLong's confidence interval."""
        scores, y, weight = self._held_out_scores()
        seen = ~np.isnan(scores)
        if not seen.all():
            scores, y, weight = scores[seen], y[seen], weight[seen]
        return weighted_auc_interval(y > 0, scores, weight if weight.min() < weight.max() else None)

    def _held_out_scores(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Out-of-fold scores, classes -1/+1 and weights of the rows."""
        check_is_fitted(self, "calibration_")
        return self.oof_scores_, self._oof_labels, self._oof_weight

    def _calibrate(self, scores: np.ndarray, table: LabeledData) -> float:
        """Store out-of-fold scores and calibration, with zero where `decision` says; return the shift of zero."""
        seen = ~np.isnan(scores)
        weight = table.weight if seen.all() else table.class_totals(seen)
        rows = (scores, table.y, weight) if seen.all() else (scores[seen], table.y[seen], weight[seen])
        calibration = Calibration.fit(*rows)
        zero = 0.0  # out-of-fold scores have it midway between the class means
        if self.decision == "prior":
            zero = prior_cut(*rows)
        elif self.decision == "probability":
            zero = -calibration.intercept / calibration.slope
        self.calibration_ = calibration.shifted(zero)
        self.oof_scores_ = scores - zero
        self._oof_labels = table.y
        self._oof_weight = weight
        return zero
