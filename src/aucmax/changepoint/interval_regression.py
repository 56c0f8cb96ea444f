"""IntervalRegression: a sparse linear model whose predictions should lie within intervals."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from aucmax.changepoint.feature_scaling import FeatureScaling, check_features
from aucmax.changepoint.interval_loss import IntervalLoss
from aucmax.changepoint.interval_path import IntervalFit, alpha_grid, interval_regression_path
from aucmax.numerics.threads import threads_for
from aucmax.validation.inputs import make_rng
from aucmax.validation.params import Integer, Number, Option, check_params


class IntervalRegression(BaseEstimator):
    """Linear regression on intervals, with squared hinges and an l1 penalty.

    Minimises mean[h(f - lower) + h(upper - f)] + alpha |w|_1 with h(u) = (1 - u)^2 for u < 1, else 0, on columns of
    unit standard deviation. An infinite limit has no cost; the intercept is not penalised. Columns that are constant,
    or not finite in all rows, are ignored.

    Parameters
    ----------
    alpha : float or "auto"
        Strength of the penalty; "auto" chooses the value with the lowest cross-validated loss among 0.001 * 1.2^j.
    cv : int
        Number of folds.
    tol : float
        Certified error of the objective, as a fraction of its value at zero weights.
    random_state : int, RandomState or None
        Random seed of the folds.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        In the units of X.
    intercept_ : float
    alpha_, gap_ : float
        The strength of the penalty, and an upper bound on the objective minus its minimum.
    alphas_, cv_loss_ : arrays
        The strengths tried, decreasing, and the mean cross-validated loss of each; if `alpha` is "auto".

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

    parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Option("auto"), Number(0, open="low")],
        "cv": [Integer(2)],
        "tol": [Number(0)],
    }

    def __init__(self, alpha="auto", cv=5, tol=1e-6, random_state=None):
        self.alpha = alpha
        self.cv = cv
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, limits: Any) -> IntervalRegression:
        """Fit to intervals.

        Parameters
        ----------
        X : array of shape (n, n_features)
            Columns with NaN or infinity are ignored.
        limits : array of shape (n, 2)
            Lower and upper limits; -inf and inf where there is none.
        """
        check_params(self)
        X = check_features(self, X, reset=True)
        limits = check_limits(limits, X.shape[0])
        scaling = FeatureScaling.fit(X)
        Z = scaling.transform(X)
        is_auto = isinstance(self.alpha, str)
        alphas = alpha_grid(Z, limits) if is_auto else np.array([self.alpha], dtype=float)
        with threads_for(Z.shape[1]):
            if is_auto:
                self.alphas_ = alphas
                self.cv_loss_ = self._cv_loss(X, limits, alphas)
                alphas = alphas[: int(np.argmin(self.cv_loss_)) + 1]
            return self._store(scaling, interval_regression_path(Z, limits, alphas, self.tol)[-1], float(alphas[-1]))

    def predict(self, X: Any) -> np.ndarray:
        """Predicted values; each column is clipped to its range in training, and NaN replaced by its mean.

        Parameters
        ----------
        X : array of shape (n, d)
        """
        check_is_fitted(self, "coef_")
        X = check_features(self, X, reset=False)
        return self._scaling.transform(X) @ self._solution.w + self._solution.constant

    def _cv_loss(self, X: np.ndarray, limits: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """Mean loss of each alpha on the test rows, all columns scaled on the training rows."""
        total = np.zeros(alphas.size)
        for train, test in _folds(limits, self.cv, make_rng(self.random_state)):
            scaling = FeatureScaling.fit(X[train])
            Z_test = scaling.transform(X[test])
            loss = IntervalLoss.of(limits[test])
            fits = interval_regression_path(scaling.transform(X[train]), limits[train], alphas, self.tol)
            total += [test.size * loss.value(Z_test @ fit.w + fit.constant) for fit in fits]
        return total / X.shape[0]

    def _store(self, scaling: FeatureScaling, fit: IntervalFit, alpha: float) -> IntervalRegression:
        self._scaling = scaling
        self._solution = fit
        self.coef_, self.intercept_ = scaling.unscale(fit.w, fit.constant, self.n_features_in_)
        self.alpha_ = alpha
        self.gap_ = fit.gap
        if not fit.converged:
            text = f"interval regression stopped at a gap of {fit.gap:.2g}"
            warnings.warn(f"{text}; raise tol or alpha", ConvergenceWarning, stacklevel=3)
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
        raise ValueError("no limit is finite, so that any prediction fits; pass rows with a lower or upper limit")
    return table


def _folds(limits: np.ndarray, cv: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of shuffled folds, without rows that have no limit at all."""
    informative = np.flatnonzero(np.isfinite(limits).any(axis=1))
    if cv > informative.size:
        raise ValueError(f"cv={cv}, but only {informative.size} rows have a limit; pass more rows, or fewer folds")
    splits = KFold(cv, shuffle=True, random_state=int(rng.integers(2**31 - 1))).split(informative)
    return [(informative[train], informative[test]) for train, test in splits]
