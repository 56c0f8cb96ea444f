"""Scores of all rows in sorted runs: exact AUC and DeLong's variance of more scores than fit in memory.

A pass gives the scores of each class in runs of about a million. A run is sorted and, if the engine shares our disk,
written to a file (8 bytes a row, 16 with weights). The runs are then merged block by block: a block holds all scores
between two cut points, so that what is below it is known.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from aucmax.metrics.delong import Interval, auc_limits
from aucmax.scale.row_reader import NumberedRows

RUN_ROWS = 2**20  # scores in a run, and about in a block
CONDENSED = 2**20  # scores of a class that `condensed` gives at most


class Run(NamedTuple):
    """Scores of one class and their weights; None if all weights are 1. In files once the run is long."""

    scores: Any  # array or file name
    weight: Any

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Scores and weights; those in files are mapped by each call: their pages leave our memory with them."""
        opened = [np.load(part, mmap_mode="r") if isinstance(part, str) else part for part in self]
        return opened[0], opened[1]


@dataclass(frozen=True, eq=False)
class ScoreRuns:
    """The scores of both classes, in runs; those of parts add up.

    Parameters
    ----------
    pos, neg : tuple of Run
        All but the last of each are sorted.
    folder : str or None
        Where long runs are written.

    Examples
    --------
    >>> y = np.array([-1, 1, -1, 1])
    >>> first = ScoreRuns.of(np.array([0.1, 0.4, 0.35, 0.8]), y, None)
    >>> whole = first + ScoreRuns.of(np.array([0.2, 0.4, 0.4, 0.9]), y, None)
    >>> whole.interval().auc
    0.9375
    """

    pos: tuple[Run, ...]
    neg: tuple[Run, ...]
    folder: str | None = None

    @classmethod
    def of(cls, scores: np.ndarray, y: np.ndarray, weight: np.ndarray | None, folder: str | None = None) -> ScoreRuns:
        """The scores of some rows."""
        runs = []
        for mine in (y > 0, y < 0):
            run = Run(scores[mine], None if weight is None else weight[mine])
            runs.append((run,) if mine.any() else ())
        return cls(runs[0], runs[1], folder)

    def __add__(self, other: ScoreRuns) -> ScoreRuns:
        return ScoreRuns(self._joined(self.pos, other.pos), self._joined(self.neg, other.neg), self.folder)

    def _joined(self, a: tuple[Run, ...], b: tuple[Run, ...]) -> tuple[Run, ...]:
        """The runs of both; a short last one is merged with the next, a long one sorted and stored."""
        if not a or not b or isinstance(a[-1].scores, str):
            return a + b
        if a[-1].scores.size >= RUN_ROWS:
            return (*a[:-1], stored(a[-1], self.folder), *b)
        if isinstance(b[0].scores, str):
            return a + b
        weight = None if a[-1].weight is None else np.append(a[-1].weight, b[0].weight)
        return (*a[:-1], Run(np.append(a[-1].scores, b[0].scores), weight), *b[1:])

    def ended(self) -> MergedRuns:
        """All runs, sorted."""
        return MergedRuns(*([_in_order(run) for run in runs] for runs in (self.pos, self.neg)))

    def interval(self, confidence: float = 0.95) -> Interval:
        """The exact AUC with DeLong's confidence interval."""
        return self.ended().interval(confidence)


def stored(run: Run, folder: str | None) -> Run:
    """The run sorted, in a file if there is a folder."""
    ordered = _in_order(run)
    if folder is None:
        return ordered
    path = os.path.join(folder, uuid.uuid4().hex)
    weight = None if ordered.weight is None else f"{path}-weight.npy"
    try:
        np.save(f"{path}-scores.npy", ordered.scores)
        if weight is not None:
            np.save(weight, ordered.weight)
    except OSError as error:  # NumPy's says only how much was written
        raise OSError(
            f"the scores cannot be sorted in {folder}: {error}; free some space, or set TMPDIR to another folder"
        ) from None
    return Run(f"{path}-scores.npy", weight)


def _in_order(run: Run) -> Run:
    """Scores in ascending order, with their weights; those in files are so already."""
    if isinstance(run.scores, str):
        return run
    if run.weight is None:
        return Run(np.sort(run.scores), None)
    order = np.argsort(run.scores, kind="stable")
    return Run(run.scores[order], run.weight[order])


class Block(NamedTuple):
    """The scores of both classes between two cut points, in ascending order, with their weights (1 if None)."""

    pos: np.ndarray
    pos_weight: np.ndarray
    neg: np.ndarray
    neg_weight: np.ndarray


