"""Weights of the models on cross-validation paths, so that their scores are averaged instead of one being picked.

With few positives the AUC of a setting has a standard error of some hundredths, and the best of many settings is
mostly the luckiest. With a_k the mean of the AUC within the folds and that of the pooled out-of-fold scores of
model k, and SE DeLong's standard error of the model with the largest a,

    omega_k = exp((a_k - max a) / (CAUTION SE + 1e-4)) / sum,      score = sum_k omega_k score_k sd_best / sd_k

with sd the standard deviation of the out-of-fold scores. As the rows become many, SE goes to 0 and the best remains.

The averaged score of a test row has other weights. The weights above result from a search for settings that rank all
rows well, and with random labels the AUC would be well above 1/2 (.61 with 18 positives). Leaving out the fold of the
row is not enough (.56): if patterns of noise in two folds happen to agree, models of either rank the other well. The
weights of a fold therefore come from models fitted without it, tested on another fold that they were not fitted to
either. To save time, only settings whose weight for all rows is not negligible are considered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.metrics.delong import std_error_of_counts
from aucmax.selection.cross_validation import CVPath, aucs_of
from aucmax.validation.inputs import LabeledData

NEGLIGIBLE = 1e-3  # weight relative to the best, below which no fold considers a model
CAUTION = 1.0  # standard errors by which an AUC may be lower at 1/e of the weight
RESOLUTION = 1e-4  # differences of AUC that count even if the standard error is zero
SMALLEST_WEIGHT = 0.01  # total weight of a path below which it is dropped
MOST_PATHS = 6  # paths that are kept


class Average(NamedTuple):
    """The weights of all models on the paths; arrays have a row per path and a column per alpha."""

    weights: np.ndarray  # omega, zero for dropped models
    factors: np.ndarray  # of the scores: omega times sd_best / sd
    best: tuple[int, int]  # path and alpha of the largest a
    out_of_fold: np.ndarray  # averaged scores, with weights computed without the fold; NaN for rows in no test set

    @property
    def kept(self) -> np.ndarray:
        """The paths that keep weight."""
        return np.flatnonzero(self.factors.any(axis=1))


def average_paths(table: LabeledData, paths: list[CVPath], *, pick: bool = False) -> Average:
    """The average of all models on the paths; with `pick` the best one alone."""
    scores = np.stack([path.out_of_fold(table.y.size) for path in paths])
    tested = np.flatnonzero(~np.isnan(scores[0, 0]))
    auc = np.stack([path.auc for path in paths])
    held_out = _HeldOut(table.y[tested], table.weight[tested], scores[:, :, tested], auc.mean(axis=2))
    quality = held_out.quality(np.ones(held_out.within.shape, dtype=bool))
    best, weights = held_out.choose(quality, pick)
    spreads = held_out.spreads()
    unit = float(spreads[best]) or 1.0
    units = unit / np.where(spreads > 0, spreads, unit)
    relevant = _softmax(quality, held_out.std_error(best)) > NEGLIGIBLE
    total = np.zeros(table.y.size)
    times = np.zeros(table.y.size)
    for k, (_, test) in enumerate(paths[0].folds):
        others = _inner_scores(table, paths, k, relevant) or _scores_of_other_folds(table, paths, test, scores)
        fold_weights = weights if others is None else others.choose(others.quality(relevant), pick)[1]
        for path, factors in zip(paths, fold_weights * units, strict=True):
            total[test] += factors @ path.scores[k]
        times[test] += 1
    with np.errstate(invalid="ignore"):
        return Average(weights, weights * units, best, total / times)


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
    """omega relative to the weight of the best model."""
    return np.exp((quality - quality.max()) / (CAUTION * std_error + RESOLUTION))


class _HeldOut(NamedTuple):
    """Scores of rows by models that were not fitted to them."""

    y: np.ndarray
    weight: np.ndarray
    scores: np.ndarray  # of shape (n_paths, n_alphas, n_rows)
    within: np.ndarray  # mean AUC within the test sets, of shape (n_paths, n_alphas)

    def quality(self, relevant: np.ndarray) -> np.ndarray:
        """The mean of the AUC within the folds and of the AUC of the pooled scores; -inf for irrelevant models."""
        pooled = _relevant_aucs(self.scores, self.y, self.weight, relevant)
        return np.where(relevant, 0.5 * (self.within + pooled), -np.inf)

    def std_error(self, model: tuple[int, int]) -> float:
        """DeLong's standard error of the AUC of one model."""
        return std_error_of_counts(self.y > 0, self.weight, self.scores[model])

    def choose(self, quality: np.ndarray, pick: bool) -> tuple[tuple[int, int], np.ndarray]:
        """Path and alpha of the best model, and the weights of all."""
        best = divmod(int(np.argmax(quality)), quality.shape[1])
        if not pick:
            return best, average_weights(quality, self.std_error(best))
        weights = np.zeros_like(quality)
        weights[best] = 1.0
        return best, weights

    def spreads(self) -> np.ndarray:
        """Standard deviations of the scores, for each path and alpha."""
        share = self.weight / self.weight.sum()
        return np.sqrt((self.scores - (self.scores @ share)[:, :, None]) ** 2 @ share)


def _inner_scores(table: LabeledData, paths: list[CVPath], k: int, relevant: np.ndarray) -> _HeldOut | None:
    """The scores of other folds by models that saw neither these nor fold k; None if there are no such models."""
    tests = []
    scores = []
    aucs = []
    for without, j in paths[0].inner or ():
        if without == k:
            test = paths[0].folds[j][1]
            tests.append(test)
            scores.append(np.stack([(path.inner or {})[k, j] for path in paths]))
            aucs.append(_relevant_aucs(scores[-1], table.y[test], table.weight[test], relevant))
    if not tests:
        return None
    rows = np.concatenate(tests)
    return _HeldOut(table.y[rows], table.weight[rows], np.concatenate(scores, axis=2), np.mean(aucs, axis=0))


def _scores_of_other_folds(
    table: LabeledData, paths: list[CVPath], test: np.ndarray, scores: np.ndarray
) -> _HeldOut | None:
    """The out-of-fold scores of the folds that share no test row with `test`, if any.

    Among these folds, those whose models were not fitted to any row of `test` are preferred.
    """
    folds = paths[0].folds
    apart = [j for j, (_, rows) in enumerate(folds) if not np.isin(rows, test).any()]
    unseen = [j for j in apart if not np.isin(folds[j][0], test).any()]
    others = unseen or apart
    if not others:
        return None
    rows = np.unique(np.concatenate([folds[j][1] for j in others]))
    within = np.stack([path.auc for path in paths])[:, :, others].mean(axis=2)
    return _HeldOut(table.y[rows], table.weight[rows], scores[:, :, rows], within)


def _relevant_aucs(scores: np.ndarray, y: np.ndarray, weight: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """The AUC of each path and alpha; NaN for irrelevant models."""
    auc = np.full(relevant.shape, np.nan)
    auc[relevant] = aucs_of(scores[relevant], y, weight)
    return auc
