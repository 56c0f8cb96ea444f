"""PenaltyLearner: from labelled sequences to the number and the positions of changes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from aucmax.changepoint.features import feature_matrix
from aucmax.changepoint.labels import Label, as_list, check_labels
from aucmax.changepoint.model_path import model_selection_path
from aucmax.changepoint.penalty_regressor import PenaltyRegressor
from aucmax.changepoint.penalty_table import PenaltyTable
from aucmax.changepoint.segmentation import Segmentations, check_sequences, segment
from aucmax.validation.params import InstanceOf, Integer, check_params

Progress = Callable[[int, int, str], None]


class PenaltyLearner(BaseEstimator):
    """Changepoint detection with a penalty learned from labels; requires ruptures.

    The optimal segmentations of every sequence with 1 .. `max_segments` segments are computed, and a penalty that is
    predicted from 365 features of the sequence selects one of them. Labels state for some regions whether there are
    changes. Segmentation takes a time proportional to `max_segments` and to the square of the length of a sequence,
    most of that of `fit`, `predict` and `score`; all three report on it if given a `progress` function.

    Parameters
    ----------
    regressor : PenaltyRegressor or None
        The model that predicts the penalty; one with default parameters if None.
    max_segments : int
        The largest number of segments of a sequence; `predict` warns of sequences that reach it.

    Attributes
    ----------
    regressor_ : PenaltyRegressor
        The fitted model.
    table_ : PenaltyTable
        Label errors of the training sequences.

    Examples
    --------
    >>> from aucmax.changepoint import make_toy_sequences
    >>> data = make_toy_sequences(40)
    >>> model = PenaltyLearner(PenaltyRegressor(random_state=0)).fit(data.sequences[:30], data.labels[:30])
    >>> found = model.predict(data.sequences[30:])
    >>> len(found), model.score(data.sequences[30:], data.labels[30:]) > 0.8
    (10, True)
    """

    parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "regressor": [None, InstanceOf(PenaltyRegressor, "a PenaltyRegressor")],
        "max_segments": [Integer(2)],
    }

    def __init__(self, regressor=None, max_segments=20):
        self.regressor = regressor
        self.max_segments = max_segments

    def fit(self, sequences: Any, labels: Any, *, progress: Progress | None = None) -> PenaltyLearner:
        """Fit to sequences and their labels.

        Parameters
        ----------
        sequences : list of arrays
            Finite numbers; the lengths may differ.
        labels : list of lists of (start, end, kind)
            For each sequence regions (start, end] that do not overlap; kind is "0changes", "1change" or
            ">0changes". A change at position p has p values before it. A sequence without labels is not used.
        progress : callable, optional
            Called with (sequences segmented, sequences in total, what was segmented) after every sequence.
        """
        check_params(self)
        sequences = check_sequences(sequences)
        labels = _check_labels(labels, sequences)
        regressor = PenaltyRegressor() if self.regressor is None else clone(self.regressor)
        self.table_ = PenaltyTable.from_segmentations(self._segment(sequences, progress), labels)
        self.regressor_ = regressor.fit(feature_matrix(sequences), self.table_)
        return self

    def predict(self, sequences: Any, *, progress: Progress | None = None) -> list[np.ndarray]:
        """The positions of the changes in each sequence, an array per sequence; `progress` as for `fit`.

        Parameters
        ----------
        sequences : list of arrays
        progress : callable, optional
            As in `fit`.
        """
        check_is_fitted(self, "regressor_")
        sequences = check_sequences(sequences)
        found = []
        for each, penalty in zip(self._segment(sequences, progress), self.predict_penalty(sequences)):
            path = model_selection_path(each.loss, np.arange(each.loss.size))
            found.append(each.changes[path.select(penalty)])
        self._warn_of_limit(sequences, found)
        return found

    def _warn_of_limit(self, sequences: list[np.ndarray], found: list[np.ndarray]) -> None:
        """Warn if sequences that are long enough for more changes have as many as `max_segments` permits."""
        limit = self.max_segments - 1
        reached = [i for i, each in enumerate(found) if each.size == limit < sequences[i].size - 1]
        if reached:
            text = (
                f"{len(reached)} of {len(found)} sequences, the first being number {reached[0]}, have {limit} changes"
            )
            hint = f"the most that max_segments={self.max_segments} permits; raise max_segments to find more"
            warnings.warn(f"{text}, {hint}", UserWarning, stacklevel=3)

    def predict_penalty(self, sequences: Any) -> np.ndarray:
        """The penalty of a change in each sequence, in units of squared error.

        Parameters
        ----------
        sequences : list of arrays
        """
        check_is_fitted(self, "regressor_")
        with np.errstate(over="ignore"):
            return np.exp(self.regressor_.predict(feature_matrix(sequences)))

    def score(self, sequences: Any, labels: Any, *, progress: Progress | None = None) -> float:
        """The fraction of all labels that the predicted changes satisfy; `progress` as for `fit`.

        Parameters
        ----------
        sequences : list of arrays
        labels : list of lists of (start, end, kind)
        progress : callable, optional
            As in `fit`.
        """
        check_is_fitted(self, "regressor_")
        sequences = check_sequences(sequences)
        labels = _check_labels(labels, sequences)
        table = PenaltyTable.from_segmentations(self._segment(sequences, progress), labels)
        return self.regressor_.score(feature_matrix(sequences), table)

    def _segment(self, sequences: list[np.ndarray], progress: Progress | None) -> list[Segmentations]:
        found = []
        for i, sequence in enumerate(sequences):
            found.append(segment(sequence, self.max_segments))
            if progress is not None:
                progress(i + 1, len(sequences), f"sequence {i}, {sequence.size:,} values")
        return found


def _check_labels(labels: Any, sequences: list[np.ndarray]) -> list[list[Label]]:
    """Labels of each sequence, none of which ends beyond it."""
    listed = as_list(labels)
    if len(listed) != len(sequences):
        text = f"there are {len(sequences)} sequences but labels of {len(listed)}"
        raise ValueError(f"{text}; pass a list of labels for each sequence, an empty one if it has none")
    return [
        check_labels(each, sequence.size, f" of sequence {i}")
        for i, (each, sequence) in enumerate(zip(listed, sequences))
    ]
