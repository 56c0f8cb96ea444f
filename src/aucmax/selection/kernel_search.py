"""Kernel search: kernels, scales and column relevances, compared by cross-validated AUC.

A setting is a kernel, its gamma and, in a second round, the relevance of each column to a model of the first round.
Each fold is evaluated with relevances from its own training rows, so that the labels of the test rows do not leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from aucmax.kernels.functions import Kernel
from aucmax.kernels.landmark_space import LandmarkSpace
from aucmax.kernels.nystroem import Nystroem
from aucmax.losses import Squared
from aucmax.problem.data import Data
from aucmax.problem.moments import Moments
from aucmax.selection.alpha_path import alpha_path
from aucmax.selection.cross_validation import (
    CVPath,
    PathSettings,
    certified_solver,
    cv_path,
    fold_data,
    make_alphas,
    score_fold,
    training_data,
)
from aucmax.selection.splits import Fold
from aucmax.solvers.base import Solver
from aucmax.validation.inputs import LabeledData

# gammas to try, in units of the inverse median distance between two landmarks
SCALES = {"l2": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0), "l1": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)}
SHARPER = (1.0, 3.0)  # factors of gamma in the second round: with fewer relevant columns a sharper kernel may win
GRID_ROWS = 4000  # rows on which settings are compared
GRID_LANDMARKS = 250  # landmarks with which settings are compared
SLOPE_ROWS = 500  # rows at which slopes are measured
SMALLEST_RELEVANCE = 1e-4  # added to the squared slopes relative to the largest


class Relevance(NamedTuple):
    """The factors by which columns are stretched."""

    overall: np.ndarray  # for the model of all rows
    by_fold: list[np.ndarray]  # for the models of the training sets


class KernelSetting(NamedTuple):
    """The definition of the features."""

    kernel: str
    gamma: float  # NaN for the linear kernel
    relevance: Relevance | None = None  # None if all columns count alike

    @property
    def family(self) -> tuple[str, bool]:
        """The key shared by settings that differ only in gamma."""
        return self.kernel, self.relevance is not None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters in `cv_results_`."""
        return {"kernel": self.kernel, "gamma": float(self.gamma), "relevance": self.relevance is not None}


class KernelCandidate(NamedTuple):
    """A setting and its cross-validation."""

    setting: KernelSetting  # kernel, gamma and relevance
    settings: PathSettings  # of its path
    path: CVPath  # its cross-validation
    map: Nystroem | None  # None for the columns themselves


@dataclass(frozen=True, eq=False)
class KernelSearch:
    """The rows, folds and landmarks on which settings are evaluated, and the objective.

    Parameters
    ----------
    table : LabeledData
    folds : list of pairs of row indices
    space : LandmarkSpace
    loss : Loss
    alphas : array or None
        Strengths of the penalty; None for a grid.
    standardize : bool
        For the linear kernel; the coordinates of the others are already scaled.
    """

    table: LabeledData
    folds: list[Fold]
    space: LandmarkSpace
    loss: Any
    alphas: Any
    standardize: bool

    def run(
        self, kernels: Sequence[str], gamma: float | None, second_round: bool, rng: np.random.Generator
    ) -> list[KernelCandidate]:
        """Compare all settings on a subsample; with `second_round` the best kernel is also tried with relevances."""
        table, folds, _ = subsample(self.table, self.folds, GRID_ROWS, rng)
        space = self.space.first(GRID_LANDMARKS)
        smaller = replace(self, table=table, folds=folds, space=space, loss=Squared())
        candidates = list(smaller.grid(kernels, gamma))
        nonlinear = [candidate for candidate in candidates if candidate.map is not None]
        if second_round and nonlinear:
            best = max(nonlinear, key=lambda candidate: candidate.path.best_auc)
            relevance = measure_relevance(smaller, best, rng)
            for factor in SHARPER:
                setting = best.setting._replace(gamma=factor * best.setting.gamma, relevance=relevance)
                candidates.append(smaller.evaluate(setting))
        return candidates

    def grid(self, kernels: Sequence[str], gamma: float | None) -> Iterator[KernelCandidate]:
        """Evaluate every kernel at the given gamma, or at a grid of them; distances are computed once per kernel."""
        for kernel in kernels:
            if kernel == "linear":
                yield self.evaluate(KernelSetting("linear", np.nan))
                continue
            family = self.space.family(kernel)
            distances = family.distances(self.table.X)
            gammas = [gamma] if gamma is not None else [k / family.unit for k in SCALES[family.kernel.norm]]
            for value in gammas:
                made = family.map(value)
                features = self.table._replace(X=made.features(self.table.X, distances))
                yield self._cross_validate(KernelSetting(kernel, value), features, made)

    def _cross_validate(
        self, setting: KernelSetting, features: LabeledData, made: Nystroem | None
    ) -> KernelCandidate:
        settings = PathSettings(self.alphas, 0.0, self.standardize and made is None)
        return KernelCandidate(setting, settings, cv_path(features, self.folds, self.loss, settings), made)

    def evaluate(self, setting: KernelSetting) -> KernelCandidate:
        """Cross-validate one setting."""
        if setting.relevance is not None:
            return self._evaluate_relevance(setting, setting.relevance)
        made = None if setting.kernel == "linear" else self.space.family(setting.kernel).map(setting.gamma)
        features = self.table if made is None else self.table._replace(X=made.features(self.table.X))
        return self._cross_validate(setting, features, made)

    def _evaluate_relevance(self, setting: KernelSetting, relevance: Relevance) -> KernelCandidate:
        """Evaluate each fold in coordinates learned from its own training rows; the final data use those of all."""
        made = self.space.family(setting.kernel, relevance.overall).map(setting.gamma)
        features = self.table._replace(X=made.features(self.table.X))
        settings = PathSettings(self.alphas, 0.0, False)
        solver = certified_solver(features.X, self.loss)
        data = training_data(features.weighted(), solver, settings)
        alphas = make_alphas(settings, data)
        scores = []
        aucs = []
        for (train, test), stretch in zip(self.folds, relevance.by_fold, strict=True):
            X = self.space.family(setting.kernel, stretch).map(setting.gamma).features(self.table.X)
            part = _fold_data(self.table._replace(X=X), train, solver, settings)
            weights = alpha_path(part, self.loss, alphas, 0.0, solver)
            fold_scores, fold_aucs = score_fold(self.table, test, X, part, weights)
            scores.append(fold_scores)
            aucs.append(fold_aucs)
        path = CVPath(self.loss, solver, data, alphas, np.column_stack(aucs), self.folds, scores)
        return KernelCandidate(setting, settings, path, made)


