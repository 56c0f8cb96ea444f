"""Fits of `AUCClassifierCV` from passes over a source: all folds and alphas of one loss or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.estimators.base import LinearModel
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.losses import LOSSES, Squared
from aucmax.numerics.matrix import dot
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.scale.fold_statistics import FoldStatistics, FoldStatisticsOf
from aucmax.scale.folds import hash_folds
from aucmax.scale.linear_fits import check_classes, check_width, solve, sorted_scores, unusable_losses
from aucmax.scale.newton_passes import newton_paths
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.row_sample import RowSample, hashed_folds
from aucmax.scale.score_cells import FoldCellsOf, ScoreCells
from aucmax.selection.alpha_path import alpha_path
from aucmax.selection.choice import choose_alpha, choose_loss, cv_results, decision_size
from aucmax.selection.cross_validation import CVPath, PathSettings, cv_path, make_alphas
from aucmax.solvers import Exact, Newton
from aucmax.validation.inputs import LabeledData
from aucmax.validation.params import Integer

PATH_LOSSES = ("squared", "logistic")  # that passes cross-validate


def fit_path(model: AUCClassifierCV, passes: Passes) -> None:
    """Fit the path of alphas on all folds, choose one by AUC, and calibrate on the out-of-fold scores."""
    if not Integer(2).accepts(model.cv):
        raise ValueError(f"cv={model.cv!r}; a source is split by hashing: give the number of folds, at least 2")
    check_width(passes.reader.n_features)
    settings = PathSettings(model.alphas, model.l1_ratio, model.standardize)
    losses = _path_losses(model.loss, settings)
    statistics = _fold_statistics(passes, int(model.cv))
    compared: list[CVPath] = []
    if model.loss == "auto" and len(losses) > 1:
        chosen_loss, compared = _choose_loss(statistics.sampled_rows, losses, int(model.cv), settings)
        losses = [chosen_loss]
    paths = [SourcePath.of(statistics, loss, settings, passes) for loss in losses]
    best = max(paths, key=lambda path: path.cv.best_auc)
    chosen = choose_alpha(best.cv.auc, model.choice)
    alpha = float(best.cv.alphas[chosen])
    solution = solve(Problem(best.cv.data, best.cv.loss, settings.penalty(alpha)), best.cv.solver, passes)
    model.loss_ = best.cv.loss.name
    model.alphas_ = best.cv.alphas
    model.cv_auc_ = best.cv.auc
    model.cv_auc_bound_ = best.bound
    model.cv_results_ = cv_results([({"loss": path.loss.name}, path) for path in compared or [p.cv for p in paths]])
    model._store_solution(solution, best.cv.solver, alpha)
    linear = LinearModel.of(best.cv.data, solution.coef)
    held_out = sorted_scores(passes, best.out_of_fold(chosen))
    model.oof_interval_ = held_out.interval()
    scores, y, weight = held_out.condensed()
    zero = model._calibrate(scores, LabeledData(None, y, weight))
    model._linear = linear._replace(intercept=linear.intercept - zero)


class SourcePath(NamedTuple):
    """The cross-validation of one loss on all rows."""

    cv: CVPath  # without scores
    bound: np.ndarray  # on the errors of the AUCs
    training: list[Data]  # all rows without each fold
    weights: list[np.ndarray]  # of each fold, one column an alpha

    @classmethod
    def of(cls, statistics: FoldStatistics, loss: str, settings: PathSettings, passes: Passes) -> SourcePath:
        """Fit all alphas on each training set, and count the scores of its test rows in cells."""
        data = Data.of_moments(statistics.whole, standardize=settings.standardize)
        alphas = make_alphas(settings, data)
        training = [Data.of_moments(part, standardize=settings.standardize) for part in statistics.training]
        with threads_for(data.dim):
            paths = [alpha_path(part, Squared(), alphas, settings.l1_ratio, Exact()) for part in training]
        if loss == "logistic":
            paths = newton_paths(training, paths, alphas, passes)
        weights = [path / part.scale[:, None] for path, part in zip(paths, training)]
        cells = FoldCellsOf.of(weights, statistics.sampled_rows.data.X)
        auc, bound = passes.run(cells, "AUC of every alpha", ScoreCells.auc)
        solver = Newton() if loss == "logistic" else Exact()
        return cls(CVPath(LOSSES[loss](), solver, data, alphas, auc.T, [], []), bound.T, training, weights)

    def out_of_fold(self, chosen: int) -> _OutOfFoldScores:
        """The scores of the chosen alpha."""
        weights = [path[:, chosen] for path in self.weights]
        zeros = [float(part.midpoint(w)) for part, w in zip(self.training, weights)]
        return _OutOfFoldScores(weights, zeros)


def _path_losses(loss: Any, settings: PathSettings) -> list[str]:
    """The losses to compare: of "auto", those that passes can fit with the penalty."""
    smallest = 1.0 if np.ndim(settings.alphas) == 0 else min(settings.alphas, default=1.0)
    smooth = settings.l1_ratio == 0 and smallest > 0
    if loss == "auto":
        return list(PATH_LOSSES) if smooth else ["squared"]
    names = [loss] if isinstance(loss, str) else list(loss)
    if not names or not set(names) <= set(PATH_LOSSES):
        raise ValueError(unusable_losses(names))
    if "logistic" in names and not smooth:
        raise ValueError("loss='logistic' in passes needs an L2 penalty: set l1_ratio=0 and alphas above 0")
    return names


def _choose_loss(
    sampled: NumberedRows, losses: list[str], n_folds: int, settings: PathSettings
) -> tuple[str, list[CVPath]]:
    """The loss that ranks a sample best, by more than chance, as in `AUCClassifierCV`; and the paths compared."""
    rows = RowSample(sampled, sampled.data.y.size).balanced(decision_size(sampled.data.X))
    folds = hashed_folds(rows, n_folds)
    paths = [cv_path(rows.data, folds, LOSSES[name](), settings) for name in losses]
    return losses[choose_loss(rows.data, paths)], paths


def _fold_statistics(passes: Passes, n_folds: int) -> FoldStatistics:
    n_pos = passes.n_positive
    n_neg = passes.summary.n_rows - n_pos
    sampling = FoldStatisticsOf.sampling(n_folds, n_pos, n_neg, passes.reader.n_features)
    statistics = passes.run(sampling, "moments of the folds")
    check_classes(statistics.moments, "a fold")
    return statistics


@dataclass(frozen=True, eq=False)
class _OutOfFoldScores:
    """Scores of each row by the model of its fold, which has not seen it; zero is midway between the class means."""

    weights: list[np.ndarray]
    zeros: list[float]

    def __call__(self, rows: NumberedRows) -> np.ndarray:
        fold = hash_folds(rows.groups, len(self.weights))
        out = np.empty(fold.size)
        for k, (w, zero) in enumerate(zip(self.weights, self.zeros)):
            mine = np.flatnonzero(fold == k)
            out[mine] = dot(rows.data.X, w, mine) - zero
        return out
