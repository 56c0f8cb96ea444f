"""Out-of-fold scores: the data and folds that all models share, and the scores of one model on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from aucmax.metrics import auc_influence, roc_auc
from aucmax.metrics.inputs import binary_labels, check_1d, check_sample_weight
from aucmax.numerics.sparse_structure import check_structure
from aucmax.selection.splits import Fold, make_splits
from aucmax.tables.cells import truncate
from aucmax.validation.caller import warn_caller
from aucmax.validation.params import Integer, check_param

__all__ = ["ComparisonData", "OutOfFoldScores", "make_comparison_data", "out_of_fold_scores"]


class ComparisonData(NamedTuple):
    """The data and folds on which all models are evaluated."""

    X: Any  # rows, as the user passed them
    y: np.ndarray  # labels
    is_pos: np.ndarray  # whether the label is the positive one
    weight: np.ndarray | None  # sample weights
    folds: list[Fold]  # pairs of training and test rows


class OutOfFoldScores(NamedTuple):
    """The results of one model."""

    scores: np.ndarray  # of each row; NaN if it is in no test set
    influence: np.ndarray  # of each row on the AUC of its fold; 0 if it is in no test set
    aucs: np.ndarray  # of each fold
    seconds: np.ndarray  # time to fit, for each fold
    weighted: bool  # whether `fit` takes sample weights


def make_comparison_data(
    X: Any, y: Any, cv: Any, sample_weight: Any, groups: Any, random_state: int
) -> ComparisonData:
    """Validate the input once and make the folds, each with at least two test rows of each class."""
    _check_order(X, y)
    check_structure(X)
    labels = check_1d(y, "y")
    is_pos = labels == binary_labels(labels)[1]
    weight = None if sample_weight is None else check_sample_weight(sample_weight, is_pos)
    X, labels, groups = indexable(X, labels, groups)
    weights = np.ones(labels.size) if weight is None else weight
    if isinstance(cv, Integral):
        cv = _reduced_n_folds(cv, is_pos[weights > 0])
    sign = np.where(is_pos, 1.0, -1.0)
    folds = make_splits(cv, X, sign, weights, groups, np.random.default_rng(random_state))
    for number, (_, test) in enumerate(folds, 1):
        rare = int(np.bincount(is_pos[test], minlength=2).min())
        if rare < 2:
            where = f"fold {number} of {len(folds)}"
            raise ValueError(f"{where} needs 2 test rows of each class, but one class has {rare}; lower cv")
    return ComparisonData(X, labels, is_pos, weight, folds)


def out_of_fold_scores(
    model: Any, data: ComparisonData, after_fold: Callable[[], None] = lambda: None
) -> OutOfFoldScores:
    """Fit a clone of the model on each training set and evaluate it on the test set; only `fit` is timed."""
    n = len(data.y)
    weight_name = _weight_argument(model)
    scores = np.full(n, np.nan)
    influence = np.zeros(n)
    aucs = []
    seconds = []
    for train, test in data.folds:
        settings = {} if data.weight is None or weight_name is None else {weight_name: data.weight[train]}
        fitted = clone(model)
        X_train = _safe_indexing(data.X, train)
        start = perf_counter()
        fitted.fit(X_train, data.y[train], **settings)
        seconds.append(perf_counter() - start)
        scores[test] = _scores(fitted, _safe_indexing(data.X, test))
        weight = None if data.weight is None else data.weight[test]
        aucs.append(roc_auc(data.is_pos[test], scores[test], sample_weight=weight))
        influence[test] += auc_influence(data.is_pos[test], scores[test], sample_weight=weight)
        after_fold()
    return OutOfFoldScores(scores, influence, np.array(aucs), np.array(seconds), weight_name is not None)


def _reduced_n_folds(cv: Any, is_pos: np.ndarray) -> int:
    """The number of folds, reduced so that every fold has two test rows of each class."""
    check_param("cv", cv, Integer(2))
    rare = int(np.bincount(is_pos, minlength=2).min())
    if rare < 4:
        raise ValueError(f"the rarer class has {rare} rows; cross-validation needs at least 4, so add rows")
    if rare < 2 * cv:
        warn_caller(f"cv={cv}, but the rarer class has only {rare} rows; using {rare // 2} folds", UserWarning)
    return min(int(cv), rare // 2)


def _check_order(X: Any, y: Any) -> None:
    """Refuse models in place of the table or of its labels."""
    for name, value in (("X", X), ("y", y)):
        if _is_models(value):
            raise TypeError(f"{name} is {_brief(value)}, not data; call compare(X, y, models), the models last")


def _is_models(value: Any) -> bool:
    """Whether a value is a classifier, a name, or a list or a dict of classifiers or names."""
    if isinstance(value, str) or (hasattr(value, "fit") and not hasattr(value, "shape")):
        return True
    if isinstance(value, Mapping):
        return bool(value) and all(hasattr(model, "fit") or isinstance(model, str) for model in value.values())
    return isinstance(value, (list, tuple)) and any(hasattr(model, "fit") for model in value)


def _brief(value: Any) -> str:
    """The value as one line of a message."""
    return truncate(" ".join(repr(value).split()), 60)


def _weight_argument(model: Any) -> str | None:
    """Name of the `fit` argument for sample weights (in a pipeline, of its last step); None if there is none."""
    if get_config()["enable_metadata_routing"]:
        routed = get_routing_for_object(model).consumes("fit", ["sample_weight"])
        return "sample_weight" if routed else None
    if isinstance(model, BaseSearchCV):
        return _weight_argument(model.estimator)
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        return f"{name}__sample_weight" if has_fit_parameter(last, "sample_weight") else None
    return "sample_weight" if has_fit_parameter(model, "sample_weight") else None


def _scores(model: Any, X: Any) -> np.ndarray:
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]
