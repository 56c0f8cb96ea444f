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
from aucmax.metrics.delong import std_error_of_counts
from aucmax.selection.cross_validation import CVPath
from aucmax.validation.inputs import LabeledData

CAUTION = 1.0  # standard errors by which an AUC may be lower at 1/e of the weight
RESOLUTION = 1e-4  # differences of AUC that count even if the standard error is zero
SMALLEST_WEIGHT = 0.01  # total weight of a path below which it is dropped
MOST_PATHS = 6  # paths that are kept


class Average(NamedTuple):
    """What is mixed; arrays have a row per path and a column per alpha."""

    weights: np.ndarray  # omega, zero for what was dropped
    factors: np.ndarray  # of the scores: omega times sd_best / sd
    best: tuple[int, int]  # path and alpha of the largest a
    out_of_fold: np.ndarray  # averaged scores of the rows, NaN for rows in no test set

    @property
    def kept(self) -> np.ndarray:
        """The paths that keep weight."""
        return np.flatnonzero(self.factors.any(axis=1))


def average_paths(table: LabeledData, paths: list[CVPath], *, pick: bool = False) -> Average:
    """The average of all models on the paths; with `pick` the best one alone."""
    scores = np.stack([path.out_of_fold(table.y.size) for path in paths])
    tested = np.flatnonzero(~np.isnan(scores[0, 0]))
    pos = table.y[tested] > 0
    weight = table.weight[tested]
    quality = _quality(paths, scores[:, :, tested], pos, weight)
    best = divmod(int(np.argmax(quality)), quality.shape[1])
    if pick:
        weights = np.zeros_like(quality)
        weights[best] = 1.0
    else:
        weights = average_weights(quality, std_error_of_counts(pos, weight, scores[best][tested]))
    share = weight / weight.sum()
    means = scores[:, :, tested] @ share
    spreads = np.sqrt((scores[:, :, tested] - means[:, :, None]) ** 2 @ share)
    unit = float(spreads[best]) or 1.0
    factors = weights * unit / np.where(spreads > 0, spreads, unit)
    return Average(weights, factors, best, np.tensordot(factors, scores, 2))


def average_weights(quality: np.ndarray, std_error: float) -> np.ndarray:
    """omega, from the AUC of every alpha of every path; paths of little weight are dropped, never the best one.

    Examples
    --------
    >>> average_weights(np.array([[0.90, 0.88], [0.60, 0.50]]), 0.02).round(3).tolist()
    [[0.73, 0.27], [0.0, 0.0]]
    """
    weights = np.exp((quality - quality.max()) / (CAUTION * std_error + RESOLUTION))
    totals = weights.sum(axis=1)
    dropped = totals < SMALLEST_WEIGHT * totals.sum()
    dropped[np.argsort(-totals, kind="stable")[MOST_PATHS:]] = True
    dropped[int(np.argmax(quality.max(axis=1)))] = False
    weights[dropped] = 0.0
    return weights / weights.sum()


def _quality(paths: list[CVPath], scores: np.ndarray, pos: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The mean of the AUC within the folds and of that of the pooled scores, for each path and alpha."""
    class_weights = () if (weight == weight[0]).all() else (weight[pos], weight[~pos])
    quality = np.empty(scores.shape[:2])
    for k, path in enumerate(paths):
        for j, one in enumerate(scores[k]):
            pooled = auc_of_classes(one[pos], one[~pos], *class_weights)
            quality[k, j] = 0.5 * (path.auc[j].mean() + pooled)
    return quality
