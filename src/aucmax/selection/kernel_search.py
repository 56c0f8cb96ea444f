"""Kernel search: kernels, bandwidths and learned metrics, each with the cross-validation of its path of alphas.

The landmarks of a fold are those among its training rows: half of all landmarks are positive, so that to be one tells
something of the label. The metric of a round is learned from a model of the round before. Each fold learns its own
from its training rows, so that the labels of its test rows do not leak.
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
from aucmax.selection.cross_validation import CVPath, PathSettings, cv_path, make_alphas, score_fold
from aucmax.selection.fold_moments import training_moments
from aucmax.selection.splits import Fold
from aucmax.solvers import Exact
from aucmax.validation.inputs import LabeledData

# gammas to try, in units of the inverse median distance between two landmarks
SCALES = {"l2": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0), "l1": (0.03, 0.1, 0.3, 1.0, 3.0)}
SHARPER = (1.0, 3.0)  # factors of gamma after a round: with fewer relevant columns a sharper kernel may win
METRIC_KERNEL = "laplacian"  # whose metric is learned, if it is among those to try
ROUNDS = 3  # maximum number of rounds of metric learning
LANDMARKS = 250  # landmarks with which settings are compared
SLOPE_ROWS = 1000  # rows at which derivatives are measured


class KernelPath(NamedTuple):
    """A kernel at one bandwidth and in one metric, and its cross-validation."""

    kernel: str
    gamma: float  # NaN for the linear kernel
    round: int  # of metric learning, 0 before the first
    maps: list[Nystroem]  # of all rows and of each fold; none for the columns themselves
    duals: list[np.ndarray]  # weights of the landmarks in the models of the folds, one column per alpha
    path: CVPath

    @property
    def params(self) -> dict[str, Any]:
        """The parameters in `cv_results_`."""
        return {"kernel": self.kernel, "gamma": float(self.gamma), "round": self.round}


class _Similarities(NamedTuple):
    """What the models of a fold, or of all rows, are fitted to."""

    similarities: np.ndarray  # of all rows to landmarks, of shape (n, m)
    columns: np.ndarray  # those landmarks that are used
    moments: Moments  # of the similarities of the training rows


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
        return [KernelPath("linear", np.nan, 0, [], [], path)]

    def _grid(self, kernel: str, gamma: float | None) -> list[KernelPath]:
        """A kernel at each gamma; distances are computed once, and moments once for all folds."""
        family = self.space.family(kernel, self.space.coordinates(kernel))
        distances = family.distances(self.table.X)
        unit = family.unit
        gammas = [gamma] if gamma is not None else [k / unit for k in SCALES[family.kernel.norm]]
        families = [family, *(family.some(index) for index in self._fold_landmarks)]
        found = []
        for value in gammas:
            similarities = family.kernel.values(distances, value)
            whole, training = training_moments(similarities, self.table.y, self.table.weight, self.folds)
            parts = [_Similarities(similarities, np.arange(similarities.shape[1]), whole)]
            for index, moments in zip(self._fold_landmarks, training, strict=True):
                parts.append(_Similarities(similarities, index, moments))
            found.append(self._cross_validate(families, parts, value, 0))
        return found

    @cached_property
    def _fold_landmarks(self) -> list[np.ndarray]:
        """For each fold, the landmarks that are not among its test rows, or all if there are no others."""
        kept = [~np.isin(self.places, test) for _, test in self.folds]
        return [np.flatnonzero(some) if some.any() else np.arange(some.size) for some in kept]

    def _learned(self, before: KernelPath, number: int, rng: np.random.Generator) -> list[KernelPath]:
        """The setting in the metrics learned from its own models, at its gamma and at larger ones."""
        families = []
        spaces = [self.space, *(self.space.some(index) for index in self._fold_landmarks)]
        for space, (made, dual, rows) in zip(spaces, self._models(before), strict=True):
            some = rng.permutation(rows)[:SLOPE_ROWS]
            plain = self.space.coordinates(before.kernel)
            coordinates = learned_coordinates(plain, made, dual, self.table.X[some], self.table.weight[some])
            families.append(space.family(before.kernel, coordinates))
        distances = [family.distances(self.table.X) for family in families]
        found = []
        for gamma in (k * before.gamma for k in SHARPER):
            parts = []
            for family, apart, rows in zip(families, distances, self._training_rows, strict=True):
                similarities = family.kernel.values(apart, gamma)
                moments = self._moments(similarities, rows)
                parts.append(_Similarities(similarities, np.arange(similarities.shape[1]), moments))
            found.append(self._cross_validate(families, parts, gamma, number))
        return found

    @cached_property
    def _training_rows(self) -> list[np.ndarray]:
        """Of the models of all rows and of the folds."""
        return [np.flatnonzero(self.table.weight > 0), *(train for train, _ in self.folds)]

    def _models(self, before: KernelPath) -> Iterable[tuple[Nystroem, np.ndarray, np.ndarray]]:
        """Feature map, weights of the landmarks and training rows of the models of all rows and of the folds."""
        path = before.path
        k = int(np.argmax(path.auc.mean(axis=1)))
        whole = before.maps[0].T @ moment_path(path.data.within, path.data.delta, path.alphas[[k]])
        duals = [whole[:, 0], *(part[:, k] for part in before.duals)]
        return zip(before.maps, duals, self._training_rows, strict=True)

    def _cross_validate(
        self, families: list[NystroemFamily], parts: list[_Similarities], gamma: float, number: int
    ) -> KernelPath:
        """The path in the features of all landmarks and in those of each fold."""
        maps = [family.map(gamma) for family in families]
        data = Data.of_moments(self._feature_moments(maps[0], parts[0], None), standardize=False)
        alphas = make_alphas(PathSettings(self.alphas, 0.0, False), data)
        scores = []
        aucs = []
        duals = []
        for (train, test), part, made in zip(self.folds, parts[1:], maps[1:], strict=True):
            duals.append(self._dual_path(made, part, train, alphas))
            weights = np.zeros((part.similarities.shape[1], alphas.size))
            weights[part.columns] = duals[-1]
            training = Data.of_moments(part.moments, standardize=False)
            fold_scores, fold_aucs = score_fold(self.table, test, part.similarities, training, weights)
            scores.append(fold_scores)
            aucs.append(fold_aucs)
        path = CVPath(Squared(), Exact(), data, alphas, np.column_stack(aucs), self.folds, scores)
        return KernelPath(families[0].kernel.name, gamma, number, maps, duals, path)

    def _dual_path(self, made: Nystroem, part: _Similarities, rows: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """The weights of the landmarks in the models of some rows, one column per alpha."""
        if made.magnifies:
            moments = self._feature_moments(made, part, rows)
            return made.T @ moment_path(moments.within, moments.delta, alphas)
        within = part.moments.within[np.ix_(part.columns, part.columns)]
        delta = part.moments.delta[part.columns]
        return made.T @ moment_path(made.T.T @ within @ made.T, delta @ made.T, alphas)

    def _feature_moments(self, made: Nystroem, part: _Similarities, rows: np.ndarray | None) -> Moments:
        """Moments of the features of all rows, or of some; from those of the similarities if that is accurate."""
        if made.magnifies:
            return self._moments(part.similarities[:, part.columns] @ made.T, rows)
        return part.moments.mapped(made.T)

    def _moments(self, X: np.ndarray, rows: np.ndarray | None) -> Moments:
        return Moments.of(X, self.table.y, self.table.weight, index=rows)


def _best_auc(found: KernelPath) -> float:
    return found.path.best_auc
