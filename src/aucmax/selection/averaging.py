"""Weights of the models on cross-validation paths, so that their scores are averaged instead of one being picked.

With few positives the AUC of a setting has a standard error of some hundredths, and the best of many settings is
mostly the luckiest. With a_k the mean of the AUC within the folds and that of the pooled out-of-fold scores of
model k, and SE DeLong's standard error of the model with the largest a,

    omega_k = exp((a_k - max a) / (CAUTION SE + 1e-4)) / sum,      score = sum_k omega_k score_k sd_best / sd_k

with sd the standard deviation of the out-of-fold scores. As the rows become many, SE goes to 0 and the best remains.

The averaged score of a test row has weights that were computed without the rows of its fold: those of all rows are
the result of a search for settings that rank these rows well, and with random labels the AUC would be well above 1/2
(.61 with 18 positives).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.metrics.auc import auc_of_classes
from aucmax.metrics.delong import std_error_of_counts
from aucmax.selection.cross_validation import CVPath
from aucmax.validation.inputs import LabeledData

NEGLIGIBLE = 1e-3  # weight relative to the best, below which no fold considers a model
CAUTION = 1.0  # standard errors by which an AUC may be lower at 1/e of the weight
RESOLUTION = 1e-4  # differences of AUC that count even if the standard error is zero
SMALLEST_WEIGHT = 0.01  # total weight of a path below which it is dropped
MOST_PATHS = 6  # paths that are kept


class Average(NamedTuple):
    """What is mixed; arrays have a row per path and a column per alpha."""

    weights: np.ndarray  # omega, zero for what was dropped
    factors: np.ndarray  # of the scores: omega times sd_best / sd
    best: tuple[int, int]  # path and alpha of the largest a
    out_of_fold: np.ndarray  # averaged scores of the rows, with weights of other folds, NaN for rows in no test set

    @property
    def kept(self) -> np.ndarray:
        """The paths that keep weight."""
        return np.flatnonzero(self.factors.any(axis=1))


def average_paths(table: LabeledData, paths: list[CVPath], *, pick: bool = False) -> Average:
    """The average of all models on the paths; with `pick` the best one alone."""
    models = _Candidates(table, paths, pick)
    quality = models.quality(models.tested)
    best, weights = models.choose(quality, models.tested)
    spreads = models.spreads()
    unit = float(spreads[best]) or 1.0
    units = unit / np.where(spreads > 0, spreads, unit)
    relevant = _softmax(quality, models.std_error(best, models.tested)) > NEGLIGIBLE
    return Average(weights, weights * units, best, models.held_out_scores(weights, units, relevant))


def average_weights(quality: np.ndarray, std_error: float) -> np.ndarray:
    """omega, from the AUC of every alpha of every path; paths of little weight are dropped, never the best one.

    Examples
    --------
    >>> average_weights(np.array([[0.90, 0.88], [0.60, 0.50]]), 0.02).round(3).tolist()
    [[0.73, 0.27], [0.0, 0.0]]
    """
    weights = _softmax(quality, std_error)
    totals = weights.sum(axis=1)
    dropped = totals < SMALLEST_WEIGHT * totals.sum()
    dropped[np.argsort(-totals, kind="stable")[MOST_PATHS:]] = True
    dropped[int(np.argmax(quality.max(axis=1)))] = False
    weights[dropped] = 0.0
    return weights / weights.sum()


def _softmax(quality: np.ndarray, std_error: float) -> np.ndarray:
    """omega relative to that of the best."""
    return np.exp((quality - quality.max()) / (CAUTION * std_error + RESOLUTION))


class _Candidates:
    """All models on the paths, with their out-of-fold scores."""

    def __init__(self, table: LabeledData, paths: list[CVPath], pick: bool):
        self.table = table
        self.paths = paths
        self.pick = pick
        self.folds = paths[0].folds
        self.scores = np.stack([path.out_of_fold(table.y.size) for path in paths])
        self.tested = np.flatnonzero(~np.isnan(self.scores[0, 0]))

    def spreads(self) -> np.ndarray:
        """Standard deviations of the scores, for each path and alpha."""
        share = self.table.weight[self.tested] / self.table.weight[self.tested].sum()
        scores = self.scores[:, :, self.tested]
        return np.sqrt((scores - (scores @ share)[:, :, None]) ** 2 @ share)

    def quality(
        self, rows: np.ndarray, folds: list[int] | None = None, relevant: np.ndarray | None = None
    ) -> np.ndarray:
        """The mean of the AUC within the folds and of that of the pooled scores; -inf for what is not relevant."""
        pos = self.table.y[rows] > 0
        weight = self.table.weight[rows]
        class_weights = () if (weight == weight[0]).all() else (weight[pos], weight[~pos])
        shape = self.scores.shape[:2]
        quality = np.full(shape, -np.inf)
        for k, j in np.argwhere(np.ones(shape) if relevant is None else relevant):
            scores = self.scores[k, j, rows]
            within = self.paths[k].auc[j] if folds is None else self.paths[k].auc[j, folds]
            quality[k, j] = 0.5 * (within.mean() + auc_of_classes(scores[pos], scores[~pos], *class_weights))
        return quality

    def std_error(self, model: tuple[int, int], rows: np.ndarray) -> float:
        """DeLong's standard error of the AUC of one model."""
        return std_error_of_counts(self.table.y[rows] > 0, self.table.weight[rows], self.scores[model][rows])

    def choose(self, quality: np.ndarray, rows: np.ndarray) -> tuple[tuple[int, int], np.ndarray]:
        """Path and alpha of the best model, and the weights of all."""
        best = divmod(int(np.argmax(quality)), quality.shape[1])
        if not self.pick:
            return best, average_weights(quality, self.std_error(best, rows))
        weights = np.zeros_like(quality)
        weights[best] = 1.0
        return best, weights

    def held_out_scores(self, weights: np.ndarray, units: np.ndarray, relevant: np.ndarray) -> np.ndarray:
        """Averaged scores, in each fold with the weights of the other folds; NaN for rows in no test set.

        Folds that test some of the same rows are left out too; if no others are left, the weights given are used.
        """
        total = np.zeros(self.table.y.size)
        times = np.zeros(self.table.y.size)
        for k, (_, test) in enumerate(self.folds):
            others = [j for j, (_, rows) in enumerate(self.folds) if not np.isin(rows, test).any()]
            here = weights
            if others:
                rows = np.unique(np.concatenate([self.folds[j][1] for j in others]))
                here = self.choose(self.quality(rows, others, relevant), rows)[1]
            for path, factors in zip(self.paths, here * units, strict=True):
                total[test] += factors @ path.scores[k]
            times[test] += 1
        with np.errstate(invalid="ignore"):
            return total / times
