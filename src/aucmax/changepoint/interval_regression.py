"""IntervalRegression: a sparse linear model whose predictions should lie within intervals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from aucmax.changepoint.hinges import Hinges
from aucmax.changepoint.lasso import Weights, interval_path, strengths
from aucmax.changepoint.scaling import Scaling, check_features
from aucmax.estimators.fitted_state import resets_fitted_state
from aucmax.numerics.threads import threads_for
from aucmax.validation.inputs import make_rng
from aucmax.validation.params import check_number


class IntervalRegression(BaseEstimator):
    """Linear regression on intervals, with squared hinges and an l1 penalty.

    Minimises mean[h(f - lower) + h(upper - f)] + rho |w|_1 with h(u) = (1 - u)^2 for u < 1, else 0, on columns of
    unit deviation. An infinite limit costs nothing; the intercept is free. Columns that are not finite in all rows,
    or constant, are left out.

    Parameters
    ----------
    rho : float or None
        Strength of the penalty; None chooses the one of least cross-validated loss among 0.001 * 1.2^j.
    cv : int
        Number of folds.
    tol : float
        Certified error of the objective, as a part of its value at zero weights.
    random_state : int, RandomState or None
        Fixes the folds.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        In the units of X.
    intercept_ : float
    rho_, gap_ : float
        The strength, and by how much the objective is at most above its minimum.
    rhos_, cv_loss_ : arrays
        The strengths tried, decreasing, and the mean loss of each on rows left out; if `rho` is None.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3))
    >>> limits = np.column_stack([2 * X[:, 0] - 1, 2 * X[:, 0] + 1])
    >>> limits[::2, 1] = np.inf
    >>> model = IntervalRegression(random_state=0).fit(X, limits)
    >>> model.coef_.round(1), model.predict(X[:2]).shape
    (array([2., 0., 0.]), (2,))
    """

    def __init__(self, rho=None, cv=5, tol=1e-6, random_state=None):
        self.rho = rho
        self.cv = cv
        self.tol = tol
        self.random_state = random_state

    @resets_fitted_state
    def fit(self, X: Any, limits: Any) -> IntervalRegression:
        """Fit to intervals.

        Parameters
        ----------
        X : array of shape (n, n_features)
            May hold NaN and infinity, whose columns are left out.
        limits : array of shape (n, 2)
            Lower and upper limits; -inf and inf where there is none.
        """
        if self.rho is not None:
            check_number("rho", self.rho)
        check_number("tol", self.tol, zero=True)
        X = check_features(self, X, reset=True)
        limits = check_limits(limits, X.shape[0])
        scaling = Scaling.learn(X)
        Z = scaling.apply(X)
        rhos = strengths(Z, limits) if self.rho is None else np.array([self.rho], dtype=float)
        with threads_for(Z.shape[1]):
            if self.rho is None:
                self.rhos_, self.cv_loss_ = rhos, self._cv_loss(X, limits, rhos)
                rhos = rhos[: int(np.argmin(self.cv_loss_)) + 1]
            return self._keep(scaling, interval_path(Z, limits, rhos, self.tol)[-1], float(rhos[-1]))

    def predict(self, X: Any) -> np.ndarray:
        """Predicted values; a cell beyond its column's range in training counts as the end of it, NaN as its mean."""
        check_is_fitted(self, "coef_")
        X = check_features(self, X, reset=False)
        return self._scaling.apply(X) @ self._weights.w + self._weights.constant

    def _cv_loss(self, X: np.ndarray, limits: np.ndarray, rhos: np.ndarray) -> np.ndarray:
        """Mean loss of each strength on the rows left out, all columns scaled on the training rows."""
        total = np.zeros(rhos.size)
        for train, test in _folds(limits, self.cv, make_rng(self.random_state)):
            scaling = Scaling.learn(X[train])
            left_out, hinges = scaling.apply(X[test]), Hinges.of(limits[test])
            found = interval_path(scaling.apply(X[train]), limits[train], rhos, self.tol)
            total += [test.size * hinges.value(left_out @ each.w + each.constant) for each in found]
        return total / X.shape[0]

    def _keep(self, scaling: Scaling, weights: Weights, rho: float) -> IntervalRegression:
        self._scaling, self._weights = scaling, weights
        self.coef_ = np.zeros(self.n_features_in_)
        self.coef_[scaling.column] = weights.w / scaling.deviation
        self.intercept_ = weights.constant - float(scaling.mean @ self.coef_[scaling.column])
        self.rho_, self.gap_ = rho, weights.gap
        if not weights.converged:
            text = f"interval regression stopped at a gap of {weights.gap:.2g}"
            warnings.warn(f"{text}; raise tol or rho", ConvergenceWarning, stacklevel=3)
        return self


def check_limits(limits: Any, n: int) -> np.ndarray:
    """Lower and upper limits, of shape (n, 2)."""
    table = np.asarray(limits, dtype=float)
    if table.shape != (n, 2):
        raise ValueError(f"limits has shape {table.shape}; pass a lower and an upper limit for each of {n} rows")
    is_interval = (table[:, 0] <= table[:, 1]) & (table[:, 0] < np.inf) & (table[:, 1] > -np.inf)
    if not is_interval.all():
        row = int(is_interval.argmin())
        text = f"limits {table[row, 0]:g} .. {table[row, 1]:g} of row {row} are not an interval"
        raise ValueError(f"{text}; put the lower one first, and -inf or inf where there is none")
    if not np.isfinite(table).any():
        raise ValueError("no limit is finite, so that any prediction would do; pass rows with a lower or upper limit")
    return table


def _folds(limits: np.ndarray, cv: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of shuffled folds, without rows that have no limit at all."""
    check_number("cv", cv, whole=True)
    informed = np.flatnonzero(np.isfinite(limits).any(axis=1))
    if not 2 <= cv <= informed.size:
        raise ValueError(f"cv={cv}, but {informed.size} rows have a limit; give 2 folds or more, and a row for each")
    splits = KFold(cv, shuffle=True, random_state=int(rng.integers(2**31 - 1))).split(informed)
    return [(informed[train], informed[test]) for train, test in splits]
