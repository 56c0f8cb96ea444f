"""SortedRuns: a growing set of scores in sorted runs, for counting the scores below any given one.

A new run is merged with the last one unless that is at least twice as long, as in a log-structured merge tree: a
score is moved O(log n) times, and a query searches O(log n) runs. Each score takes 24 bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["SortedRun", "SortedRuns"]


class SortedRun(NamedTuple):
    """Scores in ascending order."""

    scores: np.ndarray
    weight: np.ndarray  # of each score
    below: np.ndarray  # sum of the weights before each score, and of all weights; one longer than `scores`

    @classmethod
    def of(cls, scores: np.ndarray, weight: np.ndarray) -> SortedRun:
        """Sort some scores; a stable sort is fast on input that consists of sorted runs."""
        order = np.argsort(scores, kind="stable")
        return cls(scores[order], weight[order], np.append(0.0, np.cumsum(weight[order])))

    def merged(self, other: SortedRun) -> SortedRun:
        """The two runs merged into one."""
        return SortedRun.of(np.append(self.scores, other.scores), np.append(self.weight, other.weight))


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
        self.runs: list[SortedRun] = []
        self.total = 0.0

    def add(self, scores: np.ndarray, weight: np.ndarray) -> None:
        """Add some scores."""
        if scores.size == 0:
            return
        run = SortedRun.of(scores, weight)
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
