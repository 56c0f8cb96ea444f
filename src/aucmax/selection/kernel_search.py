"""Tuning: kernels, scales and relevances of the columns, judged by the AUC of folds.

A setting is a kernel, its gamma and, for a second round, the relevance of every column to a model of the first.
The relevances that a fold is judged with come from its own training rows: what is learned from labels must not be
known where it is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from aucmax.kernels import Kernel, Nystroem
from aucmax.kernels.space import Space
from aucmax.losses import Squared
from aucmax.problem.data import Data, make_data
from aucmax.problem.moments import Moments
from aucmax.problem.penalties import ElasticNet
from aucmax.selection.alpha_path import path
from aucmax.selection.cross_validation import (
    Curve,
    FoldPath,
    Penalties,
    certified_solver,
    cross_validate,
    curve_of,
    fold_data,
    make_alphas,
)
from aucmax.selection.splits import Fold
from aucmax.validation.inputs import LabeledData

L2 = ElasticNet.of(1.0, 0.0)
# gamma times the typical distance of two landmarks
SCALES = {"l2": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0), "l1": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)}
SHARPER = (1.0, 3.0)  # gammas of a second round, as factors: with fewer columns that matter a sharper kernel pays
SCREEN_ROWS, SCREEN_LANDMARKS = 4000, 250  # on which settings are compared
SLOPES = 500  # rows at which slopes are measured
FAINTEST = 1e-4  # relevance of a column without any, as a share of the largest


class Relevance(NamedTuple):
    """How much the columns count: for the model of all rows, and for that of each fold."""

    whole: np.ndarray
    folds: list[np.ndarray]


class Setting(NamedTuple):
    """A kernel, its gamma, and the relevance of the columns (None: all alike)."""

    kernel: str
    gamma: float
    relevance: Relevance | None = None

    @property
    def family(self) -> tuple[str, bool]:
        """What it shares with the same kernel of another gamma."""
        return self.kernel, self.relevance is not None


class Candidate(NamedTuple):
    """A setting, its curve, and its map (None: the columns themselves)."""

    setting: Setting
    curve: Curve
    map: Nystroem | None


class Trial(NamedTuple):
    """The rows and folds that settings are judged on, the landmarks, and what is minimised."""

    table: LabeledData
    folds: list[Fold]
    space: Space
    loss: Any
    alphas: Any
    standardize: bool

    def mapped(self, features: Any) -> LabeledData:
        """The same rows as features."""
        return self.table._replace(X=features)


def tune(
    trial: Trial, kernels: Sequence[str], gamma: float | None, again: bool, rng: np.random.Generator
) -> list[Candidate]:
    """All settings, compared on some rows and landmarks; with `again` the best kernel gets a second round."""
    table, folds, _ = thinned(trial.table, trial.folds, SCREEN_ROWS, rng)
    space = trial.space.first(SCREEN_LANDMARKS)
    smaller = trial._replace(table=table, folds=folds, space=space, loss=Squared())
    candidates = list(screen(smaller, kernels, gamma))
    curved = [candidate for candidate in candidates if candidate.map is not None]
    if again and curved:
        best = max(curved, key=lambda candidate: candidate.curve.best)
        candidates += second_round(smaller, best, rng)
    return candidates


def screen(trial: Trial, kernels: Sequence[str], gamma: float | None) -> Iterator[Candidate]:
    """Every kernel at that gamma, or at a grid of them; distances are measured once a kernel."""
    for kernel in kernels:
        if kernel == "linear":
            yield judge(trial, Setting("linear", np.nan))
            continue
        view = trial.space.view(kernel)
        distances = view.distances(trial.table.X)
        scales = SCALES[view.kernel.norm]
        for value in [scale / view.unit for scale in scales] if gamma is None else [gamma]:
            made = view.map(value)
            curve = _curve(trial, trial.mapped(made.features(trial.table.X, distances)))
            yield Candidate(Setting(kernel, value), curve, made)


def second_round(trial: Trial, first: Candidate, rng: np.random.Generator) -> Iterator[Candidate]:
    """The setting again, its coordinates stretched by their relevance to its own models."""
    relevance = measure_relevance(trial, first, rng)
    for factor in SHARPER:
        yield judge(trial, Setting(first.setting.kernel, factor * first.setting.gamma, relevance))


def judge(trial: Trial, setting: Setting) -> Candidate:
    """The curve of one setting."""
    if setting.kernel == "linear":
        return Candidate(setting, _curve(trial, trial.table, trial.standardize), None)
    if setting.relevance is not None:
        return _judge_relevance(trial, setting, setting.relevance)
    made = trial.space.view(setting.kernel).map(setting.gamma)
    return Candidate(setting, _curve(trial, trial.mapped(made.features(trial.table.X))), made)


def _curve(trial: Trial, table: LabeledData, standardize: bool = False) -> Curve:
    return curve_of(table, trial.folds, trial.loss, Penalties(trial.alphas, 0.0, standardize))


def _judge_relevance(trial: Trial, setting: Setting, relevance: Relevance) -> Candidate:
    """Each fold in the coordinates of its own training rows, all rows in those of all."""
    made = trial.space.view(setting.kernel, relevance.whole).map(setting.gamma)
    features = made.features(trial.table.X)
    solver = certified_solver(features, trial.loss, 0.0)
    data = make_data(trial.mapped(features).weighted(), solver, L2, False)
    alphas = make_alphas(trial.alphas, data, 0.0)

    def models() -> Iterator[FoldPath]:
        for (train, _), stretch in zip(trial.folds, relevance.folds, strict=True):
            X = trial.space.view(setting.kernel, stretch).map(setting.gamma).features(trial.table.X)
            part = _training_data(trial.mapped(X), train, solver)
            yield FoldPath(X, part, path(part, trial.loss, alphas, 0.0, solver))

    scores_and_auc = cross_validate(trial.table, trial.folds, models(), alphas.size)
    return Candidate(setting, Curve(trial.loss, solver, data, alphas, *scores_and_auc), made)


def _training_data(table: LabeledData, train: np.ndarray, solver: Any) -> Data:
    if solver.wants_scatter(train.size, table.X.shape[1], L2):
        return Data.of_moments(Moments.of(*table, index=train), standardize=False)
    return make_data(table.rows(train), solver, L2, False)


def measure_relevance(trial: Trial, candidate: Candidate, rng: np.random.Generator) -> Relevance:
    """Root mean squared slopes of the candidate's models, of all rows and of every fold, as stretches."""
    made, curve = candidate.map, candidate.curve
    if made is None:
        raise ValueError("the columns themselves have no relevance to measure: their weights are their slopes")
    table = trial.mapped(made.features(trial.table.X))
    solver = certified_solver(table.X, Squared(), 0.0)
    whole, parts = fold_data(table, trial.folds, solver, 0.0, False)
    alpha = curve.alphas[[int(np.argmax(curve.auc.mean(axis=1)))]]
    rows = [np.flatnonzero(table.weight > 0), *(train for train, _ in trial.folds)]
    stretches = []
    for data, index in zip([whole, *parts], rows, strict=True):
        dual = made.T @ path(data, Squared(), alpha, 0.0, solver)[:, 0]
        some = rng.permutation(index)[:SLOPES]
        seen = made.coordinates(trial.table.X[some])
        slopes = made.kernel.squared_slopes(made.gamma, seen, made.landmarks, dual, table.weight[some])
        stretches.append(_stretch(trial.space, made.kernel, np.sqrt(slopes / (slopes.max() or 1.0) + FAINTEST)))
    return Relevance(stretches[0], stretches[1:])


