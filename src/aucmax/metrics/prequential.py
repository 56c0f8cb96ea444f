"""PrequentialAUC: the AUC of predictions made before their labels arrived, over a window and since the start.

The window is kept sorted by score, so that a row costs one binary search, one shift and one scan; no sum is carried
over time, so that rounding errors do not accumulate. The AUC since the start is computed when it is read.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np

from aucmax.metrics.auc import auc_of_classes
from aucmax.metrics.inputs import check_1d, check_finite
from aucmax.numerics.compiled import compiled
from aucmax.validation.params import Boolean, Integer, check_param
from aucmax.validation.weights import check_weights


class ScoreWindow(NamedTuple):
    """The latest rows, by time and by score; weights of negatives are negative."""

    ring_scores: np.ndarray  # ring buffer: row t is at t % size
    ring_weight: np.ndarray  # in the order of `ring_scores`
    scores: np.ndarray  # ascending
    weight: np.ndarray  # in the order of `scores`


class PrequentialAUC:
    """Prequential (test-then-train) AUC of a stream, over the latest rows and over all.

    Both are exact, with ties counted half and a weight of k equal to k copies. The window takes 32 bytes per row and
    O(window) time for each new row. All rows since the start take 16 bytes each, and `total` sorts them.

    Parameters
    ----------
    window : int
        Number of rows in the window, at least 2; rows of weight zero do not count.
    pos_label : object
        The positive label; any other is negative.
    since_start : bool
        Whether to keep all scores. If not, memory is bounded, and `total` is not available.

    Examples
    --------
    >>> meter = PrequentialAUC(window=4)
    >>> meter.update(1, 0.8)
    nan
    >>> meter.update([0, 0, 1, 0], [0.1, 0.9, 0.5, 0.6])
    array([1.        , 0.5       , 0.5       , 0.33333333])
    >>> meter.windowed, meter.total
    (0.3333333333333333, 0.5)
    """

    def __init__(self, window: int = 1000, pos_label: Any = 1, since_start: bool = True) -> None:
        check_param("window", window, Integer(2))
        check_param("since_start", since_start, Boolean())
        self.window = int(window)
        self.pos_label = pos_label
        self.since_start = since_start
        self.n = 0
        self.windowed = float("nan")
        self._neg_labels: set = set()
        self._window = ScoreWindow(*np.zeros((4, self.window)))
        self._scores = array("d")  # of all rows since the start
        self._weight = array("d")  # of the same rows; negative for negatives

    def update(self, y_true: Any, y_score: Any, *, sample_weight: Any = None) -> Any:
        """Add a row, or a batch in the order of the stream.

        Parameters
        ----------
        y_true : label, or array of labels
        y_score : float, or array of floats
            Scores predicted before the labels were known, larger for the positive class.
        sample_weight : float or array, optional
            Zero, or from 1e-100 to 1e100; one number applies to all rows.

        Returns
        -------
        float or array
            AUC over the window after each row; NaN while the window has only one class.
        """
        labels = check_1d(np.atleast_1d(y_true), "y_true")
        scores = check_finite(np.atleast_1d(y_score), "y_score", labels.size).astype(np.float64)
        weight = self._signed_weight(labels, sample_weight)
        aucs = np.empty(labels.size)
        self.n = _slide(self._window, self.n, scores, weight, self.windowed, aucs)
        self.windowed = float(aucs[-1])
        if self.since_start:
            self._scores.frombytes(scores.tobytes())
            self._weight.frombytes(weight.tobytes())
        return aucs if np.ndim(y_true) else self.windowed

    def latest(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether each row of the window is positive, its score and its weight, the oldest first.

        An empty `PrequentialAUC` that is updated with these rows has the same window.

        Examples
        --------
        >>> meter = PrequentialAUC(window=2)
        >>> _ = meter.update([0, 1, 1], [0.1, 0.5, 0.3])
        >>> meter.latest()
        (array([ True,  True]), array([0.5, 0.3]), array([1., 1.]))
        """
        order = np.arange(max(0, self.n - self.window), self.n) % self.window
        weight = self._window.ring_weight[order]
        return weight > 0, self._window.ring_scores[order], np.abs(weight)

    @property
    def total(self) -> float:
        """AUC of all rows since the start; NaN while there is only one class."""
        if not self.since_start:
            raise ValueError("since_start=False keeps only the window; set since_start=True for `total`")
        scores = np.array(self._scores)
        weight = np.array(self._weight)
        pos = weight > 0
        neg = weight < 0
        if not (pos.any() and neg.any()):
            return float("nan")
        return auc_of_classes(scores[pos], scores[neg], weight[pos], -weight[neg])

    def _signed_weight(self, labels: np.ndarray, sample_weight: Any) -> np.ndarray:
        """Weights, those of negatives times -1."""
        weight = check_weights(1.0 if sample_weight is None else sample_weight, labels.size)
        _check_not_missing(labels)
        is_pos = labels == self.pos_label
        self._check_negatives(set(labels[~is_pos].tolist()))
        return np.where(is_pos, weight, -weight)

    def _check_negatives(self, negatives: set) -> None:
        """Reject a second negative label in the stream."""
        labels = negatives | self._neg_labels
        if len(labels) > 1:
            shown = sorted(labels, key=repr)
            raise ValueError(f"labels {shown} besides pos_label={self.pos_label!r}; give only two labels in total")
        self._neg_labels = labels


