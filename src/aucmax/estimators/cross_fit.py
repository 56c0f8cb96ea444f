"""Out-of-fold scores of any classifier, and `CrossFitClassifier`, the mean of the models of the folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from aucmax.estimators.base import Ranker
from aucmax.selection.cross_validation import aucs_of
from aucmax.selection.splits import Fold, make_splits
from aucmax.validation.inputs import LabeledData, check_table, make_rng

SOFTENING = 0.005  # keeps the logits of probabilities 0 and 1 finite: at most 5.3


def soft_logit(probability: np.ndarray) -> np.ndarray:
    """The logit of (p + .005) / 1.01, finite for 0 and 1.

    Examples
    --------
    >>> soft_logit(np.array([0.0, 0.5, 1.0])).round(2)
    array([-5.3,  0. ,  5.3])
    """
    return np.log((probability + SOFTENING) / (1.0 + SOFTENING - probability))


def ranking_scores(model: Any, X: Any) -> np.ndarray:
    """Scores of a fitted classifier: the decision function of a ranker, or the logits of probabilities."""
    if hasattr(model, "predict_proba") and not hasattr(model, "oof_scores_"):
        return soft_logit(np.asarray(model.predict_proba(X))[:, 1])
    return np.asarray(model.decision_function(X), dtype=float)


def fit_rows(model: Any, rows: LabeledData, weighted: bool) -> Any:
    """Fit a model to labels 0 and 1, with the weights if `weighted`."""
    options = {_weight_argument(model): rows.weight} if weighted else {}
    return model.fit(rows.X, (rows.y > 0).astype(int), **options)


def cross_fit(
    estimator: Any, rows: LabeledData, folds: Sequence[Fold], weighted: bool, n_jobs: int | None = None
) -> tuple[list[Any], np.ndarray]:
    """Models of the training rows of each fold, and the scores of its test rows; NaN for rows in no test set."""
    tasks = (delayed(fit_rows)(clone(estimator), rows.rows(train), weighted) for train, _ in folds)
    models = Parallel(n_jobs)(tasks)
    out_of_fold = np.full(rows.y.size, np.nan)
    for model, (_, test) in zip(models, folds, strict=True):
        out_of_fold[test] = ranking_scores(model, rows.X[test])
    return models, out_of_fold


def deepest_that_helps(
    candidates: list[Any], rows: LabeledData, fold: Fold, weighted: bool
) -> tuple[Any, tuple[Any, np.ndarray]]:
    """The last candidate before the AUC on the test rows stops rising, its model, and its scores of the test rows."""
    train, test = fold
    highest = -np.inf
    for candidate in candidates:
        model = fit_rows(clone(candidate), rows.rows(train), weighted)
        scores = ranking_scores(model, rows.X[test])
        (auc,) = aucs_of(scores[None], rows.y[test], rows.weight[test])
        if auc <= highest:
            break
        highest = auc
        best = candidate, (model, scores)
    return best


def _weight_argument(model: Any) -> str:
    """Name of the `fit` argument for sample weights, in a pipeline for its last step."""
    inner = model.estimator if isinstance(model, BaseSearchCV) else model
    name, last = inner.steps[-1] if isinstance(inner, Pipeline) else ("", inner)
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError(
            f"{type(last).__name__} does not support sample_weight; leave it out, or fit without weights"
        )
    return f"{name}__sample_weight" if name else "sample_weight"


class CrossFitClassifier(Ranker):
    """The mean score of the models of the folds, which needs no further fit to all rows.

    Parameters
    ----------
    estimator : classifier or list of classifiers
        A list is ordered from the simplest to the most complex classifier. They are tried on the first fold in this
        order as long as the AUC rises, and the best one is used for all folds.
    cv : int or splitter
        As in `AUCClassifierCV`.
    random_state : int, RandomState or None
        Random seed of the folds.

    Attributes
    ----------
    estimators_ : list
        The model of each fold.
    oof_scores_ : array of shape (n,)
        Score of each row by the model that was not fitted to the row.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(random_state=0)
    >>> model = CrossFitClassifier(DecisionTreeClassifier(max_depth=2), cv=3).fit(X, y)
    >>> len(model.estimators_), model.decision_function(X).shape
    (3, (100,))
    """

    def __init__(self, estimator, cv=3, random_state=None):
        self.estimator = estimator
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CrossFitClassifier:
        """Fit a model to the training rows of each fold."""
        table = check_table(self, X, y, sample_weight)
        folds = make_splits(self.cv, *table, None, make_rng(self.random_state))
        weighted = sample_weight is not None
        if not isinstance(self.estimator, list):
            self.estimators_, self.oof_scores_ = cross_fit(self.estimator, table, folds, weighted)
            return self
        chosen, (first, scores) = deepest_that_helps(self.estimator, table, folds[0], weighted)
        others, self.oof_scores_ = cross_fit(chosen, table, folds[1:], weighted)
        self.oof_scores_[folds[0][1]] = scores
        self.estimators_ = [first, *others]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The mean score of the models; larger means more likely positive."""
        X = self._validate_rows(X, "estimators_")
        return np.mean([ranking_scores(model, X) for model in self.estimators_], axis=0)
