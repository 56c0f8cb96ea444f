"""What the estimators share: validating input, predicting labels from scores, storing a solution."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from aucmax.estimators.class_weight import intercept_shift
from aucmax.estimators.fitted_state import reads_one_state
from aucmax.numerics.matrix import dot
from aucmax.problem.data import Data
from aucmax.problem.solution import Solution
from aucmax.solvers.base import Solver
from aucmax.solvers.registry import divergence_error
from aucmax.validation.caller import warn_caller
from aucmax.validation.inputs import check_rows


def predicted_labels(scores: np.ndarray, classes: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """The positive label where the score is at least the threshold or, without a threshold, above 0."""
    positive = scores > 0 if threshold is None else scores >= threshold
    return classes[positive.astype(int)]


class Ranker(ClassifierMixin, BaseEstimator):
    """A binary classifier that ranks: labels follow from the scores of `decision_function`."""

    decision_function: Any

    @reads_one_state
    def predict(self, X: Any) -> np.ndarray:
        """Predict the positive label where the score is above 0.

        Zero lies midway between the class means of the scores (`AUCClassifier`), where the calibrated probability is
        1/2 (estimators with `predict_proba`), or where training errors are fewest (`AUMClassifier`). For another
        trade-off, compare the scores with a threshold of your own, such as `threshold_at(fpr=0.01)`.
        """
        scores = self.decision_function(X)
        return predicted_labels(scores, self.classes_)

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
        """Score every row; larger means more likely positive."""
        X = self._validate_rows(X, "coef_")
        return dot(X, self.coef_[0]) + self.intercept_[0]

    def _store_weights(self, data: Data, coef: np.ndarray, class_weight: Any = None) -> None:
        """Store weights in the units of X, and the intercept that puts zero midway between the class means."""
        w = coef / data.scale
        midpoint = data.midpoint(w)
        shift = 0.0 if class_weight is None else intercept_shift(data, coef, class_weight, self.classes_)
        self.coef_ = w[None, :]
        self.intercept_ = np.array([shift - midpoint])
