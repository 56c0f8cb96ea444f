"""What the estimators share: validating input, predicting labels from scores, where zero is, storing a solution.

`predict` returns the positive label where the score is above zero. The parameter `decision` says where zero is
(docs/predictions.md); an estimator accepts those that it can compute, and the default of all is "prior":

    "prior"          as many rows are predicted positive as are positive in training, by weight
    "probability"    where the calibrated probability is 1/2
    "balanced"       midway between the class means of the scores, as if the classes were equally frequent
    "errors"         where the (weighted) training errors are fewest
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.decision import predicted_labels
from aucmax.estimators.fitted_state import reads_one_state, without_feature_names
from aucmax.explanation import Explanation, FeatureModel, LinearFit, explain_features
from aucmax.numerics.linear_scores import linear_scores
from aucmax.problem.data import Data
from aucmax.problem.solution import Solution
from aucmax.solvers.base import Solver
from aucmax.solvers.registry import divergence_error
from aucmax.validation.caller import warn_caller
from aucmax.validation.inputs import check_labels_and_weights, check_rows


class Ranker(ClassifierMixin, BaseEstimator):
    """A binary classifier that ranks: labels follow from the scores of `decision_function`."""

    decision_function: Any

    @reads_one_state
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
        plain = without_feature_names(self)
        rows = check_rows(self, X)
        labels = [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]
        model = FeatureModel(
            plain.decision_function,
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
                "standardize=True or, where a solver can be chosen, pass one with a larger max_epochs or tol"
                + solver.remedy,
                ConvergenceWarning,
            )


class LinearRanker(Ranker):
    """A ranker whose scores are linear in the columns, with weights in the units of X."""

    @reads_one_state
    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
        """
        X = self._validate_rows(X, "coef_")
        return linear_scores(X, self.coef_[0]) + self.intercept_[0]

    def _linear_fit(self) -> LinearFit:
        names = ("alpha", "l1_ratio", "loss", "standardize")
        facts = {name: getattr(self, f"{name}_", getattr(self, name, None)) for name in names}
        return LinearFit.of(self.coef_[0], float(self.intercept_[0]), facts)

    def _store_weights(self, data: Data, coef: np.ndarray) -> None:
        """Store weights in the units of X, and the intercept that puts zero midway between the class means."""
        w = coef / data.scale
        self.coef_ = w[None, :]
        self.intercept_ = np.array([-data.midpoint(w)])


def prior_cut(scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """The cut that the scores of about as much weight exceed as the positives have; midway between two scores.

    Rows with equal scores stay together: of all cuts, the one whose weight is nearest to that of the positives.

    Examples
    --------
    >>> prior_cut(np.array([0.0, 1.0, 2.0, 4.0]), np.array([-1, 1, -1, -1]), np.ones(4))
    3.0
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    above = np.concatenate([[0.0], np.cumsum(weight[order])])
    padding = (ranked[0] - ranked[-1]) / ranked.size or 1.0
    bounds = np.concatenate([[ranked[0] + 2 * padding], ranked, [ranked[-1] - 2 * padding]])
    middle = bounds[1:] + 0.5 * (bounds[:-1] - bounds[1:])
    divides = (bounds[:-1] > bounds[1:]) & (middle < bounds[:-1])
    distance = np.where(divides, np.abs(above - weight[y > 0].sum()), np.inf)
    return float(middle[np.argmin(distance)])
