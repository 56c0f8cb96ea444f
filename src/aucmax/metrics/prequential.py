"""PrequentialAUC: the AUC of scores that were given before their labels came, over a window and since the start.

The window is kept in the order of the scores, so that a row costs one binary search, one shift and one walk along it;
nothing is added up over time, and nothing can drift. Since the start, a row is compared with the sorted runs of the
other class: O(log^2 n) for a row, and the sum of pairs won is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.metrics.runs import SortedRuns
from aucmax.metrics.scored import column, finite_column
from aucmax.numerics.compiled import compiled
from aucmax.validation.params import is_number

SMALLEST, LARGEST = 1e-100, 1e100  # weight of a row: products of two do not vanish or overflow
PENDING = 256  # rows that wait before they enter the sorted runs, unless `total` is asked for


class Window(NamedTuple):
    """The latest rows as they came, a ring, and in the order of their scores; weights are negative for negatives."""

    came: np.ndarray
    came_weight: np.ndarray
    scores: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, size: int) -> Window:
        """Room for that many rows."""
        return cls(*np.zeros((4, size)))


class PrequentialAUC:
    """AUC of a stream, test first and train then: over the latest rows, and over all.

    Both are exact, with ties counted half and a weight of k equal to k copies. The window takes 32 bytes a row and
    O(window) time for each row that comes; the AUC since the start keeps all scores, 24 bytes each.

    Parameters
    ----------
    window : int
        Rows of the window; rows of weight zero do not count.
    pos_label : object
        The positive label; any other is negative.
    since_start : bool
        Whether to keep all scores. Without them the memory is bounded, and there is no `total`.

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
        if isinstance(window, bool) or not isinstance(window, (int, np.integer)) or window < 2:
            raise ValueError(f"window={window!r}; give a whole number of at least 2 rows")
        self.window = int(window)
        self.pos_label = pos_label
        self.since_start = since_start
        self.n = 0
        self.windowed = float("nan")
        self._neg_labels: set = set()
        self._rows = Window.of(self.window)
        self._pending: list[tuple[np.ndarray, np.ndarray]] = []
        self._pos, self._neg = SortedRuns(), SortedRuns()
        self._twice_won = 0.0

    def update(self, y: Any, score: Any, sample_weight: Any = None) -> Any:
        """Add a row, or a batch in the order of the stream.

        Parameters
        ----------
        y : label, or array of labels
        score : float, or array of floats
            Scores that were given without knowing y, larger for the positive class.
        sample_weight : float or array, optional
            Zero, or from 1e-100 to 1e100.

        Returns
        -------
        float or array
            AUC over the window after each row; NaN while the window has only one class.
        """
        labels = column(np.atleast_1d(y), "y")
        scores = finite_column(np.atleast_1d(score), "score", labels.size).astype(np.float64)
        weight = self._signed(labels, sample_weight)
        out = np.empty(labels.size)
        self.n = _slide(self._rows, self.n, scores, weight, self.windowed, out)
        self.windowed = float(out[-1])
        self._keep(scores, weight)
        return out if np.ndim(y) else self.windowed

    @property
    def total(self) -> float:
        """AUC of all rows since the start; NaN while there is only one class."""
        if not self.since_start:
            raise ValueError("since_start=False keeps the window alone; set since_start=True for `total`")
        self._sort_in()
        pairs = 2.0 * self._pos.total * self._neg.total
        return min(self._twice_won / pairs, 1.0) if pairs > 0 else float("nan")

    def _signed(self, labels: np.ndarray, sample_weight: Any) -> np.ndarray:
        """Weights, those of negatives times -1."""
        weight = np.ones(labels.size)
        if sample_weight is not None:
            weight = finite_column(np.atleast_1d(sample_weight), "sample_weight", labels.size).astype(np.float64)
            for extreme in (weight.min(), weight.max(), weight.min(where=weight > 0, initial=1.0)):
                check_weight(float(extreme))
        _check_labelled(labels)
        is_pos = labels == self.pos_label
        self._check_negatives(set(labels[~is_pos].tolist()))
        return np.where(is_pos, weight, -weight)

    def _check_negatives(self, found: set) -> None:
        """There is one label beside the positive one, always the same."""
        labels = found | self._neg_labels
        if len(labels) > 1:
            shown = sorted(labels, key=repr)
            raise ValueError(f"labels {shown} beside pos_label={self.pos_label!r}; give two labels in all")
        self._neg_labels = labels

    def _keep(self, scores: np.ndarray, weight: np.ndarray) -> None:
        """Put rows aside for the sorted runs."""
        if self.since_start:
            self._pending.append((scores, weight))
            if len(self._pending) >= PENDING or scores.size >= PENDING:
                self._sort_in()

    def _sort_in(self) -> None:
        """Compare the rows put aside with those of the other class, and sort them in."""
        if not self._pending:
            return
        scores, weight = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        self._pending = []
        pos, neg = weight > 0, weight < 0
        self._twice_won += float(weight[pos] @ self._neg.twice_below(scores[pos]))
        self._pos.add(scores[pos], weight[pos])
        lost = 2.0 * self._pos.total - self._pos.twice_below(scores[neg])
        self._twice_won += float(-weight[neg] @ lost)
        self._neg.add(scores[neg], -weight[neg])


