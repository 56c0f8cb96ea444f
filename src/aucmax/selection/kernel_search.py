"""Kernel search: kernels, bandwidths and learned metrics, each with the cross-validation of its path of alphas.

The landmarks of a fold are those among its training rows: half of all landmarks are positive, so that to be one tells
something of the label. The metric of a round is learned from a model of the round before. Each fold learns its own
from its training rows, so that the labels of its test rows do not leak.

If the test sets partition the rows, models are also fitted without two folds: `averaging` weighs the settings of a
fold by how such models rank another one. In learned metrics these use the metric of the fold, which saw the labels of
the other: rounds may count for too much there, but no label of the fold that is scored enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from aucmax.kernels.landmark_space import LandmarkSpace, NystroemFamily
from aucmax.kernels.metric import learned_coordinates
from aucmax.kernels.nystroem import Nystroem
from aucmax.losses import Squared
from aucmax.problem.data import Data
from aucmax.problem.moments import Moments
from aucmax.selection.alpha_path import moment_path
from aucmax.selection.cross_validation import CVPath, InnerScores, PathSettings, cv_path, make_alphas, score_fold
from aucmax.selection.fold_moments import moments_by_fold
from aucmax.selection.kernel_training_set import TrainingSet, dual_path
from aucmax.selection.splits import Fold, is_partition, neighbouring_folds
from aucmax.solvers import Exact
from aucmax.validation.inputs import LabeledData

# gammas to try, in units of the inverse median distance between two landmarks
SCALES = {"l2": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0), "l1": (0.03, 0.1, 0.3, 1.0, 3.0)}
SHARPER = (1.0, 3.0)  # factors of gamma after a round: with fewer relevant columns a sharper kernel may win
METRIC_KERNEL = "laplacian"  # whose metric is learned, if it is among those to try
ROUNDS = 3  # maximum number of rounds of metric learning
LANDMARKS = 250  # landmarks with which settings are compared
SLOPE_ROWS = 1000  # rows at which derivatives are measured

_best_auc = attrgetter("path.best_auc")


def count_rounds(relevance: Any, kernel: Any, names: list[str]) -> int:
    """The maximum number of rounds of metric learning, from two parameters of an estimator and the kernels to try."""
    if relevance == "auto":
        return ROUNDS if kernel == "auto" else 0
    if relevance and names == ["linear"]:
        raise ValueError("relevance=True learns a metric, which the kernel 'linear' lacks; use relevance='auto'")
    return ROUNDS if relevance else 0


class KernelPath(NamedTuple):
    """A kernel at one bandwidth and in one metric, and its cross-validation."""

    kernel: str
    gamma: float  # NaN for the linear kernel
    round: int  # of metric learning, 0 before the first
    maps: list[Nystroem]  # of all rows and of each fold; none for the columns themselves
    duals: list[np.ndarray]  # weights of the landmarks in the models of the folds, one column per alpha
    moments: list[Moments]  # of the similarities of all rows; none for the columns themselves
    path: CVPath

    @property
    def params(self) -> dict[str, Any]:
        """The parameters in `cv_results_`."""
        return {"kernel": self.kernel, "gamma": float(self.gamma), "round": self.round}


@dataclass(frozen=True, eq=False)
class KernelSearch:
    """The rows, folds and landmarks with which settings are compared, by the squared loss.

    Parameters
    ----------
    table : LabeledData
    folds : list of pairs of row indices
    space : LandmarkSpace
    places : array of shape (m,)
        Which row of the table each landmark is, -1 for none.
    alphas : array or None
        Strengths of the penalty; None for a grid.
    standardize : bool
        For the linear kernel; the coordinates of the others are already scaled.
    """

    table: LabeledData
    folds: list[Fold]
    space: LandmarkSpace
    places: np.ndarray
    alphas: Any
    standardize: bool

    def run(
        self, kernels: Sequence[str], gamma: float | None, rounds: int, rng: np.random.Generator
    ) -> list[KernelPath]:
        """Cross-validate every kernel at the given gamma or a grid of them, then one in learned metrics."""
        found = []
        for kernel in kernels:
            found += [self._linear()] if kernel == "linear" else self._grid(kernel, gamma)
        preferred = [one for one in found if one.kernel == METRIC_KERNEL] or [one for one in found if one.maps]
        best = max(preferred, key=_best_auc, default=None)
        for number in range(1, rounds + 1):
            if best is None:
                break
            learned = self._learned(best, number, rng)
            found += learned
            after = max(learned, key=_best_auc)
            best = after if _best_auc(after) > _best_auc(best) else None
        return found

    @cached_property
    def _left_out(self) -> list[tuple[int, ...]]:
        """No fold, and each fold alone: what the models of all rows and of the folds are fitted without."""
        return [(), *((k,) for k in range(len(self.folds)))]

    @cached_property
    def _is_partition(self) -> bool:
        """Whether each row is in one test set, and in all other training sets."""
        return is_partition(self.folds, int(np.count_nonzero(self.table.weight)))

    @cached_property
    def _fold_pairs(self) -> list[tuple[int, int]]:
        """Pairs of folds without both of which models are fitted too; none unless the test sets are a partition."""
        return neighbouring_folds(len(self.folds)) if self._is_partition else []

    def _rows_without(self, *fold: int) -> np.ndarray:
        """The training rows of a fold, or all rows of positive weight."""
        return self.folds[fold[0]][0] if fold else np.flatnonzero(self.table.weight > 0)

    def _landmarks_without(self, *folds: int) -> np.ndarray:
        """The landmarks that are not among the test rows of these folds, or all if there are no others."""
        kept = np.ones(self.places.size, dtype=bool)
        for k in folds:
            kept &= ~np.isin(self.places, self.folds[k][1])
        return np.flatnonzero(kept) if kept.any() else np.arange(kept.size)

    def _linear(self) -> KernelPath:
        """The columns themselves."""
        path = cv_path(self.table, self.folds, Squared(), PathSettings(self.alphas, 0.0, self.standardize))
        if self._fold_pairs:
            folds = []
            for k, j in self._fold_pairs:
                test = np.concatenate([self.folds[k][1], self.folds[j][1]])
                folds.append((np.setdiff1d(self._rows_without(), test, assume_unique=True), test))
            pairs = cv_path(self.table, folds, Squared(), PathSettings(path.alphas, 0.0, self.standardize))
            inner = {}
            for (k, j), scores in zip(self._fold_pairs, pairs.scores, strict=True):
                inner[j, k], inner[k, j] = np.split(scores, [self.folds[k][1].size], axis=1)
            path = path._replace(inner=inner)
        return KernelPath("linear", np.nan, 0, [], [], [], path)

    def _grid(self, kernel: str, gamma: float | None) -> list[KernelPath]:
        """A kernel at each gamma; distances are computed once, and moments once for all folds."""
        family = self.space.family(kernel, self.space.coordinates(kernel))
        distances = family.distances(self.table.X)
        unit = family.unit
        gammas = [gamma] if gamma is not None else [k / unit for k in SCALES[family.kernel.norm]]
        left_out = [*self._left_out, *self._fold_pairs]
        columns = [self._landmarks_without(*folds) for folds in left_out]
        families = [family.some(index) for index in columns]
        found = []
        for value in gammas:
            similarities = family.kernel.values(distances, value)
            moments = self._grid_moments(similarities, left_out)
            sets = []
            for folds, some, index, part in zip(left_out, families, columns, moments, strict=True):
                sets.append(TrainingSet(folds, folds, some, similarities, index, part))
            found.append(self._cross_validate(sets, value, 0))
        return found

    def _grid_moments(self, similarities: np.ndarray, left_out: list[tuple[int, ...]]) -> list[Moments]:
        """Moments of the training rows without these folds."""
        if not self._is_partition:
            return [self._moments(similarities, *folds) for folds in left_out]
        sums = moments_by_fold(similarities, self.table.y, self.table.weight, self.folds)
        return [sums.without(*folds) for folds in left_out]

    def _learned(self, before: KernelPath, number: int, rng: np.random.Generator) -> list[KernelPath]:
        """The setting in the metrics learned from its own models, at its gamma and at larger ones."""
        families = self._learned_families(before, rng)
        distances = [family.distances(self.table.X) for family in families]
        found = []
        for factor in SHARPER:
            gamma = factor * before.gamma
            sets = []
            for left_out, family, apart in zip(self._left_out, families, distances, strict=True):
                sets += self._learned_sets(left_out, family, family.kernel.values(apart, gamma))
            found.append(self._cross_validate(sets, gamma, number))
        return found

    def _learned_families(self, before: KernelPath, rng: np.random.Generator) -> list[NystroemFamily]:
        """The feature maps in the metric learned from the model of all rows, and in that of each fold."""
        best = int(np.argmax(before.path.auc.mean(axis=1)))
        whole = dual_path(before.maps[0], before.moments[0], before.path.alphas[[best]])
        duals = [whole[:, 0], *(dual[:, best] for dual in before.duals)]
        plain = self.space.coordinates(before.kernel)
        families = []
        for left_out, made, dual in zip(self._left_out, before.maps, duals, strict=True):
            some = rng.permutation(self._rows_without(*left_out))[:SLOPE_ROWS]
            coordinates = learned_coordinates(plain, made, dual, self.table.X[some], self.table.weight[some])
            space = self.space.some(self._landmarks_without(*left_out))
            families.append(space.family(before.kernel, coordinates))
        return families

    def _learned_sets(
        self, left_out: tuple[int, ...], family: NystroemFamily, similarities: np.ndarray
    ) -> list[TrainingSet]:
        """The training set that the metric was learned from, and those that lack another fold too."""
        columns = np.arange(similarities.shape[1])
        if not (left_out and self._fold_pairs):
            moments = self._moments(similarities, *left_out)
            return [TrainingSet(left_out, left_out, family, similarities, columns, moments)]
        (k,) = left_out
        others = self.folds[:k] + self.folds[k + 1 :]
        sums = moments_by_fold(similarities, self.table.y, self.table.weight, others)
        alone = TrainingSet(
            left_out=(k,),
            tested=(k,),
            family=family,
            similarities=similarities,
            columns=columns,
            moments=sums.without(),
        )
        sets = [alone]
        for pair in self._fold_pairs:
            if k in pair:
                j = _other(pair, k)
                index = np.flatnonzero(np.isin(self._landmarks_without(k), self._landmarks_without(k, j)))
                place = j if j < k else j - 1  # of j among the others
                lacking = alone._replace(
                    left_out=(k, j),
                    tested=(j,),
                    family=family.some(index),
                    columns=index,
                    moments=sums.without(place),
                )
                sets.append(lacking)
        return sets

    def _cross_validate(self, sets: list[TrainingSet], gamma: float, number: int) -> KernelPath:
        """The path in the features of every training set, the first of which has all rows."""
        whole = sets[0]
        maps = [whole.family.map(gamma)]
        data = Data.of_moments(whole.moments.mapped(maps[0].T, full=False), standardize=False)
        alphas = make_alphas(PathSettings(self.alphas, 0.0, False), data)
        duals = []
        scores = []
        aucs = []
        inner: InnerScores = {}
        for one in sets[1:]:
            made = one.family.map(gamma)
            if len(one.left_out) == 2:
                inner |= self._inner_scores(one, made, alphas)
                continue
            _, test = self.folds[one.left_out[0]]
            dual = self._fold_dual_path(one, made, alphas)
            training = Data.of_moments(one.moments, standardize=False)
            fold_scores, fold_aucs = score_fold(self.table, test, one.similarities, training, one.weights(dual))
            maps.append(made)
            duals.append(dual)
            scores.append(fold_scores)
            aucs.append(fold_aucs)
        path = CVPath(Squared(), Exact(), data, alphas, np.column_stack(aucs), self.folds, scores, inner)
        return KernelPath(whole.family.kernel.name, gamma, number, maps, duals, [whole.moments], path)

    def _inner_scores(self, one: TrainingSet, made: Nystroem, alphas: np.ndarray) -> InnerScores:
        """Scores of the test rows of a fold by models that saw neither these nor those of another fold."""
        weights = one.weights(dual_path(made, one.moments, alphas, one.columns))
        middle = 0.5 * (one.moments.pos.mean + one.moments.neg.mean) @ weights
        inner = {}
        for j in one.tested:
            scores = one.similarities[self.folds[j][1]] @ weights - middle
            inner[_other(one.left_out, j), j] = np.ascontiguousarray(scores.T)
        return inner

    def _fold_dual_path(self, one: TrainingSet, made: Nystroem, alphas: np.ndarray) -> np.ndarray:
        """Weights of the landmarks, from the features of the training rows where T would magnify rounding errors."""
        if not made.magnifies:
            return dual_path(made, one.moments, alphas, one.columns)
        moments = self._moments(one.similarities[:, one.columns] @ made.T, *one.left_out)
        return made.T @ moment_path(moments.within, moments.delta, alphas)

    def _moments(self, X: np.ndarray, *fold: int) -> Moments:
        return Moments.of(X, self.table.y, self.table.weight, index=self._rows_without(*fold))


def _other(pair: tuple[int, ...], fold: int) -> int:
    """The other one of a pair of folds."""
    k, j = pair
    return j if fold == k else k
