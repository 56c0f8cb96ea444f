"""Probabilities and thresholds from out-of-fold scores."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.decision import prior_cut
from aucmax.estimators.fitted_state import reads_one_state
from aucmax.estimators.platt_scaling import Calibration
from aucmax.metrics import threshold_for
from aucmax.validation.inputs import LabeledData
from aucmax.validation.params import Option


class CalibratedMixin:
    """Probabilities and thresholds from out-of-fold scores: an estimator calls `_calibrate` at the end of `fit`."""

    parameter_constraints: ClassVar[dict[str, Any]] = {"decision": [Option("prior", "probability", "balanced")]}

    classes_: np.ndarray
    decision: str
    decision_function: Any

    @reads_one_state
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two classes, calibrated on the out-of-fold scores."""
        scores = self.decision_function(X)
        return self.calibration_.probabilities(scores)

    @reads_one_state
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`, without underflow."""
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
