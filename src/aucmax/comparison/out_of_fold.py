"""Out-of-fold scores: one fit on one fold, and what the fits of a model add up to."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from aucmax.comparison.data import ComparisonData
from aucmax.comparison.measures import ScoredFold
from aucmax.comparison.pooled_scores import PooledScores, pool_folds
from aucmax.comparison.weights import weights_per_deviation
from aucmax.metrics import auc_influence, roc_auc
from aucmax.selection.splits import FewerFoldsWarning
from aucmax.validation.inputs import FrequentPositiveWarning

__all__ = ["FoldFit", "ModelRun", "collect", "fit_fold", "weight_argument"]

STEEP = 1e-3  # gain in AUC over the last step of a grid of alphas that another step might exceed


class FoldFit(NamedTuple):
    """One fit, and its scores of the test rows of its fold."""

    scores: np.ndarray  # of the test rows
    probabilities: np.ndarray | None  # of the positive class, if the model gives any
    train_auc: float  # on the rows it was fitted to
    converged: bool  # whether the fit warned that it did not converge
    edge: str | None  # "smallest" or "largest" if the chosen alpha is the last of its grid
    fit_seconds: float
    score_seconds: float  # to score the test rows
    nonzeros: int | None  # non-zero weights; None if the model has no `coef_`
    weights: np.ndarray | None = None  # of a linear model, in units of deviations


class ModelRun(NamedTuple):
    """All fits of one model, evaluated."""

    scores: np.ndarray  # of each row, the mean over the repeats; NaN if it is in no test set
    probabilities: np.ndarray | None  # likewise
    influence: np.ndarray  # of each row on the mean AUC; 0 if it is in no test set
    aucs: np.ndarray  # of each fold
    errors: np.ndarray  # of the AUC of each fold (DeLong)
    fits: list[FoldFit]
    folds: list[ScoredFold]
    pooled: PooledScores  # the scores of all folds on one scale


def fit_fold(model: Any, data: ComparisonData, fold: int) -> FoldFit:
    """Fit a clone of the model on one training set and score the test set, on one thread."""
    train, test = data.folds[fold]
    weight_name = weight_argument(model)
    weight = None if data.weight is None else data.weight[train]
    settings = {} if weight is None or weight_name is None else {weight_name: weight}
    hidden: tuple[type[Warning], ...] = (FrequentPositiveWarning,)  # the comparison has warned of it
    if data.reduced:
        hidden += (FewerFoldsWarning,)  # of the model's own folds, after those of the comparison
    fitted = clone(model)
    X_train = _safe_indexing(data.X, train)
    X_test = _safe_indexing(data.X, test)
    with threadpool_limits(1):
        start = perf_counter()
        with _convergence_noted(hidden) as unconverged:
            fitted.fit(X_train, data.y[train], **settings)
        fit_seconds = perf_counter() - start
        start = perf_counter()
        scores = _scores(fitted, X_test)
        score_seconds = perf_counter() - start
        train_auc = roc_auc(data.is_pos[train], _scores(fitted, X_train), sample_weight=weight)
    return FoldFit(
        scores=scores,
        probabilities=fitted.predict_proba(X_test)[:, 1] if hasattr(fitted, "predict_proba") else None,
        train_auc=train_auc,
        converged=not unconverged,
        edge=_edge(fitted),
        fit_seconds=fit_seconds,
        score_seconds=score_seconds,
        nonzeros=_nonzeros(fitted),
        weights=weights_per_deviation(fitted, X_train),
    )


def collect(fits: Sequence[FoldFit], data: ComparisonData) -> ModelRun:
    """Evaluate the fits of one model, one for each fold."""
    influence = np.zeros(len(data.y))
    aucs = []
    errors = []
    folds = []
    for fit, (_, test) in zip(fits, data.folds, strict=True):
        is_pos = data.is_pos[test]
        weight = None if data.weight is None else data.weight[test]
        aucs.append(roc_auc(is_pos, fit.scores, sample_weight=weight))
        of_fold = auc_influence(is_pos, fit.scores, sample_weight=weight)
        errors.append(float(np.linalg.norm(of_fold)))
        influence[test] += of_fold / len(data.folds)
        folds.append(ScoredFold(test, is_pos, fit.scores, np.ones(test.size) if weight is None else weight))
    scores = _mean_over_folds([fit.scores for fit in fits], data)
    chances = [fit.probabilities for fit in fits if fit.probabilities is not None]
    probabilities = _mean_over_folds(chances, data) if len(chances) == len(fits) else None
    pooled = pool_folds(folds)
    return ModelRun(scores, probabilities, influence, np.array(aucs), np.array(errors), list(fits), folds, pooled)


def _mean_over_folds(values: Sequence[np.ndarray], data: ComparisonData) -> np.ndarray:
    """For each row, the mean over the folds that test it; NaN if none does."""
    total = np.zeros(len(data.y))
    times = np.zeros(len(data.y))
    for some, (_, test) in zip(values, data.folds, strict=True):
        total[test] += some
        times[test] += 1
    return np.divide(total, times, out=np.full(total.size, np.nan), where=times > 0)


def weight_argument(model: Any) -> str | None:
    """Name of the `fit` argument for sample weights (in a pipeline, of its last step); None if there is none."""
    if get_config()["enable_metadata_routing"]:
        routed = get_routing_for_object(model).consumes("fit", ["sample_weight"])
        return "sample_weight" if routed else None
    if isinstance(model, BaseSearchCV):
        return weight_argument(model.estimator)
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        return f"{name}__sample_weight" if has_fit_parameter(last, "sample_weight") else None
    return "sample_weight" if has_fit_parameter(model, "sample_weight") else None


def _scores(model: Any, X: Any) -> np.ndarray:
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


@contextmanager
def _convergence_noted(hidden: tuple[type[Warning], ...]) -> Iterator[list[Any]]:
    """A list that receives the ConvergenceWarnings; other warnings are passed on, but for those to be hidden."""
    noted: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield noted
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            noted.append(warning)
        elif not issubclass(warning.category, hidden):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _edge(model: Any) -> str | None:
    """Whether the alpha that was chosen is the last of its grid, and a longer grid might hold a better one."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if not (hasattr(last, "alphas_") and hasattr(last, "cv_auc_")) or last.alphas_.size < 3:
        return None
    auc = last.cv_auc_.mean(axis=1)
    for end, neighbour, name in ((0, 1, "largest"), (-1, -2, "smallest")):
        if last.alpha_ == last.alphas_[end] and auc[end] > auc[neighbour] + STEEP:
            return name
    return None


def _nonzeros(model: Any) -> int | None:
    """Non-zero weights of a linear model, or of the last step of a pipeline."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    coef = getattr(last, "coef_", None)
    return None if coef is None else int(np.count_nonzero(coef))
