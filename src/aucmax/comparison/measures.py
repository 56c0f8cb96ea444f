"""Measures of a ranking besides AUC, averaged over the folds, each with an interval from the Bayesian bootstrap.

    Rubin. "The Bayesian bootstrap." Annals of Statistics 1981.

A replicate gives every row an exponential weight, the same in all folds that test it, so that no fold loses a class,
and averages the measure over the folds; the interval lies between quantiles of the replicates. Scores are sorted once
per fold: a replicate costs two cumulative sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from aucmax.metrics.curves import standardized_area
from aucmax.metrics.delong import auc_limits

__all__ = ["MEASURES", "Estimate", "MeasureIntervals", "ScoredFold", "measure_intervals"]

REPLICATES = 200
SEED = 20_200_101  # of the replicates, so that a result does not depend on the models compared with


class ScoredFold(NamedTuple):
    """The test rows of one fold and their scores by one model."""

    rows: np.ndarray  # indices into the table
    is_pos: np.ndarray  # whether the label is the positive one
    scores: np.ndarray
    weight: np.ndarray


class Estimate(NamedTuple):
    """A measure and its confidence interval."""

    value: float
    low: float
    high: float


def _average_precision(tp: np.ndarray, fp: np.ndarray) -> float:
    """Mean precision over the positives, each at the threshold of its own score."""
    return float(np.sum(np.diff(tp, prepend=0.0) * tp / np.maximum(tp + fp, 1e-300)) / tp[-1])


def _recall_at(rate: float) -> Callable[[np.ndarray, np.ndarray], float]:
    """The recall at the lowest threshold whose false-positive rate is at most `rate`."""

    def recall(tp: np.ndarray, fp: np.ndarray) -> float:
        place = int(np.searchsorted(fp, rate * fp[-1] * (1.0 + 1e-12), "right"))
        return float(tp[place - 1] / tp[-1]) if place else 0.0

    return recall


def _partial_auc(tp: np.ndarray, fp: np.ndarray) -> float:
    """Standardised partial AUC up to a false-positive rate of 0.1."""
    fpr = np.append(0.0, fp) / fp[-1]
    tpr = np.append(0.0, tp) / tp[-1]
    return standardized_area(fpr, tpr, 0.0, 0.1, 0.0)


# functions of the positives and negatives at or above each distinct score, in decreasing order
MEASURES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "average_precision": _average_precision,
    "partial_auc": _partial_auc,
    "recall_at_fpr_1": _recall_at(0.01),
    "recall_at_fpr_5": _recall_at(0.05),
}


class _SortedFold(NamedTuple):
    """A fold in decreasing order of score."""

    rows: np.ndarray
    is_pos: np.ndarray
    weight: np.ndarray
    last: np.ndarray  # index of the last row of each block of tied scores

    def measure(self, factor: np.ndarray | float) -> list[float]:
        """All measures, with the weights multiplied by `factor`."""
        weight = self.weight * factor
        tp = np.cumsum(np.where(self.is_pos, weight, 0.0))[self.last]
        fp = np.cumsum(np.where(self.is_pos, 0.0, weight))[self.last]
        return [measure(tp, fp) for measure in MEASURES.values()]


def measure_intervals(folds: Sequence[ScoredFold], n_rows: int, confidence: float = 0.95) -> dict[str, Estimate]:
    """Every measure, averaged over the folds, with its interval.

    Examples
    --------
    >>> is_pos = np.arange(40) < 10
    >>> fold = ScoredFold(np.arange(40), is_pos, 1.0 * is_pos, np.ones(40))
    >>> {name: estimate.value for name, estimate in measure_intervals([fold], 40).items()}
    {'average_precision': 1.0, 'partial_auc': 1.0, 'recall_at_fpr_1': 1.0, 'recall_at_fpr_5': 1.0}
    """
    ordered = [_sort(fold) for fold in folds]
    values = np.mean([fold.measure(1.0) for fold in ordered], axis=0)
    rng = np.random.default_rng(SEED)
    replicates = np.empty((REPLICATES, len(MEASURES)))
    for replicate in replicates:
        factor = rng.exponential(size=n_rows)
        replicate[:] = np.mean([fold.measure(factor[fold.rows]) for fold in ordered], axis=0)
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(replicates, [tail, 1.0 - tail], axis=0)
    estimates = map(Estimate, values.tolist(), np.minimum(low, values).tolist(), np.maximum(high, values).tolist())
    n_rare = _rarer(folds)
    return {name: _widened(estimate, n_rare, confidence) for name, estimate in zip(MEASURES, estimates, strict=True)}


class MeasureIntervals(Mapping[str, Estimate]):
    """`measure_intervals` of some folds, computed at first use: on a long table, it may take longer than the fits.

    Examples
    --------
    >>> is_pos = np.arange(40) < 10
    >>> fold = ScoredFold(np.arange(40), is_pos, 1.0 * is_pos, np.ones(40))
    >>> MeasureIntervals([fold], 40)["average_precision"].value
    1.0
    """

    def __init__(self, folds: Sequence[ScoredFold], n_rows: int) -> None:
        self._folds = folds
        self._n_rows = n_rows

    @cached_property
    def _intervals(self) -> dict[str, Estimate]:
        return measure_intervals(self._folds, self._n_rows)

    def __getitem__(self, name: str) -> Estimate:
        return self._intervals[name]

    def __iter__(self) -> Iterator[str]:
        return iter(MEASURES)

    def __len__(self) -> int:
        return len(MEASURES)

    def __repr__(self) -> str:
        return repr(self._intervals)


def _widened(estimate: Estimate, n_rare: int, confidence: float) -> Estimate:
    """The estimate; if all replicates agree, with the interval of a perfect ranking."""
    if estimate.high - estimate.low > 1e-12:
        return estimate
    return Estimate(estimate.value, *auc_limits(estimate.value, 0.0, n_rare, confidence))


def _sort(fold: ScoredFold) -> _SortedFold:
    order = np.argsort(-fold.scores, kind="stable")
    scores = fold.scores[order]
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    return _SortedFold(fold.rows[order], fold.is_pos[order], fold.weight[order], last)


def _rarer(folds: Sequence[ScoredFold]) -> int:
    """Number of distinct rows of the rarer class."""
    rows = np.concatenate([fold.rows for fold in folds])
    _, first = np.unique(rows, return_index=True)
    return int(np.bincount(np.concatenate([fold.is_pos for fold in folds])[first], minlength=2).min())
