"""Curves: one loss on all folds and alphas, from the moments of the folds where the solver takes them.

The columns may be those of a table or made from it: a curve does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from aucmax.metrics import auc_of_classes
from aucmax.numerics.matrix import dot
from aucmax.problem.data import Data, automatic_alpha, check_finite, make_data
from aucmax.problem.penalties import ElasticNet
from aucmax.selection.alpha_path import path
from aucmax.selection.fold_moments import training_moments
from aucmax.selection.splits import Fold
from aucmax.solvers import Solver
from aucmax.solvers.registry import check_penalty_supported, find_solver
from aucmax.validation.inputs import LabeledData

ROUNDING = 1e-12  # of a mean AUC: what differs by less is equal


class OutOfFold(NamedTuple):
    """How many rows there are, and for every fold its test rows with their scores (n_alphas, n_test)."""

    n: int
    parts: list[tuple[np.ndarray, np.ndarray]]

    def at(self, alpha: int) -> np.ndarray:
        """The score of every row at one of the alphas: the mean of its folds, NaN in none."""
        total, times = np.zeros(self.n), np.zeros(self.n)
        for test, scores in self.parts:
            total[test] += scores[alpha]
            times[test] += 1
        with np.errstate(invalid="ignore"):
            return total / times


class Curve(NamedTuple):
    """One loss on all folds and alphas: out-of-fold scores, and AUC (n_alphas, n_folds)."""

    loss: Any
    solver: Solver
    data: Data
    alphas: np.ndarray
    scores: OutOfFold
    auc: np.ndarray

    @property
    def best(self) -> float:
        """The best mean AUC."""
        return float(self.auc.mean(axis=1).max())


class FoldPath(NamedTuple):
    """The models of a fold: the table to score its test rows in, the training data, weights of all alphas."""

    X: Any
    data: Data
    weights: np.ndarray


class Penalties(NamedTuple):
    """The strengths to try (given, how many, or None), the share of the l1 norm, and whether to scale columns."""

    alphas: Any
    l1_ratio: float
    standardize: bool


def curve_of(table: LabeledData, folds: list[Fold], loss: Any, penalties: Penalties) -> Curve:
    """All folds and alphas of one loss."""
    solver = certified_solver(table.X, loss, penalties.l1_ratio)
    data, parts = fold_data(table, folds, solver, penalties.l1_ratio, penalties.standardize)
    alphas = make_alphas(penalties.alphas, data, penalties.l1_ratio)
    for alpha in alphas[[0, -1]]:
        check_penalty_supported(solver, ElasticNet.of(alpha, penalties.l1_ratio), loss)
    models = (FoldPath(table.X, part, path(part, loss, alphas, penalties.l1_ratio, solver)) for part in parts)
    return Curve(loss, solver, data, alphas, *cross_validate(table, folds, models, alphas.size))


def certified_solver(X: Any, loss: Any, l1_ratio: float) -> Solver:
    """The solver that suits the table, if it can certify what it returns."""
    solver = find_solver("auto", X, loss)
    if not solver.certified:
        raise ValueError(
            f"loss={loss.name!r} has no solver that certifies its answer, and a path needs one; name a solver (in "
            "Python with AUCClassifier, on the command line with --solver), or choose another loss"
        )
    return solver


def fold_data(
    table: LabeledData, folds: list[Fold], solver: Solver, l1_ratio: float, standardize: bool
) -> tuple[Data, Iterator[Data]]:
    """Data of all rows, and of the training rows of each fold: from moments alone where the solver takes them."""
    penalty = ElasticNet.of(1.0, l1_ratio)
    smallest = min(train.size for train, _ in folds)
    if solver.wants_scatter(smallest, table.X.shape[1], penalty):
        whole, parts = training_moments(*table, folds)
        check_finite(whole, table.X)
        made = (Data.of_moments(part, standardize=standardize) for part in parts)
        return Data.of_moments(whole, standardize=standardize), made
    made = (make_data(table.rows(train), solver, penalty, standardize) for train, _ in folds)
    return make_data(table.weighted(), solver, penalty, standardize), made


def make_alphas(alphas: Any, data: Data, l1_ratio: float) -> np.ndarray:
    """Decreasing strengths: those given, or a grid around the automatic one (below the first zero path for l1)."""
    if isinstance(alphas, (bool, str)) or np.ndim(alphas) > 1:
        raise ValueError(f"alphas={alphas!r}; give numbers, how many of them, or None")
    if alphas is None or isinstance(alphas, (int, np.integer)):
        count = 11 if alphas is None else int(alphas)
        if count < 1:
            raise ValueError(f"alphas={alphas!r}; give at least one")
        if l1_ratio > 0:
            largest = float(np.abs(data.delta).max()) / l1_ratio or 1.0
            return np.geomspace(largest, 1e-3 * largest, count)
        return automatic_alpha(data.moments) * np.logspace(2, -3, count)
    alphas = np.asarray(alphas, dtype=float).ravel()
    if alphas.size == 0 or not np.isfinite(alphas).all() or alphas.min() < 0:
        raise ValueError("alphas must be finite numbers that are not negative, at least one")
    return np.sort(alphas)[::-1]


def cross_validate(
    table: LabeledData, folds: list[Fold], models: Iterable[FoldPath], n_alphas: int
) -> tuple[OutOfFold, np.ndarray]:
    """Out-of-fold scores, each fold's zero midway between its class means, and AUC of each alpha and fold."""
    parts, auc = [], np.empty((n_alphas, len(folds)))
    for k, ((_, test), (X, data, weights)) in enumerate(zip(folds, models, strict=True)):
        weights = weights / data.scale[:, None]
        scores = np.ascontiguousarray(dot(X, weights, test).T)
        auc[:, k] = _aucs(scores, table.y[test], table.weight[test])
        scores -= (data.raw_means @ weights).mean(axis=0)[:, None]
        parts.append((test, scores))
    return OutOfFold(table.y.size, parts), auc


def _aucs(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[float]:
    """AUC of every row of scores."""
    pos, neg = y > 0, y < 0
    weights = () if (weight == weight[0]).all() else (weight[pos], weight[neg])
    return [auc_of_classes(some[pos], some[neg], *weights) for some in scores]


def choose(auc: np.ndarray, choice: str) -> int:
    """Row of the best mean AUC (of the larger alpha, if equal), or of the largest alpha one error below it."""
    mean = auc.mean(axis=1)
    best = int(np.flatnonzero(mean >= mean.max() - ROUNDING)[0])
    if choice == "best" or auc.shape[1] < 2:
        return best
    error = auc[best].std(ddof=1) / np.sqrt(auc.shape[1])
    return int(np.flatnonzero(mean >= mean[best] - error)[0])