def is_missing(value: Any) -> bool:
    """Whether a label or a cell is None, NaN or pandas' NA; the last two do not equal themselves."""
    same = value == value
    return value is None or not (isinstance(same, (bool, np.bool_)) and same)


def _check_not_missing(labels: np.ndarray) -> None:
    """Reject rows without a label: they are not negatives."""
    missing = [is_missing(label) for label in labels] if labels.dtype == object else labels != labels
    if np.any(missing):
        first = int(np.argmax(missing))
        raise ValueError(f"y_true[{first}] is {labels.tolist()[first]!r}; drop the rows without a label")


@compiled
def _slide(window, n, scores, weight, auc, aucs):
    """Add rows to the window, drop the oldest, and write the AUC after each; return the number of rows so far."""
    size = window.scores.size
    for i in range(scores.size):
        if weight[i] != 0.0:
            place = n % size
            filled = min(n, size)
            if filled == size:
                _remove(window, filled, window.ring_scores[place], window.ring_weight[place])
                filled -= 1
            _insert(window, filled, scores[i], weight[i])
            window.ring_scores[place] = scores[i]
            window.ring_weight[place] = weight[i]
            n += 1
            auc = _auc(window.scores, window.weight, min(n, size))
        aucs[i] = auc
    return n


@compiled
def _insert(window, filled, score, weight):
    k = np.searchsorted(window.scores[:filled], score)
    for j in range(filled, k, -1):
        window.scores[j] = window.scores[j - 1]
        window.weight[j] = window.weight[j - 1]
    window.scores[k] = score
    window.weight[k] = weight


@compiled
def _remove(window, filled, score, weight):
    k = np.searchsorted(window.scores[:filled], score)
    while k < filled - 1 and window.weight[k] != weight:  # among tied rows, any of the same weight will do
        k += 1
    for j in range(k, filled - 1):
        window.scores[j] = window.scores[j + 1]
        window.weight[j] = window.weight[j + 1]


@compiled
def _auc(scores, weight, filled):
    """AUC of ascending scores, one block of ties at a time."""
    won = lost = 0.0
    pos = neg = 0.0
    tied_pos = tied_neg = 0.0
    for k in range(filled):
        tied_pos += max(weight[k], 0.0)
        tied_neg -= min(weight[k], 0.0)
        if k + 1 == filled or scores[k + 1] != scores[k]:  # the end of a block
            won += tied_pos * (neg + 0.5 * tied_neg)
            lost += tied_neg * (pos + 0.5 * tied_pos)
            neg += tied_neg
            pos += tied_pos
            tied_pos = tied_neg = 0.0
    return won / (won + lost) if pos > 0.0 and neg > 0.0 else np.nan
