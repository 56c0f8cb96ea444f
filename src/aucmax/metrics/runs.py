"""SortedRuns: scores that keep coming, in sorted runs of falling length, for counting those below any score.

A new run is merged with its neighbour as long as that is not twice as long, as in a log-structured merge tree: a
score is moved O(log n) times, and there are O(log n) runs to look into. 24 bytes are kept for every score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    """Ascending scores, their weights, and the sums of the weights before each of them and after the last."""

    scores: np.ndarray
    weight: np.ndarray
    below: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, weight: np.ndarray) -> Run:
        """Sort some scores; stable sorting is quick where there are sorted runs already."""
        order = np.argsort(scores, kind="stable")
        return cls(scores[order], weight[order], np.append(0.0, np.cumsum(weight[order])))

    def merged(self, other: Run) -> Run:
        """One run of two."""
        return Run.of(np.append(self.scores, other.scores), np.append(self.weight, other.weight))


class SortedRuns:
    """A growing set of weighted scores.

    Examples
    --------
    >>> runs = SortedRuns()
    >>> runs.add(np.array([3.0, 1.0]), np.ones(2))
    >>> runs.add(np.array([2.0]), np.ones(1))
    >>> runs.twice_below(np.array([2.0, 9.0]))
    array([3., 6.])
    """

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.total = 0.0

    def add(self, scores: np.ndarray, weight: np.ndarray) -> None:
        """Add some scores."""
        if scores.size == 0:
            return
        run = Run.of(scores, weight)
        while self.runs and self.runs[-1].scores.size < 2 * run.scores.size:
            run = self.runs.pop().merged(run)
        self.runs.append(run)
        self.total += float(weight.sum())

    def twice_below(self, scores: np.ndarray) -> np.ndarray:
        """Twice the weight below each of the scores, plus the weight equal to it."""
        out = np.zeros(scores.size)
        for run in self.runs:
            out += run.below[np.searchsorted(run.scores, scores, "left")]
            out += run.below[np.searchsorted(run.scores, scores, "right")]
        return out
