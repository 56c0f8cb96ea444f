"""Calibrated: what estimators share that have scored every row by a model that had not seen it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from aucmax.calibration import Platt
from aucmax.checks import Checked
from aucmax.metrics import threshold_for

CHOICES = ("best", "one_se")


def check_choice(choice: Any) -> None:
    """Refuse an unknown rule for the choice of alpha."""
    if choice not in CHOICES:
        raise ValueError(f"choice={choice!r}; choose one of {list(CHOICES)}")


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
        from aucmax.plots import plot_path

        check_is_fitted(self, "calibration_")
        return plot_path(self.alphas_, self.cv_auc_, ax)

    def _calibrate(self, scores: np.ndarray, table: Checked) -> float:
        """Keep the out-of-fold scores and their sigmoid, both with zero at one half; return what moves there."""
        seen = ~np.isnan(scores)
        weight = _standing_for_all(seen, table)
        curve = Platt.fit(scores[seen], table.y[seen], weight[seen])
        self.calibration_ = Platt(curve.slope, 0.0)
        self.oof_scores_ = scores - curve.midpoint
        self._oof_labels, self._oof_weight = table.y, weight
        return curve.midpoint


def _standing_for_all(seen: np.ndarray, table: Checked) -> np.ndarray:
    """Weights with which the rows seen of each class weigh as much as all of it: samples may take more of one."""
    weight = table.weight.copy()
    for mine in (table.y > 0, table.y < 0):
        weight[mine] *= table.weight[mine].sum() / table.weight[mine & seen].sum()
    return weight
