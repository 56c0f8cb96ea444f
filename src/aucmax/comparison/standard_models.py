"""The models that can be compared by name: those of this package and the usual alternatives."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from aucmax.comparison.data import ComparisonData
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.estimators.stacking import AUCStackingClassifier
from aucmax.numerics.matrix import is_sparse
from aucmax.solvers import SOLVERS

__all__ = ["DEFAULT_MODELS", "STANDARD_MODELS", "find_models", "how_tuned", "is_own"]


def find_models(models: Any, data: ComparisonData, random_state: int) -> dict[str, Any]:
    """The classifiers by name; names are replaced by classifiers that suit the data."""
    if not isinstance(models, Mapping):
        models = _named(list(DEFAULT_MODELS) if models is None else models)
    found = {
        name: _model_named(model, data, random_state) if isinstance(model, str) else model
        for name, model in models.items()
    }
    if not found:
        raise ValueError("no models; give names, classifiers, a dict of them, or None for the standard ones")
    for name, model in found.items():
        if isinstance(model, type):
            raise TypeError(f"model {name!r} is a class, not a classifier; call it, as in {model.__name__}()")
        if not hasattr(model, "fit") or not (hasattr(model, "decision_function") or hasattr(model, "predict_proba")):
            raise ValueError(
                f"model {name!r} is {model!r}; give a classifier with decision_function or predict_proba"
            )
    return found


def _named(models: Any) -> dict[str, Any]:
    """A name, a classifier, or a list of them, by name; the second of the same class is called "... 2", and so on."""
    single = isinstance(models, str) or hasattr(models, "fit")
    found: dict[str, Any] = {}
    count: Counter[str] = Counter()
    for model in [models] if single else models:
        if isinstance(model, str):
            found[model] = model
            continue
        name = _class_name(model)
        count[name] += 1
        found[name if count[name] == 1 else f"{name} {count[name]}"] = model
    return found


def _class_name(model: Any) -> str:
    """The name of a classifier: that of its class or, for a pipeline, of its last step's class."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    return last.__name__ if isinstance(last, type) else type(last).__name__


def _model_named(name: str, data: ComparisonData, random_state: int) -> Any:
    if name in STANDARD_MODELS:
        rare = min(int(np.bincount(data.is_pos[train], minlength=2).min()) for train, _ in data.folds)
        folds = StratifiedKFold(min(5, rare), shuffle=True, random_state=random_state)
        return STANDARD_MODELS[name](is_sparse(data.X), folds)
    if name in SOLVERS:
        return AUCClassifier(loss=SOLVERS[name].losses[0].name, solver=name, random_state=random_state)
    raise ValueError(
        f"unknown model {name!r}; choose from {[*STANDARD_MODELS, *SOLVERS]} or give a dict of classifiers"
    )


def how_tuned(model: Any) -> str:
    """What a model chooses by itself when it is fitted: parameters, or "no"; "yes" if that is not known in detail."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if isinstance(last, BaseSearchCV):
        return "yes"
    return next((words for kind, words in _TUNED.items() if isinstance(last, kind)), "no")


def is_own(model: Any) -> bool:
    """Whether a model is an estimator of aucmax, or a pipeline or search of one."""
    if isinstance(model, BaseSearchCV):
        return is_own(model.estimator)
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    return any(kind.__module__.startswith("aucmax.") for kind in type(last).__mro__)


# what is chosen by cross-validation inside `fit`
_TUNED: dict[type, str] = {
    AUCClassifierCV: "alpha, loss",
    KernelAUCClassifier: "alpha, kernel",
    AUCStackingClassifier: "weights, alpha, kernel",
    LogisticRegressionCV: "C",
}


def _pipeline(model: Any, sparse: bool) -> Any:
    """The model on standardised columns; sparse ones are not centred."""
    return make_pipeline(StandardScaler(with_mean=not sparse), model)


def _logistic(sparse: bool, folds: Any, class_weight: str | None = None) -> Any:
    """Logistic regression tuned like AUCClassifierCV: the best of ten values of C by cross-validated AUC."""
    settings: dict[str, Any] = {"scoring": "roc_auc", "max_iter": 10_000, "class_weight": class_weight}
    if "use_legacy_attributes" in inspect.signature(LogisticRegressionCV).parameters:  # scikit-learn 1.8 and newer
        settings |= {"l1_ratios": (0.0,), "use_legacy_attributes": False}
    return _pipeline(LogisticRegressionCV(Cs=10, cv=folds, **settings), sparse)


def _ridge(sparse: bool, folds: Any) -> Any:
    return _pipeline(RidgeClassifier(class_weight="balanced"), sparse)


def _lda(sparse: bool, folds: Any) -> Any:
    if sparse:
        raise ValueError("model 'lda' does not support sparse tables; leave it out, or pass X.toarray()")
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def _linear_svm(sparse: bool, folds: Any) -> Any:
    return _pipeline(LinearSVC(class_weight="balanced", max_iter=10_000, random_state=folds.random_state), sparse)


def _forest(kind: type, sparse: bool, folds: Any) -> Any:
    return kind(300, random_state=folds.random_state)


def _boosting(sparse: bool, folds: Any) -> Any:
    if sparse:
        raise ValueError("model 'boosting' does not support sparse tables; leave it out, or pass X.toarray()")
    return HistGradientBoostingClassifier(random_state=folds.random_state)


def _lightgbm(sparse: bool, folds: Any) -> Any:
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        raise ValueError("model 'lightgbm' needs the package lightgbm; install it, or use 'boosting'") from None
    return LGBMClassifier(random_state=folds.random_state, verbosity=-1)


#: The models that `compare` knows by name: factories, called with whether X is sparse and with the inner folds for
#: tuning.
STANDARD_MODELS: dict[str, Callable[[bool, Any], Any]] = {
    "aucmax": lambda sparse, folds: AUCClassifierCV(cv=folds.n_splits, random_state=folds.random_state),
    "kernel": lambda sparse, folds: KernelAUCClassifier(cv=folds.n_splits, random_state=folds.random_state),
    "stack": lambda sparse, folds: AUCStackingClassifier(cv=folds.n_splits, random_state=folds.random_state),
    "logistic": _logistic,
    "logistic balanced": partial(_logistic, class_weight="balanced"),
    "ridge balanced": _ridge,
    "lda": _lda,
    "linear svm": _linear_svm,
    "random forest": partial(_forest, RandomForestClassifier),
    "extra trees": partial(_forest, ExtraTreesClassifier),
    "boosting": _boosting,
    "lightgbm": _lightgbm,
}
#: The names of the models that `compare` fits if none are given.
DEFAULT_MODELS = ("aucmax", "kernel", "logistic", "logistic balanced", "ridge balanced")
