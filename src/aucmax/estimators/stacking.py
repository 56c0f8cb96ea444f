"""AUCStackingClassifier: a blend of classifiers whose weights minimise the squared pairwise loss."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import TransformerMixin, clone, is_classifier
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.base import Ranker
from aucmax.estimators.calibration import CalibratedMixin
from aucmax.estimators.cross_fit import ranking_scores
from aucmax.estimators.stack_members import BOOSTING, Member, default_members, fit_member
from aucmax.selection.blending import cross_fitted_scores, fit_blend
from aucmax.selection.splits import Fold, folds_among, make_splits
from aucmax.validation.inputs import LabeledData, check_every_number, check_table, make_rng
from aucmax.validation.params import N_JOBS, Option, check_params


class AUCStackingClassifier(CalibratedMixin, Ranker, TransformerMixin, _BaseComposition):
    """A blend of classifiers: non-negative weights, in closed form, that maximise the AUC of out-of-fold scores.

    Each member scores every row by a model that was not fitted to the row. The scores are standardised, and the
    weights of the blend minimise the squared pairwise loss, shrunk towards equal weights if positives are few
    (docs/stacking.md). A single member is used if it is known to be as good as the blend.

    Parameters
    ----------
    estimators : list of (name, classifier) or None
        The members, as in scikit-learn's `StackingClassifier`; "drop" instead of a classifier leaves it out. If
        members are known to be as good as the blend (within .001 of its AUC, the standard error of the difference
        included), the first of them is used alone. None means a `KernelAUCClassifier` ("kernel"), 150 extra trees
        ("trees"), 100 for large or narrow tables, and, for dense tables of 500 rows or more, histogram boosting
        ("gradient_boosting").
    cv : int or splitter
        Folds of the out-of-fold scores, as in `AUCClassifierCV`. With an integer and without groups, ensembles of
        bootstrap samples use their out-of-bag scores instead (not with weights), estimators of this library their own
        `oof_scores_`, and the default boosting of large tables three folds.
    boosting : {"auto", "histogram", "lightgbm", "none"}
        The default boosting: scikit-learn's, from 500 rows ("auto") or always ("histogram"); LightGBM, which must
        be installed and takes sparse tables; or none.
    decision : {"prior", "probability", "balanced"}
        As in `AUCClassifierCV`.
    n_jobs : int or None
        Number of members that are fitted in parallel.
    random_state : int, RandomState or None
        Random seed of the folds, and of members whose own `random_state` is None.

    Attributes
    ----------
    weights_ : array of shape (m,)
        The weights of the members, which sum to 1.
    estimators_, named_estimators_ : list, Bunch
        The members, fitted to all rows with labels 0 and 1; those whose out-of-bag scores are used, with
        `oob_score=True`.
    intercept_ : float
        Added to the blend, so that zero is where `decision` says.
    blend_ : Blend
        Means, standard deviations and weights of the scores of the members.
    oof_scores_, calibration_, classes_
        As in `AUCClassifierCV`.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> from aucmax import AUCClassifierCV, AUCStackingClassifier
    >>> X, y = make_classification(400, weights=[0.9], random_state=0)
    >>> members = [("linear", AUCClassifierCV()), ("trees", ExtraTreesClassifier(60, bootstrap=True))]
    >>> model = AUCStackingClassifier(members, random_state=0).fit(X, y)
    >>> model.weights_.shape, model.transform(X).shape
    ((2,), (400, 2))
    """

    parameter_constraints: ClassVar = {"boosting": [Option(*BOOSTING)], "n_jobs": N_JOBS}

    def __init__(self, estimators=None, *, cv=5, boosting="auto", decision="prior", n_jobs=None, random_state=None):
        self.estimators = estimators
        self.cv = cv
        self.boosting = boosting
        self.decision = decision
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> AUCStackingClassifier:
        """Fit the members to all rows, and the weights to their out-of-fold scores.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in `AUCClassifierCV.fit`; with weights, all members must support them.
        """
        check_params(self)
        rng = make_rng(self.random_state)
        table = check_table(self, X, y, sample_weight)
        check_every_number(table.X)
        weighted = np.flatnonzero(table.weight > 0)
        rows = table.weighted()
        folds = folds_among(weighted, make_splits(self.cv, *table, groups, rng), table.y.size)
        members = self._members(rows, folds, isinstance(self.cv, Integral) and groups is None, rng)
        tasks = (delayed(fit_member)(member, rows, folds, sample_weight is not None) for member in members)
        fitted, scores = zip(*Parallel(self.n_jobs)(tasks), strict=True)
        self.estimators_ = list(fitted)
        self.named_estimators_ = Bunch(**{member.name: model for member, model in zip(members, fitted, strict=True)})
        self._store_blend(table, weighted, folds, np.column_stack(scores))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        X = self._validate_rows(X, "blend_")
        scores = np.zeros((X.shape[0], len(self.estimators_)))
        for k in np.flatnonzero(self.weights_):
            scores[:, k] = ranking_scores(self.estimators_[k], X)
        return self.blend_(scores) + self.intercept_

    def transform(self, X: Any) -> np.ndarray:
        """Standardised scores of the members, of shape (n, m): times `weights_` plus `intercept_` they are the blend.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        X = self._validate_rows(X, "blend_")
        return self.blend_.standardized(np.column_stack([ranking_scores(model, X) for model in self.estimators_]))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of `transform`, which are the names of the members.

        Parameters
        ----------
        input_features : ignored
            For compatibility with scikit-learn.
        """
        check_is_fitted(self, "blend_")
        return np.array(list(self.named_estimators_), dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, with `deep` also those of the members by name, as in `kernel__n_components`."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> AUCStackingClassifier:
        """Set parameters; a member by its name, and its parameters by names such as `kernel__n_components`."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairs = [item for item in self.estimators or () if isinstance(item, (tuple, list)) and len(item) == 2]
        models = [model for _, model in pairs if _is_estimator(model)]
        tags.input_tags.sparse = all(get_tags(model).input_tags.sparse for model in models)
        return tags

    def _members(
        self, rows: LabeledData, folds: list[Fold], any_split: bool, rng: np.random.Generator
    ) -> list[Member]:
        """The members, with a random seed; `any_split`: the user has not asked for particular folds."""
        if self.estimators is None:
            return default_members(rows, self.boosting, folds, any_split, int(rng.integers(2**31)))
        given = [(name, model) for name, model in self._named_estimators() if model != "drop"]
        if not given:
            raise ValueError("all members are 'drop'; give at least one classifier")
        return [Member(name, _seeded(name, model, rng), any_split) for name, model in given]

    def _named_estimators(self) -> list[tuple[str, Any]]:
        """The validated list of members."""
        try:
            names, _ = zip(*self.estimators, strict=True)
        except (TypeError, ValueError):
            names = (None,)
        if not all(isinstance(name, str) for name in names):
            raise ValueError(f"estimators={self.estimators!r}; give None or a list of (name, classifier)")
        self._validate_names(names)
        return list(self.estimators)

    def _store_blend(self, table: LabeledData, weighted: np.ndarray, folds: list[Fold], scores: np.ndarray) -> None:
        """Store the blend, fitted to the rows that have an out-of-fold score from every member."""
        seen = np.flatnonzero(np.isfinite(scores).all(axis=1))
        index = weighted[seen]
        if np.unique(table.y[index]).size < 2:
            raise ValueError(
                "the rows with out-of-fold scores from all members are not of both classes, so AUC is undefined; use "
                "a cv that tests more rows"
            )
        labeled = scores[seen], table.y[index], table.weight[index]
        self.blend_ = fit_blend(*labeled)
        self.weights_ = self.blend_.weights
        blended = cross_fitted_scores(self.blend_, *labeled, [np.isin(seen, test) for _, test in folds])
        midpoint = _midpoint(blended, *labeled[1:])
        out_of_fold = np.full(table.y.size, np.nan)
        out_of_fold[index] = blended - midpoint
        self.intercept_ = -midpoint - self._calibrate(out_of_fold, table)


def _midpoint(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """Midway between the class means."""
    means = [np.average(scores[rows], weights=weight[rows]) for rows in (y > 0, y < 0)]
    return float(np.mean(means))


def _is_estimator(model: Any) -> bool:
    return hasattr(model, "__sklearn_tags__") and not isinstance(model, type)


def _seeded(name: str, model: Any, rng: np.random.Generator) -> Any:
    """A copy of the member, with a random seed where it has none."""
    if not (_is_estimator(model) and is_classifier(model)):
        raise ValueError(f"member {name!r} is {model!r}; give a classifier with predict_proba or decision_function")
    model = clone(model)
    missing = [key for key, value in model.get_params().items() if key.endswith("random_state") and value is None]
    return model.set_params(**{key: int(rng.integers(2**31)) for key in sorted(missing)})
