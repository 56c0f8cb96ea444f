"""Probabilities and thresholds of a stream, from the scores that its latest rows had before they were learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.estimators.availability import available_if
from aucmax.estimators.base import prior_cut
from aucmax.estimators.fitted_state import reads_one_state
from aucmax.estimators.platt_scaling import Calibration
from aucmax.estimators.thresholds import ThresholdMixin
from aucmax.streaming.recent_scores import RecentScores
from aucmax.streaming.stream import Stream
from aucmax.validation.inputs import LabeledData


def _check_scores(model: Any) -> bool:
    """AttributeError unless rows of both classes of a stream were scored before they were learned."""
    if getattr(model, "_stream", None) is None:
        raise AttributeError(
            f"{type(model).__name__} has probabilities and rates only after partial_fit, from the rows of later "
            "batches; for a table use AUCClassifierCV"
        )
    if not model._recent.has_both_classes:
        raise AttributeError(
            "no probabilities and rates yet: they need rows of both classes in batches after the first that has both"
        )
    return True


class StreamCalibrationMixin(ThresholdMixin):
    """Probabilities and thresholds of a stream; a class with `partial_fit` calls `_remember` and `_stream_cut`."""

    classes_: np.ndarray
    decision: str
    decision_function: Any
    _stream: Stream | None
    _recent: RecentScores
    _shift: float  # of zero, from the midpoint of the class means

    @available_if(_check_scores)
    @reads_one_state
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two classes, after `partial_fit`, calibrated on scores given before learning."""
        return self._calibration().probabilities(self.decision_function(X))

    @available_if(_check_scores)
    @reads_one_state
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`, without underflow."""
        return self._calibration().log_probabilities(self.decision_function(X))

    threshold_at = available_if(_check_scores)(reads_one_state(ThresholdMixin.threshold_at))

    def _remember(self, stream: Stream, table: LabeledData) -> None:
        """Score a batch before it is learned."""
        recent = RecentScores.empty() if stream.batches == 0 else self._recent
        self._recent = recent.after(stream, table)

    def _stream_cut(self) -> float:
        """Where zero is, from the midpoint of the class means: there too until both classes have scores."""
        if self.decision != "prior" or not self._recent.has_both_classes:
            return 0.0
        return prior_cut(*self._recent_of_stream())

    def _recent_of_stream(self) -> RecentScores:
        assert self._stream is not None  # as `_check_scores` has found
        return self._recent.reweighted(self._stream)

    def _held_out_scores(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores given before learning, classes -1/+1 and weights, on the scale of `decision_function`."""
        recent = self._recent_of_stream()
        return recent.scores - self._shift, recent.y, recent.weight

    def _calibration(self) -> Calibration:
        """From the scores of `decision_function` to probabilities."""
        return Calibration.fit(*self._held_out_scores())
