"""What estimators share: validated input, labels from scores, storing a solution."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from aucmax.estimators.class_weight import class_costs
from aucmax.losses.squared import within_product
from aucmax.numerics.matrix import dot
from aucmax.problem.data import Data
from aucmax.problem.solution import Solution
from aucmax.validation.inputs import LabeledData, check_table


class Ranker(ClassifierMixin, BaseEstimator):
    """What all estimators share: the door, and labels from scores."""

    decision_function: Any

    def predict(self, X: Any) -> np.ndarray:
        """The positive label where the score is above zero."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    def _check(self, X: Any, y: Any, sample_weight: Any) -> LabeledData:
        """Check a table, and keep its classes."""
        table, self.classes_ = check_table(self, X, y, sample_weight)
        return table


class LinearRanker(Ranker):
    """What all linear estimators share: scores from weights in the user's units."""

    def decision_function(self, X: Any) -> np.ndarray:
        """Score every row; larger means more likely positive."""
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return dot(X, self.coef_[0]) + self.intercept_[0]

    def _keep_weights(self, data: Data, coef: np.ndarray, class_weight: Any) -> None:
        """Weights in the user's units, and the intercept that puts zero midway between the class means."""
        w = coef / data.scale
        self.coef_ = w[None, :]
        self.intercept_ = np.array([-(data.raw_means @ w).mean() + _shift(data, coef, class_weight, self.classes_)])


def warn_not_converged(name: str, solution: Solution, tol: float) -> None:
    """Say how far the run got and what to do."""
    warnings.warn(
        f"solver {name!r} stopped after {solution.n_epochs} epochs at a gap of {solution.gap:.1e}, above tol = "
        f"{tol:.0e} times the objective {solution.objective:.6g}; raise alpha, use standardize=True, or, where a "
        "solver can be chosen, pass one with larger max_epochs or tol",
        ConvergenceWarning,
        stacklevel=3,
    )


def _shift(data: Data, coef: np.ndarray, class_weight: Any, classes: np.ndarray) -> float:
    """Move of the intercept for class costs: sigma^2/(a - b) log(cost+/cost-), as in a linear discriminant."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return 0.0
    negative, positive = class_costs(class_weight, classes)
    variance = float(coef @ within_product(data, coef)) / 2
    distance = float(coef @ data.delta)
    return np.log(positive / negative) * variance / distance if distance > 0 else 0.0
