"""Kernel search: kernels, bandwidths and learned metrics, each with the cross-validation of its path of alphas.

The landmarks of a fold are those among its training rows: half of all landmarks are positive, so being a landmark
says something about the label. The metric of a round is learned from a model of the round before. Each fold learns
its own metric from its training rows, so that the labels of its test rows do not leak.

If the test sets partition the rows, models are also fitted without two folds: `averaging` weighs the settings of a
fold by how such models rank another fold. In a learned metric these models use the metric of the fold, which was
learned with the labels of the other fold: rounds may count for too much there, but no label of the fold that is
scored enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from aucmax.kernels.functions import KERNELS, Coordinates
from aucmax.kernels.metric import learned_coordinates
from aucmax.kernels.nystroem import Nystroem, inverse_factor, magnifies
from aucmax.losses import Squared
from aucmax.problem.data import Data
from aucmax.problem.moments import Moments
from aucmax.selection.alpha_path import moment_path
from aucmax.selection.cross_validation import (
    CVPath,
    InnerScores,
    PathSettings,
    aucs_of,
    cv_path,
    moments_by_fold,
    positive_alphas,
    scores_by_fold,
)
from aucmax.selection.splits import Fold, is_partition, neighbouring_folds
from aucmax.solvers import Exact
from aucmax.validation.inputs import LabeledData

# gammas to try, in units of the inverse median distance between two landmarks
SCALES = {"l2": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0), "l1": (0.03, 0.1, 0.3, 1.0, 3.0)}
SHARPER = (1.0, 3.0)  # factors of gamma after a round: with fewer relevant columns a sharper kernel may win
METRIC_KERNEL = "laplacian"  # whose metric is learned, if it is among those to try
ROUNDS = 3  # maximum number of rounds of metric learning
MOST_LANDMARKS = 250  # landmarks with which settings are compared
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
    """A kernel at one bandwidth and in one metric, and its cross-validation.

    The fields from `coordinates` on are empty for the linear kernel.
    """

    kernel: str
    gamma: float  # NaN for the linear kernel
    round: int  # of metric learning, 0 before the first
    path: CVPath
    coordinates: tuple[Coordinates, ...] = ()  # of the model of all rows and of the model of each fold
    duals: tuple[np.ndarray, ...] = ()  # weights of the landmarks in the models of the folds, one column per alpha
    moments: tuple[Moments, ...] = ()  # of the similarities of all rows

    @property
    def params(self) -> dict[str, Any]:
        """The parameters in `cv_results_`."""
        return {"kernel": self.kernel, "gamma": float(self.gamma), "round": self.round}

    def nystroem(self, landmarks: Any) -> Nystroem | None:
        """The feature map for landmarks in the units of the table; None for the columns themselves."""
        if self.kernel == "linear":
            return None
        return Nystroem.of(KERNELS[self.kernel], self.coordinates[0], landmarks, self.gamma)


class KernelSearch:
    """The rows, folds and landmarks with which settings are compared, by the squared loss.

    Parameters
    ----------
    table : LabeledData
    folds : list of pairs of row indices
    landmarks : array or CSR of shape (m, d)
        In the units of the table; the search uses the first 250.
    places : array of shape (m,)
        The row of the table that each landmark is, -1 for none.
    coordinates : dict
        The coordinates of each kernel to try but the linear one, before any metric is learned.
    settings : PathSettings
        `standardize` is for the linear kernel; the coordinates of the others are already scaled.
    """

    def __init__(
        self,
        table: LabeledData,
        folds: Sequence[Fold],
        landmarks: Any,
        places: np.ndarray,
        coordinates: dict[str, Coordinates],
        settings: PathSettings,
    ):
        self.table = table
        self.folds = folds
        self.landmarks = landmarks[:MOST_LANDMARKS]
        self.coordinates = coordinates
        self.settings = settings
        # for each fold, which landmarks are among its test rows
        self.tested_landmarks = np.array([np.isin(places[:MOST_LANDMARKS], test) for _, test in folds])
        self.all_rows = np.flatnonzero(table.weight > 0)
        self.is_partition = is_partition(folds, self.all_rows.size)
        # models without both folds of a pair are fitted too, if the test sets are a partition
        self.fold_pairs = neighbouring_folds(len(folds)) if self.is_partition else []

    def run(
        self, kernels: Sequence[str], gamma: float | None, rounds: int, rng: np.random.Generator
    ) -> list[KernelPath]:
        """Cross-validate every kernel at the given gamma or a grid of them, then one in learned metrics."""
        compared = []
        for kernel in kernels:
            compared += [self._linear()] if kernel == "linear" else self._grid(kernel, gamma)
        preferred = [each for each in compared if each.kernel == METRIC_KERNEL]
        preferred = preferred or [each for each in compared if each.kernel != "linear"]
        best = max(preferred, key=_best_auc, default=None)
        for number in range(1, rounds + 1):
            if best is None:
                break
            learned = self._learned(best, number, rng)
            compared += learned
            after = max(learned, key=_best_auc)
            best = after if _best_auc(after) > _best_auc(best) else None
        return compared

    def rows_without(self, *fold: int) -> np.ndarray:
        """The training rows of a fold, or all rows of positive weight."""
        return self.folds[fold[0]][0] if fold else self.all_rows

    def landmarks_without(self, *folds: int) -> np.ndarray:
        """A mask of the landmarks that are not among the test rows of these folds; all if there are no others."""
        tested = np.logical_or.reduce(self.tested_landmarks[list(folds)])
        return np.ones_like(tested) if tested.all() else ~tested

    def _linear(self) -> KernelPath:
        """The columns themselves."""
        path = cv_path(self.table, self.folds, Squared(), self.settings)
        if self.fold_pairs:
            folds = []
            for k, j in self.fold_pairs:
                test = np.concatenate([self.folds[k][1], self.folds[j][1]])
                folds.append((np.setdiff1d(self.all_rows, test, assume_unique=True), test))
            pairs = cv_path(self.table, folds, Squared(), self.settings._replace(alphas=path.alphas))
            inner = {}
            for (k, j), scores in zip(self.fold_pairs, pairs.scores, strict=True):
                inner[j, k], inner[k, j] = np.split(scores, [self.folds[k][1].size], axis=1)
            path = path._replace(inner=inner)
        return KernelPath("linear", np.nan, 0, path)

    def _grid(self, kernel: str, gamma: float | None) -> list[KernelPath]:
        """A kernel at each gamma; distances are computed once, and moments once for all folds."""
        nystroem = Nystroem.of(KERNELS[kernel], self.coordinates[kernel], self.landmarks)
        distances = nystroem.distances(self.table.X)
        gammas = [gamma] if gamma is not None else [k / nystroem.unit for k in SCALES[nystroem.kernel.norm]]
        compared = []
        for value in gammas:
            similarities = _Similarities(self, nystroem.at(value), distances)
            compared.append(self._cross_validate(0, similarities, [similarities] * len(self.folds)))
        return compared

    def _learned(self, before: KernelPath, number: int, rng: np.random.Generator) -> list[KernelPath]:
        """The setting in the metrics learned from its own models, at its gamma and at larger ones."""
        maps = self._learned_maps(before, rng)
        distances = [nystroem.distances(self.table.X) for nystroem in maps]
        compared = []
        for factor in SHARPER:
            of_all, *of_folds = [
                _Similarities(self, nystroem.at(factor * before.gamma), apart, left_out)
                for nystroem, apart, left_out in zip(maps, distances, self._left_out, strict=True)
            ]
            compared.append(self._cross_validate(number, of_all, of_folds))
        return compared

    @property
    def _left_out(self) -> list[tuple[int, ...]]:
        """No fold, and each fold alone: the folds that the models of all rows and of the folds are fitted without."""
        return [(), *((k,) for k in range(len(self.folds)))]

    def _learned_maps(self, before: KernelPath, rng: np.random.Generator) -> list[Nystroem]:
        """The feature maps in the metric learned from the model of all rows, and in that of each fold."""
        kernel = KERNELS[before.kernel]
        best = int(np.argmax(before.path.auc.mean(axis=1)))
        of_all = Nystroem.of(kernel, before.coordinates[0], self.landmarks, before.gamma)
        dual = _dual_path(of_all.T, before.moments[0], before.path.alphas[[best]])
        duals = [dual[:, 0], *(dual[:, best] for dual in before.duals)]
        maps = []
        for left_out, coordinates, dual in zip(self._left_out, before.coordinates, duals, strict=True):
            landmarks = self.landmarks[self.landmarks_without(*left_out)]
            nystroem = Nystroem.of(kernel, coordinates, landmarks, before.gamma)
            sample = rng.permutation(self.rows_without(*left_out))[:SLOPE_ROWS]
            rows = self.table.X[sample], self.table.weight[sample]
            learned = learned_coordinates(self.coordinates[before.kernel], nystroem, dual, *rows)
            maps.append(Nystroem.of(kernel, learned, landmarks))
        return maps

    def _cross_validate(self, number: int, of_all: _Similarities, of_folds: list[_Similarities]) -> KernelPath:
        """The path in the features of all rows, and in those of each fold."""
        nystroem = of_all.nystroem
        moments = of_all.moments()
        data = Data.of_moments(moments.mapped(nystroem.T, full=False), standardize=False)
        alphas = positive_alphas(self.settings, data, f"kernel={nystroem.kernel.name!r}")
        fits = [similarities.fold_path(k, alphas) for k, similarities in enumerate(of_folds)]
        duals, scores, aucs = zip(*fits, strict=True)
        inner: InnerScores = {}
        for k, j in self.fold_pairs:
            if of_folds[k] is of_folds[j]:
                inner |= of_all.inner_scores([(k, j), (j, k)], alphas)
            else:
                inner |= of_folds[k].inner_scores([(k, j)], alphas) | of_folds[j].inner_scores([(j, k)], alphas)
        path = CVPath(Squared(), Exact(), data, alphas, np.column_stack(aucs), self.folds, list(scores), inner)
        coordinates = tuple(each.nystroem.coordinates for each in (of_all, *of_folds))
        return KernelPath(nystroem.kernel.name, nystroem.gamma, number, path, coordinates, duals, (moments,))


class _Similarities:
    """The kernel between all rows and the landmarks at one bandwidth and in one metric, and the models of them.

    Parameters
    ----------
    search : KernelSearch
    nystroem : Nystroem
    distances : array of shape (n, m)
    left_out : tuple, optional
        What the metric was learned without: (k,) for the metric of fold k, () for the metric of all rows, from which
        no models of folds are fitted; None for a metric that was not learned.
    """

    def __init__(
        self,
        search: KernelSearch,
        nystroem: Nystroem,
        distances: np.ndarray,
        left_out: tuple[int, ...] | None = None,
    ):
        self.search = search
        self.nystroem = nystroem
        self.values = nystroem.kernel.values(distances, nystroem.gamma)
        self.K = nystroem.K
        self.landmarks = search.landmarks_without(*(left_out or ()))
        self.summed = [] if left_out == () else [k for k in range(len(search.folds)) if k not in (left_out or ())]
        self.sums = None
        if search.is_partition and self.summed:
            _, y, weight = search.table
            self.sums = moments_by_fold(self.values, y, weight, [search.folds[k] for k in self.summed])

    def moments(self, *left_out: int) -> Moments:
        """Moments of the similarities of the training rows without one or two folds, or of all rows."""
        if self.sums is None:
            return self._moments_of(self.values, *left_out)
        return self.sums.without(*(self.summed.index(k) for k in left_out if k in self.summed))

    def fold_path(self, k: int, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[float]]:
        """Weights of the landmarks in the models without a fold, and scores and AUC of its test rows."""
        T, columns = self._features(k)
        moments = self.moments(k)
        if magnifies(T):
            features = self._moments_of(self.values[:, columns] @ T, k)
            dual = T @ moment_path(features.within, features.delta, alphas)
        else:
            dual = _dual_path(T, moments, alphas, columns)
        weights, middle = self._weights(dual, columns, moments)
        _, y, weight = self.search.table
        fold = self.search.folds[k]
        [scores] = scores_by_fold(self.values, [fold], [weights])
        _, test = fold
        return dual, scores - middle[:, None], aucs_of(scores, y[test], weight[test])

    def inner_scores(self, pairs: list[tuple[int, int]], alphas: np.ndarray) -> InnerScores:
        """Scores of the test rows of the last fold of each pair by models without both; a pair and its reverse."""
        T, columns = self._features(*pairs[0])
        moments = self.moments(*pairs[0])
        weights, middle = self._weights(_dual_path(T, moments, alphas, columns), columns, moments)
        inner = {}
        for k, j in pairs:
            scores = self.values[self.search.folds[j][1]] @ weights - middle
            inner[k, j] = np.ascontiguousarray(scores.T)
        return inner

    def _features(self, *left_out: int) -> tuple[np.ndarray, np.ndarray]:
        """T for the landmarks that are not test rows of these folds, and the columns of these landmarks."""
        columns = np.flatnonzero(self.search.landmarks_without(*left_out)[self.landmarks])
        return inverse_factor(self.K[np.ix_(columns, columns)]), columns

    def _weights(self, dual: np.ndarray, columns: np.ndarray, moments: Moments) -> tuple[np.ndarray, np.ndarray]:
        """Weights of all landmarks, one column per alpha, and the scores midway between the class means."""
        weights = np.zeros((self.values.shape[1], dual.shape[1]))
        weights[columns] = dual
        return weights, (np.stack([moments.pos.mean, moments.neg.mean]) @ weights).mean(axis=0)

    def _moments_of(self, X: np.ndarray, *left_out: int) -> Moments:
        _, y, weight = self.search.table
        return Moments.of(X, y, weight, index=self.search.rows_without(*left_out))


def _dual_path(
    T: np.ndarray, moments: Moments, alphas: np.ndarray, columns: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """Weights of the landmarks, one column per alpha, from the moments of similarities to them."""
    within = moments.within[columns][:, columns]
    return T @ moment_path(T.T @ within @ T, moments.delta[columns] @ T, alphas)
