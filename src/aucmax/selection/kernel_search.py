"""Kernel search: kernels, bandwidths and learned metrics, each with the cross-validation of its path of alphas.

The landmarks of a fold are those among its training rows: half of all landmarks are positive, so that to be one tells
something of the label. The metric of a round is learned from a model of the round before. Each fold learns its own
from its training rows, so that the labels of its test rows do not leak.

If the test sets partition the rows, models are also fitted without two folds: `averaging` weighs the settings of a
fold by how such models rank another one. In learned metrics these use the metric of the fold, which saw the labels of
the other: rounds may count for too much there, but no label of the fold that is scored enters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
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
from aucmax.selection.fold_moments import moments_by_fold, training_moments
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


FoldPair = tuple[int, int]


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


class _Part(NamedTuple):
    """What the models of a training set are fitted to."""

    family: NystroemFamily  # the feature maps of the landmarks that are used
    similarities: np.ndarray  # of all rows to landmarks, of shape (n, m)
    columns: np.ndarray  # those landmarks that are used
    moments: Moments  # of the similarities of the training rows


class _Parts(NamedTuple):
    """The training sets of one setting."""

    whole: _Part  # all rows
    folds: list[_Part]
    inner: list[tuple[_Part, list[FoldPair]]]  # with the pairs (k, j) of folds: j is tested, neither is trained on


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
            found += self._linear() if kernel == "linear" else self._grid(kernel, gamma)
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

    def _linear(self) -> list[KernelPath]:
        path = cv_path(self.table, self.folds, Squared(), PathSettings(self.alphas, 0.0, self.standardize))
        pairs = self._fold_pairs
        if pairs:
            tests = [np.concatenate([self.folds[k][1] for k in pair]) for pair in pairs]
            folds = [(np.setdiff1d(self._training_rows[0], test, assume_unique=True), test) for test in tests]
            settings = PathSettings(path.alphas, 0.0, self.standardize)
            inner = {}
            for (k, j), scores in zip(pairs, cv_path(self.table, folds, Squared(), settings).scores, strict=True):
                inner[j, k], inner[k, j] = np.split(scores, [self.folds[k][1].size], axis=1)
            path = path._replace(inner=inner)
        return [KernelPath("linear", np.nan, 0, [], [], [], path)]

    def _grid(self, kernel: str, gamma: float | None) -> list[KernelPath]:
        """A kernel at each gamma; distances are computed once, and moments once for all folds."""
        family = self.space.family(kernel, self.space.coordinates(kernel))
        distances = family.distances(self.table.X)
        unit = family.unit
        gammas = [gamma] if gamma is not None else [k / unit for k in SCALES[family.kernel.norm]]
        left_out: list[tuple[int, ...]] = [*((k,) for k in range(len(self.folds))), *self._fold_pairs]
        places = [self._landmarks_without(*folds) for folds in left_out]
        families = [family.some(index) for index in places]
        found = []
        for value in gammas:
            similarities = family.kernel.values(distances, value)
            whole, moments = self._grid_moments(similarities, left_out)
            parts = []
            for some, columns, part in zip(families, places, moments, strict=True):
                parts.append(_Part(some, similarities, columns, part))
            inner = [(part, [(k, j), (j, k)]) for part, (k, j) in zip(parts[len(self.folds) :], self._fold_pairs)]
            every = _Part(family, similarities, np.arange(similarities.shape[1]), whole)
            found.append(self._cross_validate(_Parts(every, parts[: len(self.folds)], inner), value, 0))
        return found

    def _grid_moments(
        self, similarities: np.ndarray, left_out: list[tuple[int, ...]]
    ) -> tuple[Moments, Iterable[Moments]]:
        """Moments of all rows, and of those outside of some folds."""
        labeled = similarities, self.table.y, self.table.weight
        if not self._fold_pairs:
            return training_moments(*labeled, self.folds)
        sums = moments_by_fold(*labeled, self.folds)
        return sums.without(), [sums.without(*folds) for folds in left_out]

    @cached_property
    def _fold_pairs(self) -> list[FoldPair]:
        """Pairs of folds without both of which models are fitted too; none unless the test sets are a partition."""
        partition = is_partition(self.folds, int(np.count_nonzero(self.table.weight)))
        return neighbouring_folds(len(self.folds)) if partition else []

    def _landmarks_without(self, *folds: int) -> np.ndarray:
        """The landmarks that are not among the test rows of these folds, or all if there are no others."""
        kept = ~np.isin(self.places, np.concatenate([self.folds[k][1] for k in folds]))
        return np.flatnonzero(kept) if kept.any() else np.arange(kept.size)

    def _learned(self, before: KernelPath, number: int, rng: np.random.Generator) -> list[KernelPath]:
        """The setting in the metrics learned from its own models, at its gamma and at larger ones."""
        families = []
        spaces = [self.space]
        for k in range(len(self.folds)):
            spaces.append(self.space.some(self._landmarks_without(k)))
        for space, (made, dual, rows) in zip(spaces, self._models(before), strict=True):
            some = rng.permutation(rows)[:SLOPE_ROWS]
            plain = self.space.coordinates(before.kernel)
            coordinates = learned_coordinates(plain, made, dual, self.table.X[some], self.table.weight[some])
            families.append(space.family(before.kernel, coordinates))
        distances = [family.distances(self.table.X) for family in families]
        found = []
        for gamma in (k * before.gamma for k in SHARPER):
            similarities = [family.kernel.values(apart, gamma) for family, apart in zip(families, distances)]
            parts = self._learned_parts(families, similarities)
            found.append(self._cross_validate(parts, gamma, number))
        return found

    def _learned_parts(self, families: list[NystroemFamily], similarities: list[np.ndarray]) -> _Parts:
        """The training sets in the metric of each fold, which is also that of its inner training sets."""
        every = np.arange(similarities[0].shape[1])
        whole = _Part(families[0], similarities[0], every, self._moments(similarities[0], self._training_rows[0]))
        folds = []
        inner = []
        for k, (family, values) in enumerate(zip(families[1:], similarities[1:], strict=True)):
            mine = self._landmarks_without(k)
            columns = np.arange(mine.size)
            if not self._fold_pairs:
                folds.append(_Part(family, values, columns, self._moments(values, self._training_rows[k + 1])))
                continue
            others = [j for j in range(len(self.folds)) if j != k]
            sums = moments_by_fold(values, self.table.y, self.table.weight, [self.folds[j] for j in others])
            folds.append(_Part(family, values, columns, sums.without()))
            for j in (a + b - k for a, b in self._fold_pairs if k in (a, b)):
                index = np.flatnonzero(np.isin(mine, self._landmarks_without(k, j)))
                index = index if index.size else columns
                part = _Part(family.some(index), values, index, sums.without(others.index(j)))
                inner.append((part, [(k, j)]))
        return _Parts(whole, folds, inner)

    @cached_property
    def _training_rows(self) -> list[np.ndarray]:
        """Of the models of all rows and of the folds."""
        return [np.flatnonzero(self.table.weight > 0), *(train for train, _ in self.folds)]

    def _models(self, before: KernelPath) -> Iterable[tuple[Nystroem, np.ndarray, np.ndarray]]:
        """Feature map, weights of the landmarks and training rows of the models of all rows and of the folds."""
        path = before.path
        k = int(np.argmax(path.auc.mean(axis=1)))
        whole = _dual_path(before.maps[0], before.moments[0], path.alphas[[k]])
        duals = [whole[:, 0], *(part[:, k] for part in before.duals)]
        return zip(before.maps, duals, self._training_rows, strict=True)

    def _cross_validate(self, parts: _Parts, gamma: float, number: int) -> KernelPath:
        """The path in the features of all landmarks, in those of each fold, and in those of pairs of folds."""
        whole = parts.whole
        maps = [part.family.map(gamma) for part in (whole, *parts.folds)]
        data = Data.of_moments(whole.moments.mapped(maps[0].T, full=False), standardize=False)
        alphas = make_alphas(PathSettings(self.alphas, 0.0, False), data)
        scores = []
        aucs = []
        duals = []
        for (train, test), part, made in zip(self.folds, parts.folds, maps[1:], strict=True):
            duals.append(self._accurate_dual_path(made, part, train, alphas))
            weights = np.zeros((part.similarities.shape[1], alphas.size))
            weights[part.columns] = duals[-1]
            training = Data.of_moments(part.moments, standardize=False)
            fold_scores, fold_aucs = score_fold(self.table, test, part.similarities, training, weights)
            scores.append(fold_scores)
            aucs.append(fold_aucs)
        inner = self._inner_scores(parts.inner, gamma, alphas)
        path = CVPath(Squared(), Exact(), data, alphas, np.column_stack(aucs), self.folds, scores, inner)
        return KernelPath(whole.family.kernel.name, gamma, number, maps, duals, [whole.moments], path)

    def _inner_scores(
        self, parts: list[tuple[_Part, list[FoldPair]]], gamma: float, alphas: np.ndarray
    ) -> InnerScores:
        """Scores of the test rows of a fold by models that saw neither these nor those of another fold."""
        inner = {}
        for part, pairs in parts:
            dual = _dual_path(part.family.map(gamma), part.moments, alphas, part.columns)
            weights = np.zeros((part.similarities.shape[1], alphas.size))
            weights[part.columns] = dual
            middle = 0.5 * (part.moments.pos.mean + part.moments.neg.mean) @ weights
            for k, j in pairs:
                scores = part.similarities[self.folds[j][1]] @ weights - middle
                inner[k, j] = np.ascontiguousarray(scores.T)
        return inner

    def _accurate_dual_path(self, made: Nystroem, part: _Part, rows: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """The same from the features of the training rows where T would magnify rounding errors."""
        if not made.magnifies:
            return _dual_path(made, part.moments, alphas, part.columns)
        moments = self._moments(part.similarities[:, part.columns] @ made.T, rows)
        return made.T @ moment_path(moments.within, moments.delta, alphas)

    def _moments(self, X: np.ndarray, rows: np.ndarray | None) -> Moments:
        return Moments.of(X, self.table.y, self.table.weight, index=rows)


def _dual_path(
    made: Nystroem, moments: Moments, alphas: np.ndarray, columns: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """Weights of the landmarks, one column per alpha, from the moments of similarities to them."""
    within = moments.within[columns][:, columns]
    return made.T @ moment_path(made.T.T @ within @ made.T, moments.delta[columns] @ made.T, alphas)


def _best_auc(found: KernelPath) -> float:
    return found.path.best_auc