def _fold_data(table: LabeledData, train: np.ndarray, solver: Solver, settings: PathSettings) -> Data:
    """Data of one training set, without copying its rows if the solver needs only moments."""
    if solver.wants_scatter(train.size, table.X.shape[1], settings.penalty()):
        return Data.of_moments(Moments.of(*table, index=train), standardize=False)
    return training_data(table.rows(train), solver, settings)


def measure_relevance(search: KernelSearch, candidate: KernelCandidate, rng: np.random.Generator) -> Relevance:
    """Root mean squared slopes of the candidate's models: that of all rows and that of each fold."""
    made = candidate.map
    if made is None:
        raise ValueError("the linear kernel has no relevances to measure, as its slopes are its weights; try another")
    table = search.table._replace(X=made.features(search.table.X))
    solver = certified_solver(table.X, Squared())
    data, training = fold_data(table, search.folds, solver, candidate.settings)
    alpha = candidate.path.alphas[[int(np.argmax(candidate.path.auc.mean(axis=1)))]]
    rows = [np.flatnonzero(table.weight > 0), *(train for train, _ in search.folds)]
    relevances = []
    for part, index in zip([data, *training], rows, strict=True):
        dual = made.T @ alpha_path(part, Squared(), alpha, 0.0, solver)[:, 0]
        some = rng.permutation(index)[:SLOPE_ROWS]
        points = made.coordinates(search.table.X[some])
        slopes = made.kernel.squared_slopes(made.gamma, points, made.landmarks, dual, table.weight[some])
        relevance = np.sqrt(slopes / (slopes.max() or 1.0) + SMALLEST_RELEVANCE)
        relevances.append(_unit_preserving(search.space, made.kernel, relevance))
    return Relevance(relevances[0], relevances[1:])


def _unit_preserving(space: LandmarkSpace, kernel: Kernel, relevance: np.ndarray) -> np.ndarray:
    """The relevance, rescaled to preserve the median distance, the unit of gamma."""
    ratio = space.family(kernel.name).unit / space.family(kernel.name, relevance).unit
    return relevance * (ratio if kernel.norm == "l1" else np.sqrt(ratio))


def best_settings(candidates: list[KernelCandidate], count: int) -> list[KernelSetting]:
    """The best setting of each family, best first, of those within one standard error of the best AUC."""
    best: dict[tuple[str, bool], KernelCandidate] = {}
    for candidate in sorted(candidates, key=lambda candidate: -candidate.path.best_auc):
        best.setdefault(candidate.setting.family, candidate)
    leader, *others = best.values()
    aucs = leader.path.auc[int(np.argmax(leader.path.auc.mean(axis=1)))]
    error = aucs.std(ddof=1) / np.sqrt(aucs.size) if aucs.size > 1 else 0.0
    close = [other for other in others if other.path.best_auc >= leader.path.best_auc - error]
    return [candidate.setting for candidate in [leader, *close][:count]]


def subsample(
    table: LabeledData, folds: list[Fold], size: int, rng: np.random.Generator
) -> tuple[LabeledData, list[Fold], np.ndarray]:
    """At most `size` rows, about half of them from each class, their folds, and their indices in the table."""
    everything = table, folds, np.arange(table.y.size)
    weighted = np.flatnonzero(table.weight > 0)
    if weighted.size <= size:
        return everything
    pos = weighted[table.y[weighted] > 0]
    neg = weighted[table.y[weighted] < 0]
    n_pos = min(pos.size, max(size // 2, size - neg.size))
    kept = np.sort(np.concatenate([rng.permutation(pos)[:n_pos], rng.permutation(neg)[: size - n_pos]]))
    place = np.full(table.y.size, -1)
    place[kept] = np.arange(kept.size)
    inner = [(_kept(place, train), _kept(place, test)) for train, test in folds]
    if any(np.unique(table.y[kept][rows]).size < 2 for fold in inner for rows in fold):
        return everything
    return table.rows(kept), inner, kept


def _kept(place: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The indices in the subsample of those of these rows that are in it."""
    found = place[rows]
    return found[found >= 0]
