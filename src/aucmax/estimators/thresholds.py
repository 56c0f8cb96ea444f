"""Thresholds on the scores that achieve a rate, from scores of rows that the model had not seen."""

from __future__ import annotations

from typing import Any

import numpy as np


class ThresholdMixin:
    """`threshold_at` for a model that has `_held_out_scores`."""

    classes_: Any

    def threshold_at(
        self,
        *,
        fpr: float | None = None,
        tpr: float | None = None,
        precision: float | None = None,
        pos_label: Any = None,
    ) -> float:
        """The threshold on the scores that achieves a rate on held-out scores.

        These are out-of-fold scores or, for a stream, scores that rows had before they were learned.

        Give exactly one of `fpr`, the maximum false positive rate; `tpr`, the minimum recall; or `precision`, the
        minimum precision. Rows that score at least the threshold are called positive.

        The rates are those of finding `pos_label`, by default `classes_[1]`. For `classes_[0]` the scores are read
        the other way round: rows that score at most the threshold are called `pos_label`.

        Parameters
        ----------
        fpr, tpr, precision : float, optional
            The rate to achieve.
        pos_label : label, optional
            The class whose rates are meant.
        """
        from aucmax.metrics import threshold_for  # here, so that scoring with a saved model imports no SciPy

        scores, y, weight = self._held_out_scores()
        sign = -1.0 if _is_swapped(pos_label, self.classes_) else 1.0
        seen = ~np.isnan(scores)
        rates = {"fpr": fpr, "tpr": tpr, "precision": precision}
        return sign * threshold_for(sign * y[seen], sign * scores[seen], sample_weight=weight[seen], **rates)

    def _held_out_scores(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores of rows that the model had not seen, or NaN, their classes -1/+1 and their weights."""
        raise NotImplementedError


def _is_swapped(pos_label: Any, classes: np.ndarray) -> bool:
    """Whether `pos_label` is the first of the two classes, so that low scores indicate it."""
    labels = classes.tolist()
    if pos_label is not None and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r} is not a label; choose one of {labels}")
    return pos_label is not None and pos_label == labels[0]
