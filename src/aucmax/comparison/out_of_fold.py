"""Trial: the rows, labels and folds that all models are judged on, and what one model did there."""

from __future__ import annotations

from collections.abc import Callable
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
from aucmax.metrics.scored import checked_weight, column, two_labels
from aucmax.selection.splits import Fold, make_splits


class Trial(NamedTuple):
    """What all models are judged on: rows, labels, which are positive, weights, and the folds."""

    X: Any
    y: np.ndarray
    is_pos: np.ndarray
    weight: np.ndarray | None
    folds: list[Fold]


class OutOfFold(NamedTuple):
    """What one model did: scores and influences of the rows (NaN and 0 if untested), AUC and time of the folds."""

    scores: np.ndarray
    influence: np.ndarray
    aucs: np.ndarray
    seconds: np.ndarray
    weighted: bool


def make_trial(X: Any, y: Any, cv: Any, sample_weight: Any, groups: Any, random_state: int) -> Trial:
    """Check the input once and make the folds, each with two or more test rows of both classes."""
    labels = column(y, "y")
    is_pos = labels == two_labels(labels, None)[1]
    weight = None if sample_weight is None else checked_weight(sample_weight, is_pos)
    X, labels, groups = indexable(X, labels, groups)
    counted = np.ones(labels.size) if weight is None else weight
    if isinstance(cv, (int, np.integer)):
        _check_rare(is_pos[counted > 0], int(cv))
    sign = np.where(is_pos, 1.0, -1.0)
    folds = make_splits(cv, X, sign, counted, groups, np.random.default_rng(random_state))
    for number, (_, test) in enumerate(folds, 1):
        rare = int(np.bincount(is_pos[test], minlength=2).min())
        if rare < 2:
            raise ValueError(f"fold {number} of {len(folds)} tests {rare} row of one class, and needs 2; lower cv")
    return Trial(X, labels, is_pos, weight, folds)


def out_of_fold(model: Any, trial: Trial, step: Callable[[], None] = lambda: None) -> OutOfFold:
    """Fit a clone of the model on every training set and judge it on the test set; only `fit` is timed."""
    n, weight_name = len(trial.y), _weight_argument(model)
    scores, influence, aucs, seconds = np.full(n, np.nan), np.zeros(n), [], []
    weights = np.ones(n) if trial.weight is None else trial.weight
    for train, test in trial.folds:
        settings = {} if trial.weight is None or weight_name is None else {weight_name: weights[train]}
        fitted, train_X = clone(model), _safe_indexing(trial.X, train)
        start = perf_counter()
        fitted.fit(train_X, trial.y[train], **settings)
        seconds.append(perf_counter() - start)
        scores[test] = _scores(fitted, _safe_indexing(trial.X, test))
        aucs.append(roc_auc(trial.is_pos[test], scores[test], None if trial.weight is None else weights[test]))
        influence[test] += auc_influence(trial.is_pos[test], scores[test], weights[test])
        step()
    return OutOfFold(scores, influence, np.array(aucs), np.array(seconds), weight_name is not None)


def _check_rare(is_pos: np.ndarray, cv: int) -> None:
    rare = int(np.bincount(is_pos, minlength=2).min())
    if cv < 2:
        raise ValueError(f"cv={cv}; give at least 2 folds")
    if rare < 4:
        raise ValueError(f"the rarer class has {rare} rows; it takes 4 to judge a model on rows it has not seen")
    if rare < 2 * cv:
        raise ValueError(f"cv={cv}, but the rarer class has {rare} rows; lower cv to {rare // 2}, or add rows")


def _weight_argument(model: Any) -> str | None:
    """How `fit` calls the weights: in a pipeline they go to the last step; None if it takes none."""
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