class MergedRuns:
    """The sorted runs of both classes, to be merged block by block."""

    def __init__(self, pos: list[Run], neg: list[Run]):
        self.classes = (pos, neg)
        self.counts = tuple(sum(run.arrays[0].size for run in runs) for runs in self.classes)
        self.weighted = any(run.weight is not None for runs in self.classes for run in runs)
        self.totals = tuple(float(sum(map(_total_weight, runs))) for runs in self.classes)
        if min(self.counts) == 0:
            raise ValueError(f"{self.counts[0]} positive and {self.counts[1]} negative rows; AUC needs both")

    def blocks(self) -> Iterator[Block]:
        """All scores in ascending order, about `RUN_ROWS` at a time; equal scores are in one block."""
        step = max(1, RUN_ROWS // 64)
        sample = np.sort(np.concatenate([run.arrays[0][::step].copy() for runs in self.classes for run in runs]))
        edges = [-np.inf, *np.unique(sample[::64])[1:], np.inf]
        for low, high in pairwise(edges):
            parts = [_between(runs, low, high) for runs in self.classes]
            yield Block(*parts[0], *parts[1])

    def interval(self, confidence: float = 0.95) -> Interval:
        """AUC, confidence limits and DeLong's standard error."""
        auc = self._auc()
        if min(self.counts) < 2:
            return Interval(auc, np.nan, np.nan, np.nan)
        std_error = float(np.sqrt(self._variance(auc)))
        return Interval(auc, *auc_limits(auc, std_error, min(self.counts), confidence), std_error)

    def _auc(self) -> float:
        """The weight of pairs in order, ties counted half; without weights a ratio of integers."""
        twice: Any = 0
        below: Any = 0
        for block in self.blocks():
            counts, added = _twice_below(block.pos, block.neg, block.neg_weight if self.weighted else None)
            if self.weighted:
                twice += float(np.sum(block.pos_weight * (counts + 2.0 * below)))
            else:
                twice += int(counts.sum()) + 2 * below * block.pos.size
            below += added
        if self.weighted:
            return twice / (2.0 * self.totals[0] * self.totals[1])
        return twice / (2 * self.counts[0] * self.counts[1])

    def _variance(self, auc: float) -> float:
        """DeLong's variance: the squared deviations of the shares of the other class below each score."""
        squares = np.zeros(2)
        weights = np.zeros(2)
        below = np.zeros(2)  # of the positive and of the negative weight
        for block in self.blocks():
            sides = (block.pos, block.pos_weight), (block.neg, block.neg_weight)
            added = np.zeros(2)
            for k, ((mine, weight), (others, other_weight)) in enumerate((sides, sides[::-1])):
                counts, added[1 - k] = _twice_below(mine, others, other_weight)
                share = (counts + 2.0 * below[1 - k]) / (2.0 * self.totals[1 - k])
                p = weight / self.totals[k]
                squares[k] += np.sum((p * (share - (auc if k == 0 else 1.0 - auc))) ** 2)
                weights[k] += np.sum(p * p)
            below += added
        return float(np.sum(squares / np.maximum(1.0 - weights, 1e-12)))

    def condensed(self, limit: int = CONDENSED) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores, labels and weights; of a class of more than `limit` rows, means of neighbours."""
        group = [-(-count // limit) for count in self.counts]
        parts: list[tuple[np.ndarray, float, np.ndarray]] = []
        for block in self.blocks():
            for label, size, scores, weight in (
                (1.0, group[0], block.pos, block.pos_weight),
                (-1.0, group[1], block.neg, block.neg_weight),
            ):
                if scores.size:
                    parts.append((*_grouped(scores, weight, size), label))  # type: ignore[arg-type]
        scores = np.concatenate([part[0] for part in parts])
        weight = np.concatenate([part[1] for part in parts])
        y = np.concatenate([np.full(len(part[0]), part[2]) for part in parts])
        return scores, y, weight


def _total_weight(run: Run) -> float:
    scores, weight = run.arrays
    return float(scores.size if weight is None else weight.sum())


def _between(runs: list[Run], low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """The scores above `low` and up to `high` of all runs, sorted, with their weights."""
    some = []
    weights = []
    for scores, weight in (run.arrays for run in runs):
        start, stop = np.searchsorted(scores, [low, high], "right")
        some.append(np.array(scores[start:stop]))  # a view would keep the file mapped
        weights.append(np.ones(stop - start) if weight is None else np.array(weight[start:stop]))
    joined = np.concatenate([np.empty(0), *some])
    order = np.argsort(joined, kind="stable")
    return joined[order], np.concatenate([np.empty(0), *weights])[order]


def _twice_below(mine: np.ndarray, others: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, Any]:
    """Twice the weight of the others below each score plus that of its ties; and the weight of all others."""
    left = np.searchsorted(others, mine, "left")
    right = np.searchsorted(others, mine, "right")
    if weight is None:
        return left + right, others.size
    total = np.append(0.0, np.cumsum(weight))
    return total[left] + total[right], float(total[-1])


def _grouped(scores: np.ndarray, weight: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Means of `size` neighbours, and their weights."""
    if size == 1:
        return scores, weight
    starts = np.arange(0, scores.size, size)
    total = np.add.reduceat(weight, starts)
    return np.add.reduceat(weight * scores, starts) / total, total


@dataclass(frozen=True, eq=False)
class ScoreRunsOf:
    """The scores of the rows of a chunk, as a function of `NumberedRows` gives them."""

    score: Callable[[NumberedRows], np.ndarray]
    weighted: bool
    folder: str | None = None

    resumable = False  # runs are in temporary files: after a stop, this pass starts from scratch

    def __call__(self, rows: NumberedRows) -> ScoreRuns:
        """The runs of the chunk."""
        return ScoreRuns.of(self.score(rows), rows.data.y, rows.data.weight if self.weighted else None, self.folder)
