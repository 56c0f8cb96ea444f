"""What the estimators share: predicting labels, explaining, scoring by AUC, storing a solution."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.decision import predicted_labels
from aucmax.explanation import Explanation, FeatureModel, LinearFit, explain_features
from aucmax.metrics.auc import roc_auc
from aucmax.numerics.matrix import linear_scores
from aucmax.problem.data import Data
from aucmax.problem.solution import Solution
from aucmax.solvers.base import Solver
from aucmax.solvers.registry import divergence_error
from aucmax.validation.inputs import check_labels_and_weights, check_rows
from aucmax.validation.messages import warn_caller


class Ranker(ClassifierMixin, BaseEstimator):
    """A binary classifier that ranks: labels follow from the scores of `decision_function`."""

    decision_function: Any

    def predict(self, X: Any) -> np.ndarray:
        """Predict the positive label where the score is above 0.

        By default as many training rows are predicted positive as are positive, by weight; the parameter `decision`
        of most estimators puts zero elsewhere (docs/predictions.md). For another trade-off, compare the scores with
        a threshold of your own, such as `threshold_at(fpr=0.01)`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        scores = self.decision_function(X)
        return predicted_labels(scores, self.classes_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The AUC of the scores of `decision_function`, not the accuracy of `predict`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        y : array of shape (n,)
            Labels, of both classes.
        sample_weight : array of shape (n,), optional
        """
        scores = self.decision_function(X)
        return roc_auc(y, scores, sample_weight=sample_weight, pos_label=self.classes_[1])

    def explain(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, n_repeats: int = 10, random_state: int = 0
    ) -> Explanation:
        """Which columns matter to the model, and what each adds to the score of a row.

        Parameters
        ----------
        X : table
            Rows in the form that `decision_function` takes; the training rows for standard errors of the weights.
        y : array of labels, optional
            Required for models that are not linear, and for standard errors.
        sample_weight : array, optional
        n_repeats : int
            How often each column is shuffled, if the model is not linear.
        random_state : int
            Random seed of the shuffling.

        Returns
        -------
        Explanation
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        rows = check_rows(self, X)
        labels = [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]
        model = FeatureModel(
            without_feature_names(self).decision_function,
            partial(check_rows, self),
            {name: [j] for j, name in enumerate(labels)},
            labels,
            self._linear_fit(),
        )
        y, weight = check_labels_and_weights(y, sample_weight, self.classes_, rows.shape[0])
        return explain_features(model, rows, y, weight, n_repeats=n_repeats, seed=random_state)

    def _linear_fit(self) -> LinearFit | None:
        """The weights, if the model is linear."""
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def _validate_rows(self, X: Any, fitted: str) -> Any:
        """Check that the attribute `fitted` is set, and validate rows to score."""
        check_is_fitted(self, fitted)
        return check_rows(self, X)

    def _store_solution(self, solution: Solution, solver: Solver, alpha: float) -> None:
        """Store the outcome of a run; reject non-finite weights, and warn if the solver did not converge."""
        if not np.isfinite(solution.coef).all():
            raise divergence_error(solver)
        self.alpha_ = alpha
        self.solver_ = solver.name
        self.objective_ = solution.objective
        self.gap_ = solution.gap
        self.n_iter_ = solution.n_epochs
        self.trace_ = solution.trace
        if not solution.converged:
            warn_caller(
                f"solver {self.solver_!r} stopped after {self.n_iter_} epochs at a gap of {self.gap_:.1e}, above "
                f"tol={solver.tol:.0e} times the objective {self.objective_:.6g}; increase alpha, use "
                "standardize=True or, where a solver can be chosen, pass one with a larger max_epochs or tol",
                ConvergenceWarning,
            )


class LinearModel(NamedTuple):
    """Weights in the units of X, and the intercept."""

    w: np.ndarray
    intercept: float

    @classmethod
    def of(cls, data: Data, coef: np.ndarray) -> LinearModel:
        """The model of weights in scaled units, with zero midway between the class means."""
        w = coef / data.scale
        return cls(w, -float(data.midpoint(w)))


class LinearRanker(Ranker):
    """A ranker whose scores are linear in the columns.

    Weights and intercept are one immutable record, which a fit or a batch replaces in a single assignment: a thread
    that scores rows meanwhile uses the old model or the new one, never the weights of one and the intercept of the
    other.
    """

    _linear: LinearModel

    @property
    def coef_(self) -> np.ndarray:
        """Weights in the units of X, of shape (1, n_features)."""
        return self._linear.w[None, :]

    @property
    def intercept_(self) -> np.ndarray:
        """The intercept, of shape (1,)."""
        return np.array([self._linear.intercept])

    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        X = self._validate_rows(X, "_linear")
        w, intercept = self._linear
        return linear_scores(X, w) + intercept

    def _linear_fit(self) -> LinearFit:
        names = ("alpha", "l1_ratio", "loss", "standardize")
        facts = {name: getattr(self, f"{name}_", getattr(self, name, None)) for name in names}
        return LinearFit.of(*self._linear, facts)


def without_feature_names(estimator: Any) -> Any:
    """The same fitted estimator, which scores arrays without a warning about the names of their columns."""
    other = copy(estimator)
    vars(other).pop("feature_names_in_", None)
    return other