def check_weight(weight: Any) -> None:
    """Refuse a weight that is neither zero nor of a size whose products can be added up."""
    if not (is_number(weight) and (weight == 0 or SMALLEST <= float(weight) <= LARGEST)):
        raise ValueError(f"a row has weight {weight!r}; give zero, or a number from {SMALLEST:g} to {LARGEST:g}")


def is_missing(value: Any) -> bool:
    """Whether a label or a cell is None, NaN or pandas' NA, which equals nothing, not even itself."""
    same = value == value
    return value is None or not (isinstance(same, (bool, np.bool_)) and same)


def _check_labelled(labels: np.ndarray) -> None:
    """Refuse rows without a label: they are not negative."""
    missing = [is_missing(label) for label in labels] if labels.dtype == object else labels != labels
    if np.any(missing):
        where = int(np.argmax(missing))
        raise ValueError(f"y[{where}] is {labels.tolist()[where]!r}; drop the rows without a label")


@compiled
def _slide(window, n, scores, weight, auc, out):
    """Let rows into the window, the oldest out, and write the AUC after each; return the number of rows so far."""
    size = window.came.size
    for i in range(scores.size):
        if weight[i] != 0.0:
            place, filled = n % size, min(n, size)
            if filled == size:
                _take_out(window, filled, window.came[place], window.came_weight[place])
                filled -= 1
            _let_in(window, filled, scores[i], weight[i])
            window.came[place], window.came_weight[place] = scores[i], weight[i]
            n += 1
            auc = _auc(window.scores, window.weight, min(n, size))
        out[i] = auc
    return n


@compiled
def _let_in(window, filled, score, weight):
    k = np.searchsorted(window.scores[:filled], score)
    for j in range(filled, k, -1):
        window.scores[j] = window.scores[j - 1]
        window.weight[j] = window.weight[j - 1]
    window.scores[k], window.weight[k] = score, weight


@compiled
def _take_out(window, filled, score, weight):
    k = np.searchsorted(window.scores[:filled], score)
    while window.weight[k] != weight:  # among rows of the same score any of the same weight will do
        k += 1
    for j in range(k, filled - 1):
        window.scores[j] = window.scores[j + 1]
        window.weight[j] = window.weight[j + 1]


@compiled
def _auc(scores, weight, filled):
    """AUC of ascending scores: a group of ties at a time."""
    won, lost, below, pos, k = 0.0, 0.0, 0.0, 0.0, 0
    while k < filled:
        score, hits, misses = scores[k], 0.0, 0.0
        while k < filled and scores[k] == score:
            hits += max(weight[k], 0.0)
            misses -= min(weight[k], 0.0)
            k += 1
        won += hits * (below + 0.5 * misses)
        lost += misses * (pos + 0.5 * hits)
        below += misses
        pos += hits
    return won / (won + lost) if pos > 0.0 and below > 0.0 else np.nan