def _stretch(space: Space, kernel: Kernel, relevance: np.ndarray) -> np.ndarray:
    """The relevance times a number that leaves the typical distance, the unit of gamma, as it was."""
    ratio = space.view(kernel.name).unit / space.view(kernel.name, relevance).unit
    return relevance * (ratio if kernel.norm == "l1" else np.sqrt(ratio))


def best_few(candidates: list[Candidate], count: int) -> list[Setting]:
    """The best setting of every family, the best family first, as far as one standard error of its AUC goes."""
    best: dict[tuple[str, bool], Candidate] = {}
    for candidate in sorted(candidates, key=lambda candidate: -candidate.curve.best):
        best.setdefault(candidate.setting.family, candidate)
    leader, *others = best.values()
    aucs = leader.curve.auc[int(np.argmax(leader.curve.auc.mean(axis=1)))]
    error = aucs.std(ddof=1) / np.sqrt(aucs.size) if aucs.size > 1 else 0.0
    close = [other for other in others if other.curve.best >= leader.curve.best - error]
    return [candidate.setting for candidate in [leader, *close][:count]]


def _kept_places(place: np.ndarray, rows: np.ndarray) -> np.ndarray:
    found = place[rows]
    return found[found >= 0]


def thinned(
    table: LabeledData, folds: list[Fold], size: int, rng: np.random.Generator
) -> tuple[LabeledData, list[Fold], np.ndarray]:
    """At most `size` rows, up to half of them from each class, their folds, and their numbers in the table."""
    weighted = np.flatnonzero(table.weight > 0)
    if weighted.size <= size:
        return table, folds, np.arange(table.y.size)
    pos, neg = weighted[table.y[weighted] > 0], weighted[table.y[weighted] < 0]
    n_pos = min(pos.size, max(size // 2, size - neg.size))
    kept = np.sort(np.concatenate([rng.permutation(pos)[:n_pos], rng.permutation(neg)[: size - n_pos]]))
    place = np.full(table.y.size, -1)
    place[kept] = np.arange(kept.size)
    inside = [(_kept_places(place, train), _kept_places(place, test)) for train, test in folds]
    y = table.y[kept]
    if any(np.unique(y[part]).size < 2 for fold in inside for part in fold):
        return table, folds, np.arange(table.y.size)
    return table.rows(kept), inside, kept
