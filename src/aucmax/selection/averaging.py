"""Weights of the models on cross-validation paths, so that their scores are averaged instead of one being picked.

With few positives the AUC of a setting has a standard error of some hundredths, and the best of many settings is
mostly the luckiest. With a_k the mean of the AUC within the folds and that of the pooled out-of-fold scores of
model k, and SE DeLong's standard error of the model with the largest a,

    omega_k = exp((a_k - max a) / (CAUTION SE + 1e-4)) / sum,      score = sum_k omega_k score_k sd_best / sd_k

with sd the standard deviation of the out-of-fold scores. As the rows become many, SE goes to 0 and the best remains.

The averaged score of a test row has other weights. Those of all rows are the result of a search for settings that
rank these rows well, and with random labels the AUC would be well above 1/2 (.61 with 18 positives). To leave out the
fold of the row is not enough (.56): if patterns of noise in two folds happen to agree, models of either rank the
other well. The weights of a fold therefore come from models fitted without it, tested on another fold that they were
not fitted to either. Only settings whose weight for all rows is not negligible are considered, which saves time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.metrics.delong import std_error_of_counts
from aucmax.selection.cross_validation import CVPath, aucs_of_rows
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
    out_of_fold: np.ndarray  # averaged scores, with weights computed without the fold; NaN for rows in no test set

    @property
    def kept(self) -> np.ndarray:
        """The paths that keep weight."""
        return np.flatnonzero(self.factors.any(axis=1))


def average_paths(table: LabeledData, paths: list[CVPath], *, pick: bool = False) -> Average:
    """The average of all models on the paths; with `pick` the best one alone."""
    models = _Candidates(table, paths, pick)
    held_out = models.out_of_fold()
    quality = models.quality(held_out, np.ones(held_out.within.shape, dtype=bool))
    best, weights = models.choose(quality, held_out)
    spreads = models.spreads()
    unit = float(spreads[best]) or 1.0
    units = unit / np.where(spreads > 0, spreads, unit)
    relevant = _softmax(quality, models.std_error(best, held_out)) > NEGLIGIBLE
    return Average(weights, weights * units, best, models.averaged_out_of_fold(weights, units, relevant))


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


class _HeldOut(NamedTuple):
    """Scores of rows by models that were not fitted to them."""

    rows: np.ndarray  # indices in the table
    scores: np.ndarray  # of shape (n_paths, n_alphas, n_rows)
    within: np.ndarray  # mean AUC within the test sets, of shape (n_paths, n_alphas)


class _Candidates:
    """All models on the paths, with their out-of-fold scores."""

    def __init__(self, table: LabeledData, paths: list[CVPath], pick: bool):
        self.table = table
        self.paths = paths
        self.pick = pick
        self.folds = paths[0].folds
        self.scores = np.stack([path.out_of_fold(table.y.size) for path in paths])
        self.auc = np.stack([path.auc for path in paths])
        self.tested = np.flatnonzero(~np.isnan(self.scores[0, 0]))

    def spreads(self) -> np.ndarray:
        """Standard deviations of the scores, for each path and alpha."""
        share = self.table.weight[self.tested] / self.table.weight[self.tested].sum()
        scores = self.scores[:, :, self.tested]
        return np.sqrt((scores - (scores @ share)[:, :, None]) ** 2 @ share)

    def out_of_fold(self) -> _HeldOut:
        """All out-of-fold scores."""
        return _HeldOut(self.tested, self.scores[:, :, self.tested], self.auc.mean(axis=2))

    def quality(self, held_out: _HeldOut, relevant: np.ndarray) -> np.ndarray:
        """The mean of the AUC within the folds and of that of the pooled scores; -inf for what is not relevant."""
        pooled = self._auc(held_out.rows, held_out.scores, relevant)
        return np.where(relevant, 0.5 * (held_out.within + pooled), -np.inf)

    def std_error(self, model: tuple[int, int], held_out: _HeldOut) -> float:
        """DeLong's standard error of the AUC of one model."""
        rows = held_out.rows
        return std_error_of_counts(self.table.y[rows] > 0, self.table.weight[rows], held_out.scores[model])

    def choose(self, quality: np.ndarray, held_out: _HeldOut) -> tuple[tuple[int, int], np.ndarray]:
        """Path and alpha of the best model, and the weights of all."""
        best = divmod(int(np.argmax(quality)), quality.shape[1])
        if not self.pick:
            return best, average_weights(quality, self.std_error(best, held_out))
        weights = np.zeros_like(quality)
        weights[best] = 1.0
        return best, weights

    def averaged_out_of_fold(self, weights: np.ndarray, units: np.ndarray, relevant: np.ndarray) -> np.ndarray:
        """Averaged scores, in each fold with weights computed without it; NaN for rows in no test set."""
        total = np.zeros(self.table.y.size)
        times = np.zeros(self.table.y.size)
        for k, (_, test) in enumerate(self.folds):
            held_out = self._without_fold(k, relevant) if self.paths[0].inner else self._other_folds(test)
            here = weights
            if held_out is not None:
                here = self.choose(self.quality(held_out, relevant), held_out)[1]
            for path, factors in zip(self.paths, here * units, strict=True):
                total[test] += factors @ path.scores[k]
            times[test] += 1
        with np.errstate(invalid="ignore"):
            return total / times

    def _without_fold(self, k: int, relevant: np.ndarray) -> _HeldOut:
        """The scores of other folds by models that saw neither these nor fold k."""
        tests = []
        scores = []
        aucs = []
        for without, j in self.paths[0].inner or ():
            if without == k:
                tests.append(self.folds[j][1])
                scores.append(np.stack([(path.inner or {})[k, j] for path in self.paths]))
                aucs.append(self._auc(tests[-1], scores[-1], relevant))
        return _HeldOut(np.concatenate(tests), np.concatenate(scores, axis=2), np.mean(aucs, axis=0))

    def _other_folds(self, test: np.ndarray) -> _HeldOut | None:
        """The out-of-fold scores of the folds that test none of these rows; of those, if any, not fitted to them."""
        apart = [j for j, (_, rows) in enumerate(self.folds) if not np.isin(rows, test).any()]
        unseen = [j for j in apart if not np.isin(self.folds[j][0], test).any()]
        others = unseen or apart
        if not others:
            return None
        rows = np.unique(np.concatenate([self.folds[j][1] for j in others]))
        return _HeldOut(rows, self.scores[:, :, rows], self.auc[:, :, others].mean(axis=2))

    def _auc(self, rows: np.ndarray, scores: np.ndarray, relevant: np.ndarray) -> np.ndarray:
        """AUC on some rows, for each path and alpha; NaN for what is not relevant."""
        auc = np.full(relevant.shape, np.nan)
        auc[relevant] = aucs_of_rows(self.table, rows, scores[relevant])
        return auc
