"""PenaltyLearner: from labelled sequences to the number and the places of changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from aucmax.changepoint.features import feature_table
from aucmax.changepoint.labels import Label, as_list, check_labels
from aucmax.changepoint.model_path import model_path
from aucmax.changepoint.penalty_regressor import PenaltyRegressor
from aucmax.changepoint.penalty_table import PenaltyTable
from aucmax.changepoint.segmentation import Segmentations, check_sequences, segment
from aucmax.estimators.fitted_state import resets_fitted_state


class PenaltyLearner(BaseEstimator):
    """Changepoint detection that learns its penalty from labels; needs ruptures.

    Every sequence is segmented in the best ways with 1 .. `max_segments` segments, and a penalty, predicted from
    365 features of the sequence, selects one of them. Labels say for some regions whether there are changes.

    Parameters
    ----------
    regressor : PenaltyRegressor or None
        What predicts the penalty, with its settings; the default one if None.
    max_segments : int
        The largest number of segments of a sequence.

    Attributes
    ----------
    regressor_ : PenaltyRegressor
        The fitted one.
    table_ : PenaltyTable
        Label errors of the training sequences.

    Examples
    --------
    >>> from aucmax.changepoint import toy
    >>> data = toy(40)
    >>> model = PenaltyLearner(PenaltyRegressor(random_state=0)).fit(data.sequences[:30], data.labels[:30])
    >>> found = model.predict(data.sequences[30:])
    >>> len(found), model.score(data.sequences[30:], data.labels[30:]) > 0.8
    (10, True)
    """

    def __init__(self, regressor=None, max_segments=20):
        self.regressor = regressor
        self.max_segments = max_segments

    @resets_fitted_state
    def fit(self, sequences: Any, labels: Any) -> PenaltyLearner:
        """Learn from sequences and their labels.

        Parameters
        ----------
        sequences : list of arrays
            Finite numbers; the lengths may differ.
        labels : list of lists of (start, end, kind)
            For each sequence regions (start, end] that do not overlap; kind is "0changes", "1change" or
            ">0changes". A change at p has p values before it. A sequence may have none: it is not learned from.
        """
        sequences = check_sequences(sequences)
        labels = _checked_labels(labels, sequences)
        if self.max_segments == 1:
            raise ValueError("max_segments=1 leaves no change to be found, whatever the labels; give 2 or more")
        if not (self.regressor is None or isinstance(self.regressor, PenaltyRegressor)):
            raise ValueError(f"regressor={self.regressor!r}; pass a PenaltyRegressor, or None for the default one")
        regressor = PenaltyRegressor() if self.regressor is None else clone(self.regressor)
        self.table_ = PenaltyTable.of(self._segmented(sequences), labels)
        self.regressor_ = regressor.fit(feature_table(sequences), self.table_)
        return self

    def predict(self, sequences: Any) -> list[np.ndarray]:
        """The places of the changes of each sequence; there are as many as the array is long."""
        check_is_fitted(self, "regressor_")
        sequences = check_sequences(sequences)
        found = []
        for each, penalty in zip(self._segmented(sequences), self.predict_penalty(sequences)):
            path = model_path(each.loss, np.arange(each.loss.size))
            found.append(each.changes[path.at(penalty)])
        return found

    def predict_penalty(self, sequences: Any) -> np.ndarray:
        """The penalty of a change in each sequence, in units of squared error."""
        check_is_fitted(self, "regressor_")
        with np.errstate(over="ignore"):
            return np.exp(self.regressor_.predict(feature_table(sequences)))

    def score(self, sequences: Any, labels: Any) -> float:
        """The part of all labels that the predicted changes get right."""
        check_is_fitted(self, "regressor_")
        sequences = check_sequences(sequences)
        table = PenaltyTable.of(self._segmented(sequences), _checked_labels(labels, sequences))
        return self.regressor_.score(feature_table(sequences), table)

    def _segmented(self, sequences: list[np.ndarray]) -> list[Segmentations]:
        return [segment(sequence, self.max_segments) for sequence in sequences]


def _checked_labels(labels: Any, sequences: list[np.ndarray]) -> list[list[Label]]:
    """Labels of each sequence, none of which ends beyond it."""
    listed = as_list(labels)
    if len(listed) != len(sequences):
        text = f"there are {len(sequences)} sequences but labels of {len(listed)}"
        raise ValueError(f"{text}; pass a list of labels for each sequence, an empty one if it has none")
    return [
        check_labels(each, sequence.size, f" of sequence {i}")
        for i, (each, sequence) in enumerate(zip(listed, sequences))
    ]
