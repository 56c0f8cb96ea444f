"""Cross-validation of a path of alphas: one loss on all folds, from the moments of the folds if they suffice.

The columns may be those of a table or features computed from it: nothing here depends on which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from aucmax.metrics.auc import auc_of_classes
from aucmax.numerics.matrix import dot
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data, automatic_alpha, check_finite
from aucmax.selection.alpha_path import alpha_path
from aucmax.selection.fold_moments import training_moments
from aucmax.selection.splits import Fold
from aucmax.solvers import Exact, Solver
from aucmax.solvers.coordinate_descent import GRAM_LIMIT
from aucmax.solvers.registry import check_penalty_supported, find_solver
from aucmax.validation.inputs import LabeledData
from aucmax.validation.params import Integer

CHOICES = ("best", "one_se")
GRID_SIZE = Integer(1)  # how many alphas to try
ROUNDING = 1e-12  # difference up to which mean AUCs count as equal


class PathSettings(NamedTuple):
    """The settings of a path, apart from the loss."""

    alphas: Any  # strengths to try, how many of them, or None
    l1_ratio: float
    standardize: bool

    def penalty(self, alpha: float = 1.0) -> ElasticNet:
        """The penalty of strength alpha."""
        return ElasticNet.of(alpha, self.l1_ratio)


# for a pair (k, j) of folds, scores of the test rows of j by models of the rows that are in the test set of neither
InnerScores = dict[tuple[int, int], np.ndarray]


class CVPath(NamedTuple):
    """The cross-validation of one loss, for all folds and alphas."""

    loss: Any  # a `Loss`
    solver: Solver  # the default solver of the loss
    data: Data  # of all rows
    alphas: np.ndarray  # decreasing
    auc: np.ndarray  # of shape (n_alphas, n_folds)
    folds: list[Fold]  # pairs of training and test rows
    scores: list[np.ndarray]  # of the test rows of each fold, of shape (n_alphas, n_test)
    inner: InnerScores | None = None  # of pairs of folds, if models without both were fitted too

    @property
    def best_auc(self) -> float:
        """The best mean AUC."""
        return float(self.auc.mean(axis=1).max())

    def out_of_fold(self, n: int, which: int | slice = slice(None)) -> np.ndarray:
        """Scores of all n rows for each of some alphas: means over the folds that test a row, NaN if none does."""
        total = np.zeros((*self.alphas[which].shape, n))
        times = np.zeros(n)
        for (_, test), scores in zip(self.folds, self.scores, strict=True):
            total[..., test] += scores[which]
            times[test] += 1
        with np.errstate(invalid="ignore"):
            return total / times


def cv_path(table: LabeledData, folds: list[Fold], loss: Any, settings: PathSettings) -> CVPath:
    """Fit all alphas on each training set, and score its test rows."""
    solver = certified_solver(table.X, loss)
    data, training = fold_data(table, folds, solver, settings)
    alphas = make_alphas(settings, data)
    for alpha in alphas[[0, -1]]:
        check_penalty_supported(solver, settings.penalty(alpha), loss)
    scores = []
    aucs = []
    for (_, test), part in zip(folds, training, strict=True):
        weights = alpha_path(part, loss, alphas, settings.l1_ratio, solver)
        fold_scores, fold_aucs = score_fold(table, test, table.X, part, weights)
        scores.append(fold_scores)
        aucs.append(fold_aucs)
    return CVPath(loss, solver, data, alphas, np.column_stack(aucs), folds, scores)


def score_fold(
    table: LabeledData, test: np.ndarray, X: Any, data: Data, weights: np.ndarray
) -> tuple[np.ndarray, list[float]]:
    """Scores and AUC of the test rows of X for all alphas; zero is midway between the training class means."""
    weights = weights / data.scale[:, None]
    scores = np.ascontiguousarray(dot(X, weights, test).T)
    aucs = aucs_of_rows(table, test, scores)
    scores -= data.midpoint(weights)[:, None]
    return scores, aucs


def aucs_of_rows(table: LabeledData, rows: np.ndarray, scores: np.ndarray) -> list[float]:
    """AUC on some rows of a table, for every model; their scores are of shape (n_models, n_rows)."""
    pos = table.y[rows] > 0
    weight = table.weight[rows]
    class_weights = () if (weight == weight[0]).all() else (weight[pos], weight[~pos])
    aucs = []
    for of_model in scores:
        aucs.append(auc_of_classes(of_model[pos], of_model[~pos], *class_weights))
    return aucs


def certified_solver(X: Any, loss: Any) -> Solver:
    """The default solver of the loss, if it certifies its solutions."""
    solver = find_solver("auto", X, loss)
    if not solver.certified:
        raise ValueError(
            f"loss={loss.name!r} has no default solver that certifies its solution, which a path needs; choose a "
            "solver (in Python with AUCClassifier, on the command line with --solver) or another loss"
        )
    return solver


def fold_data(
    table: LabeledData, folds: list[Fold], solver: Solver, settings: PathSettings
) -> tuple[Data, Iterator[Data]]:
    """Data of all rows and of each training set, from moments alone if the solver needs no rows."""
    training_rows, _ = zip(*folds, strict=True)
    smallest = min(map(len, training_rows))
    if isinstance(solver, Exact) and table.X.shape[1] <= (GRAM_LIMIT if settings.l1_ratio > 0 else smallest):
        moments, parts = training_moments(*table, folds)
        check_finite(moments, table.X)
        of_moments = partial(Data.of_moments, standardize=settings.standardize)
        return of_moments(moments), map(of_moments, parts)
    training = (training_data(table.rows(train), settings) for train, _ in folds)
    return training_data(table.weighted(), settings), training


def training_data(table: LabeledData, settings: PathSettings) -> Data:
    """Data of a training set."""
    return Data.of(*table, standardize=settings.standardize)


def make_alphas(settings: PathSettings, data: Data) -> np.ndarray:
    """Decreasing strengths: those given, or a grid around the automatic one (for l1, below the all-zero solution)."""
    alphas = settings.alphas
    if alphas is None or GRID_SIZE.accepts(alphas):
        count = 11 if alphas is None else int(alphas)
        if settings.l1_ratio > 0:
            largest = float(np.abs(data.delta).max()) / settings.l1_ratio or 1.0
            return np.geomspace(largest, 1e-3 * largest, count)
        return automatic_alpha(data) * np.logspace(2, -3, count)
    given = np.asarray(alphas, dtype=float) if np.ndim(alphas) == 1 else np.empty(0)
    if given.size == 0 or not np.isfinite(given).all() or given.min() < 0:
        raise ValueError(f"alphas={alphas!r}; give a list of finite numbers of 0 or more, how many to try, or None")
    return np.sort(given)[::-1]


def choose_alpha(auc: np.ndarray, choice: str) -> int:
    """Index of the best mean AUC (the larger alpha if equal), or of the largest alpha within one standard error."""
    mean = auc.mean(axis=1)
    best = int(np.flatnonzero(mean >= mean.max() - ROUNDING)[0])
    if choice == "best" or auc.shape[1] < 2:
        return best
    error = auc[best].std(ddof=1) / np.sqrt(auc.shape[1])
    return int(np.flatnonzero(mean >= mean[best] - error)[0])


def cv_results(candidates: Iterable[tuple[dict[str, Any], CVPath]]) -> dict[str, Any]:
    """All candidates in the shape of scikit-learn's `cv_results_`: a dict of arrays, one entry per candidate."""
    params = []
    aucs = []
    for names, path in candidates:
        aucs.append(path.auc)
        for alpha in path.alphas:
            params.append({**names, "alpha": float(alpha)})
    auc = np.vstack(aucs)
    mean = auc.mean(axis=1)
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        results[f"param_{name}"] = np.array(list(map(itemgetter(name), params)))
    for k, column in enumerate(auc.T):
        results[f"split{k}_test_score"] = column
    results["mean_test_score"] = mean
    results["std_test_score"] = auc.std(axis=1)
    results["rank_test_score"] = rankdata(-mean, method="min").astype(int)
    return results
