"""Weights of the models on cross-validation paths, so that their scores are averaged instead of one being picked.

With few positives the AUC of a setting has a standard error of some hundredths, and the best of many settings is
mostly the luckiest. With a_k the mean of the AUC within the folds and that of the pooled out-of-fold scores of
model k, and SE DeLong's standard error of the model with the largest a,

    omega_k = exp((a_k - max a) / (CAUTION SE + 1e-4)) / sum,      score = sum_k omega_k score_k sd_best / sd_k

with sd the standard deviation of the out-of-fold scores. As the rows become many, SE goes to 0 and the best remains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.metrics.auc import auc_of_classes
from aucmax.metrics.delong import auc_influence
from aucmax.selection.cross_validation import CVPath
from aucmax.validation.inputs import LabeledData

CAUTION = 1.0  # standard errors by which an AUC may be lower at 1/e of the weight
RESOLUTION = 1e-4  # differences of AUC that count even if the standard error is zero
SMALLEST_WEIGHT = 0.01  # total weight of a path below which it is dropped
MOST_PATHS = 6  # paths that are kept


class Average(NamedTuple):
    """What is mixed."""

    weights: list[np.ndarray]  # omega, one array per path with an entry per alpha; zero for what was dropped
    factors: list[np.ndarray]  # of the scores: omega times sd_best / sd
    best: tuple[int, int]  # path and alpha of the largest a
    out_of_fold: np.ndarray  # averaged scores of the rows, NaN for rows in no test set


def average_paths(table: LabeledData, paths: list[CVPath], *, pick: bool = False) -> Average:
    """The average of all models on the paths; with `pick` the best one alone."""
    scores = [path.out_of_fold(table.y.size) for path in paths]
    tested = np.flatnonzero(~np.isnan(scores[0][0]))
    rows = table.y[tested] > 0, table.weight[tested]
    quality = [_quality(path.auc, pooled[:, tested], *rows) for path, pooled in zip(paths, scores, strict=True)]
    leader = int(np.argmax([part.max() for part in quality]))
    best = leader, int(np.argmax(quality[leader]))
    if pick:
        weights = [np.zeros_like(part) for part in quality]
        weights[leader][best[1]] = 1.0
    else:
        influence = auc_influence(rows[0], scores[leader][best[1], tested], sample_weight=rows[1])
        weights = average_weights(quality, float(np.linalg.norm(influence)))
    spreads = [pooled[:, tested].std(axis=1) for pooled in scores]
    unit = float(spreads[leader][best[1]]) or 1.0
    factors = [
        part * unit / np.where(spread > 0, spread, unit) for part, spread in zip(weights, spreads, strict=True)
    ]
    mixed = sum(factor @ pooled for factor, pooled in zip(factors, scores, strict=True))
    return Average(weights, factors, best, np.asarray(mixed))


def average_weights(quality: list[np.ndarray], std_error: float) -> list[np.ndarray]:
    """omega, from the AUC of every alpha of every path; paths of little weight are dropped, never the best one.

    Examples
    --------
    >>> quality = [np.array([0.90, 0.88]), np.array([0.60])]
    >>> [part.round(3).tolist() for part in average_weights(quality, 0.02)]
    [[0.73, 0.27], [0.0]]
    """
    top = max(part.max() for part in quality)
    weights = [np.exp((part - top) / (CAUTION * std_error + RESOLUTION)) for part in quality]
    totals = np.array([part.sum() for part in weights])
    kept = np.argsort(-totals, kind="stable")[:MOST_PATHS]
    kept = kept[totals[kept] >= SMALLEST_WEIGHT * totals.sum()]
    leader = int(np.argmax([part.max() for part in quality]))
    kept = np.union1d(kept, [leader])
    total = totals[kept].sum()
    return [part / total if k in kept else np.zeros_like(part) for k, part in enumerate(weights)]


def _quality(auc: np.ndarray, pooled: np.ndarray, pos: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The mean of the AUC within the folds and of that of the pooled scores, for each alpha."""
    class_weights = () if (weight == weight[0]).all() else (weight[pos], weight[~pos])
    overall = [auc_of_classes(scores[pos], scores[~pos], *class_weights) for scores in pooled]
    return 0.5 * (auc.mean(axis=1) + overall)
