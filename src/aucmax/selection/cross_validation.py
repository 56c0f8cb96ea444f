"""Cross-validation of a path of alphas: one loss on all folds, from the moments of the folds if they suffice.

If the test sets partition the table, the moments of a training set are the sum of the moments of the other test sets,
so that all training sets take one pass over the data. (Total minus fold would do too, but if one fold has all the
spread of a column, only rounding error would be left of it.) The same sums without two folds are the training sets of
an inner cross-validation.

For few positives, the squared loss with an L2 penalty also has leave-pair-out AUC in closed form. The columns are
then scaled once, by all rows. A "fold" is a row of the rarer class: its AUC is the share of the other class that is
ranked correctly against it, by models that have seen neither row; the mean over the folds is the leave-pair-out AUC.

The columns may be the columns of a table or features computed from the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from itertools import accumulate
from operator import add
from typing import Any, NamedTuple

import numpy as np

from aucmax.losses import Squared
from aucmax.metrics.auc import auc_of_classes
from aucmax.metrics.leave_pair_out import leave_pair_out
from aucmax.numerics.chunked_matrix import ChunkedMatrix
from aucmax.numerics.matrix import dot, is_sparse
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data, automatic_alpha, check_finite
from aucmax.problem.moments import Moments, moments_by_number
from aucmax.selection.alpha_path import alpha_path
from aucmax.selection.splits import Fold, Folds, is_partition, sample_of_classes, subsample, test_numbers, test_rows
from aucmax.solvers import Exact, Solver
from aucmax.solvers.coordinate_descent import GRAM_LIMIT
from aucmax.solvers.registry import check_penalty_supported, find_solver
from aucmax.validation.inputs import LabeledData
from aucmax.validation.params import Integer

GRID_SIZE = Integer(1)  # how many alphas to try
LEAVE_PAIR_OUT = "leave_pair_out"

# of tables in chunks:
SCORED_ROWS = 2**20  # rows on which alphas are compared; a sample of longer tables
SAMPLED_ROWS = 200_000  # rows to which models are fitted that moments do not give
SAMPLED_NUMBERS = 2**24  # and their stored numbers
FEWEST_ROWS = 10_000  # even if they have more numbers


class PathSettings(NamedTuple):
    """The settings of a path, apart from the loss."""

    alphas: Any  # strengths to try, how many of them, or None
    l1_ratio: float
    standardize: bool
    seed: Any = 0  # of the samples of long tables

    def penalty(self, alpha: float = 1.0) -> ElasticNet:
        """The penalty of strength alpha."""
        return ElasticNet.of(alpha, self.l1_ratio)


class FoldModels(NamedTuple):
    """The models of a fold, for all alphas."""

    weights: np.ndarray  # in the units of the table, of shape (dim, n_alphas)
    zeros: np.ndarray  # scores midway between the class means, of shape (n_alphas,)


# for a pair (k, j) of folds, scores of the test rows of j by models of the rows that are in the test set of neither
InnerScores = dict[tuple[int, int], np.ndarray]


class CVPath(NamedTuple):
    """The cross-validation of one loss, for all folds and alphas."""

    loss: Any  # a `Loss`
    solver: Solver  # the default solver of the loss
    data: Data  # of all rows
    alphas: np.ndarray  # decreasing
    auc: np.ndarray  # of shape (n_alphas, n_folds)
    folds: Sequence[Fold]  # pairs of training and test rows
    scores: list[np.ndarray]  # of the test rows of each fold, of shape (n_alphas, n_test); empty for a long table
    inner: InnerScores | None = None  # of pairs of folds, if models without both were fitted too
    models: Sequence[FoldModels] = ()  # of each fold

    @property
    def best_auc(self) -> float:
        """The best mean AUC."""
        return float(self.auc.mean(axis=1).max())

    def scored(self, X: Any, chosen: int) -> np.ndarray:
        """Out-of-fold scores of all rows for one alpha, in a pass over the rows if the table is long."""
        if self.scores:
            return self.out_of_fold(X.shape[0], chosen)
        scores = scores_by_fold(X, self.folds, [model.weights[:, [chosen]] for model in self.models])
        for part, model in zip(scores, self.models, strict=True):
            part -= model.zeros[chosen]
        return self._replace(scores=scores).out_of_fold(X.shape[0], 0)

    def start(self, chosen: int) -> np.ndarray | None:
        """Scaled weights from which a fit to a long table starts: the mean over the folds."""
        if self.scores:
            return None
        return np.mean([model.weights[:, chosen] for model in self.models], axis=0) * self.data.scale

    def out_of_fold(self, n: int, which: int | slice = slice(None)) -> np.ndarray:
        """Scores of all n rows, for one alpha or for each: means over the folds that test a row, NaN if none does."""
        total = np.zeros((*self.alphas[which].shape, n))
        if isinstance(self.folds, Folds):  # each row is tested once: no counts, which take memory
            total[:] = np.nan
            for k, scores in enumerate(self.scores):
                total[..., self.folds.numbers == k] = scores[which]
            return total
        times = np.zeros(n, dtype=np.int32)
        for (_, test), scores in zip(self.folds, self.scores, strict=True):
            total[..., test] += scores[which]
            times[test] += 1
        with np.errstate(invalid="ignore"):
            return np.divide(total, times, out=total)


def cv_path(table: LabeledData, folds: Sequence[Fold], loss: Any, settings: PathSettings) -> CVPath:
    """Fit all alphas on each training set, and score its test rows.

    Of a long table in chunks, a sample of the test rows is scored. Where moments do not suffice, which would take a
    pass or several for each Newton step of each alpha and fold, the models are fitted to a sample, too.
    """
    solver = certified_solver(table.X, loss)
    by_moments = _moments_suffice(table, folds, solver, settings)
    if isinstance(table.X, ChunkedMatrix) and not by_moments:
        return _path_of_sample(table, folds, loss, settings)
    data, training = _fold_data(table, folds, by_moments, settings)
    alphas = make_alphas(settings, data)
    for alpha in alphas[[0, -1]]:
        check_penalty_supported(solver, settings.penalty(alpha), loss)
    models = []
    for part in training:
        w = alpha_path(part, loss, alphas, settings.l1_ratio, solver) / part.scale[:, None]
        models.append(FoldModels(w, part.midpoint(w)))
    scored = _scored_rows(table, folds, settings.seed)
    scores = scores_by_fold(table.X, scored, [model.weights for model in models])
    aucs = []
    for of_fold, model, test in zip(scores, models, test_rows(scored), strict=True):
        aucs.append(aucs_of(of_fold, table.y[test], table.weight[test]))
        of_fold -= model.zeros[:, None]
    kept = scores if scored is folds else []
    return CVPath(loss, solver, data, alphas, np.column_stack(aucs), folds, kept, models=models)


def _path_of_sample(table: LabeledData, folds: Sequence[Fold], loss: Any, settings: PathSettings) -> CVPath:
    """The path of models that are fitted to a sample of a long table in chunks, with the data of all rows."""
    rows, inner, kept = subsample(table, folds, sample_size(table.X), np.random.default_rng(settings.seed))
    if isinstance(rows.X, ChunkedMatrix):
        raise ValueError("in a sample of the rows a fold has a single class, so AUC is undefined; use fewer folds")
    if kept.size == table.y.size:
        return cv_path(rows, folds, loss, settings)
    is_kept = np.zeros(table.y.size, dtype=bool)
    is_kept[kept] = True
    path = cv_path(rows._replace(weight=table.class_totals(is_kept)[kept]), inner, loss, settings)
    data = Data.of(*table.weighted(), standardize=settings.standardize)
    return path._replace(data=data, folds=folds, scores=[])


def sample_size(X: ChunkedMatrix) -> int:
    """The maximum number of rows of a sample to which paths are fitted."""
    return min(SAMPLED_ROWS, max(SAMPLED_NUMBERS * X.shape[0] // max(X.size, 1), FEWEST_ROWS))


def _scored_rows(table: LabeledData, folds: Sequence[Fold], seed: Any) -> Sequence[Fold]:
    """The folds, or those of a sample of a long table in chunks, whose training rows have no meaning."""
    if not isinstance(table.X, ChunkedMatrix) or table.y.size <= SCORED_ROWS:
        return folds
    numbers = test_numbers(folds, table.y.size)
    sample = sample_of_classes(numbers >= 0, table.y, SCORED_ROWS, np.random.default_rng(seed))
    scored = np.full(table.y.size, -1, dtype=numbers.dtype)
    scored[sample] = numbers[sample]
    return Folds(scored, len(folds))


def leave_pair_out_path(table: LabeledData, settings: PathSettings) -> CVPath:
    """Rank every pair by the model without it, for all alphas."""
    _check_leave_pair_out(table, settings)
    loss = Squared()
    solver = certified_solver(table.X, loss)
    kept = np.flatnonzero(table.weight > 0)
    rows = table.weighted()
    data = Data.of(*rows, standardize=settings.standardize)
    alphas = positive_alphas(settings, data, f"cv={LEAVE_PAIR_OUT!r}")
    X: Any = data.X.toarray() if is_sparse(data.X) else data.X
    is_pos = rows.y > 0
    results = list(leave_pair_out(X / data.scale, is_pos, alphas))
    rarer = "pos" if 2 * is_pos.sum() <= is_pos.size else "neg"
    auc = np.array([getattr(shares, rarer) for shares in results])
    scores = np.array([shares.scores for shares in results])
    return CVPath(loss, solver, data, alphas, auc, [(kept, kept)], [scores])


def _check_leave_pair_out(table: LabeledData, settings: PathSettings) -> None:
    """Refuse tables in chunks, and penalties and weights for which there is no closed form."""
    if isinstance(table.X, ChunkedMatrix):
        raise ValueError(f"cv={LEAVE_PAIR_OUT!r} needs its table in memory, but this one is read in chunks; use cv=5")
    if settings.l1_ratio > 0:
        raise ValueError(f"l1_ratio={settings.l1_ratio} with cv={LEAVE_PAIR_OUT!r}, which needs an L2 penalty; use 0")
    weights = table.weight[table.weight > 0]
    if np.ptp(weights) > 0:
        raise ValueError(
            f"sample_weight from {weights.min():g} to {weights.max():g} with cv={LEAVE_PAIR_OUT!r}, which supports "
            "none but 0 and 1; use folds (cv=5), or repeat rows"
        )


def certified_solver(X: Any, loss: Any) -> Solver:
    """The default solver of the loss, if it certifies its solutions."""
    solver = find_solver("auto", X, loss)
    if not solver.certified:
        raise ValueError(
            f"loss={loss.name!r} has no default solver that certifies its solution, which a path needs; choose a "
            "solver (in Python with AUCClassifier, on the command line with --solver) or another loss"
        )
    return solver


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


def positive_alphas(settings: PathSettings, data: Data, method: str) -> np.ndarray:
    """As `make_alphas`, for a method that needs a penalty, which the error message names."""
    alphas = make_alphas(settings, data)
    if alphas[-1] == 0.0:
        raise ValueError(f"alphas={settings.alphas!r} with {method}; give numbers above 0")
    return alphas


def scores_by_fold(X: Any, folds: Sequence[Fold], weights: list[np.ndarray]) -> list[np.ndarray]:
    """Scores of the test rows of each fold by the models of the fold, one row a model; chunks are read once."""
    sizes = [test.size for test in test_rows(folds)]
    numbers = test_numbers(folds, X.shape[0]) if isinstance(X, ChunkedMatrix) and X.is_ordered else np.empty(0)
    is_tested = numbers >= 0
    if np.count_nonzero(is_tested) < sum(sizes):
        return [np.ascontiguousarray(dot(X, w, test).T) for test, w in zip(test_rows(folds), weights, strict=True)]
    if not is_tested.all():
        X = X[np.flatnonzero(is_tested)]
        numbers = numbers[is_tested]
    scores = [np.empty((w.shape[1], size)) for w, size in zip(weights, sizes, strict=True)]
    filled = [0] * len(scores)
    for _, parts in X.map("scores of the folds", partial(_scores_of_chunk, weights=weights), numbers):
        for k, part in enumerate(parts):
            scores[k][:, filled[k] : filled[k] + part.shape[1]] = part
            filled[k] += part.shape[1]
    return scores


def _scores_of_chunk(rows: Any, fold: np.ndarray, *, weights: list[np.ndarray]) -> list[np.ndarray]:
    """Scores of the test rows of each fold by its models."""
    return [dot(rows, w, np.flatnonzero(fold == k)).T for k, w in enumerate(weights)]


def aucs_of(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[float]:
    """The AUC of every model; the scores are of shape (n_models, n_rows)."""
    pos = y > 0
    class_weights = () if (weight == weight[0]).all() else (weight[pos], weight[~pos])
    aucs = []
    for of_model in scores:
        aucs.append(auc_of_classes(of_model[pos], of_model[~pos], *class_weights))
    return aucs


def _fold_data(
    table: LabeledData, folds: Sequence[Fold], by_moments: bool, settings: PathSettings
) -> tuple[Data, Iterator[Data]]:
    """Data of all rows and of each training set, from moments alone if they suffice."""
    if by_moments:
        moments, parts = training_moments(*table, folds)
        check_finite(moments, table.X)
        of_moments = partial(Data.of_moments, standardize=settings.standardize)
        return of_moments(moments), map(of_moments, parts)
    of_rows = partial(Data.of, standardize=settings.standardize)
    return of_rows(*table.weighted()), (of_rows(*table.rows(train)) for train, _ in folds)


def _moments_suffice(table: LabeledData, folds: Sequence[Fold], solver: Solver, settings: PathSettings) -> bool:
    """Whether the solver needs no rows."""
    smallest = min(train.size for train, _ in folds)
    return isinstance(solver, Exact) and table.X.shape[1] <= (GRAM_LIMIT if settings.l1_ratio > 0 else smallest)


class PartMoments:
    """Moments of disjoint parts of a table, summed over all of them but up to two.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [4.0], [6.0]]), np.array([-1, 1, -1, 1])
    >>> sums = PartMoments([Moments.of(X, y, index=np.array([k])) for k in range(4)])
    >>> sums.without(0, 1).delta == Moments.of(X[2:], y[2:]).delta
    array([ True])
    """

    def __init__(self, parts: Sequence[Moments]):
        self._parts = list(parts)
        self._first = list(accumulate(parts))  # sums of the parts up to each
        self._last = list(accumulate(parts[::-1]))[::-1]  # sums of the parts from each on

    def without(self, *left_out: int) -> Moments:
        """The sum of all parts but these, none, one or two; at least one other part is left."""
        if not left_out:
            return self._first[-1]
        low = min(left_out)
        high = max(left_out)
        before = self._first[low - 1 : low] if low else []
        return reduce(add, [*before, *self._parts[low + 1 : high], *self._last[high + 1 : high + 2]])


def moments_by_fold(X: Any, y: np.ndarray, weight: np.ndarray, folds: Sequence[Fold]) -> PartMoments:
    """Full moments of the test rows of each fold."""
    return PartMoments(moments_by_number(X, y, weight, test_numbers(folds, y.size), len(folds)))


def training_moments(
    X: Any, y: np.ndarray, weight: np.ndarray, folds: Sequence[Fold]
) -> tuple[Moments, Iterator[Moments]]:
    """Full moments of all rows, and of the training rows of each fold."""
    if is_partition(folds, int(np.count_nonzero(weight))):
        sums = moments_by_fold(X, y, weight, folds)
        return sums.without(), map(sums.without, range(len(folds)))
    return Moments.of(X, y, weight), (Moments.of(X, y, weight, index=train) for train, _ in folds)
