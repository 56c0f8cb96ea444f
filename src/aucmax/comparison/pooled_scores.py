"""PooledScores: the scores of all folds on one scale.

The models of different folds may score on different scales, and are never compared with each other. For curves and
thresholds a score is replaced by its placement value, the share of the negatives of its own fold below it:

    Pepe, Cai. "The analysis of placement values for evaluating discriminatory measures." Biometrics 2004.

At a threshold of 1 - t every fold has a rate of false alarms of t, and the pooled ROC curve is the mean of those of
the folds, weighted by their positives. For histograms the scores are standardised by the negatives of their fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aucmax.comparison.measures import ScoredFold
from aucmax.metrics.delong import share_below

__all__ = ["PooledScores", "pool_folds", "pool_one_fold"]


class PooledScores(NamedTuple):
    """The tested rows of all folds; a row that several folds test occurs as often, with a part of its weight."""

    rows: np.ndarray  # indices into the table
    weight: np.ndarray  # of the row, divided by the number of folds that test it
    placements: np.ndarray  # what rows are ranked by
    standardized: np.ndarray  # scores for histograms

    def row_means(self, values: np.ndarray, n_rows: int) -> np.ndarray:
        """The mean of each row, over the folds that test it, of placements or scores; NaN if no fold does."""
        total = np.bincount(self.rows, values, minlength=n_rows)
        times = np.bincount(self.rows, minlength=n_rows)
        return np.divide(total, times, out=np.full(n_rows, np.nan), where=times > 0)


def pool_folds(folds: Sequence[ScoredFold]) -> PooledScores:
    """The rows of all folds.

    Examples
    --------
    >>> is_pos = np.array([False, False, True])
    >>> small = ScoredFold(np.array([0, 1, 2]), is_pos, np.array([0.1, 0.3, 0.2]), np.ones(3))
    >>> large = ScoredFold(np.array([3, 4, 5]), is_pos, np.array([100.0, 300.0, 200.0]), np.ones(3))
    >>> pool_folds([small, large]).placements.tolist()
    [0.25, 0.75, 0.5, 0.25, 0.75, 0.5]
    """
    rows = np.concatenate([fold.rows for fold in folds])
    times = np.bincount(rows)
    return PooledScores(
        rows,
        np.concatenate([fold.weight for fold in folds]) / times[rows],
        np.concatenate([_placements(fold) for fold in folds]),
        np.concatenate([_standardized(fold) for fold in folds]),
    )


def pool_one_fold(fold: ScoredFold) -> PooledScores:
    """The rows of a single fold, whose scores need no other scale."""
    return PooledScores(fold.rows, fold.weight, fold.scores, fold.scores)


def _placements(fold: ScoredFold) -> np.ndarray:
    negative = ~fold.is_pos
    return share_below(fold.scores, fold.scores[negative], fold.weight[negative])


def _standardized(fold: ScoredFold) -> np.ndarray:
    """The scores, with mean 0 and deviation 1 of the negatives."""
    negative = ~fold.is_pos
    scores, weight = fold.scores[negative], fold.weight[negative]
    mean = np.average(scores, weights=weight)
    deviation = float(np.sqrt(np.average((scores - mean) ** 2, weights=weight)))
    return (fold.scores - mean) / (deviation or 1.0)
