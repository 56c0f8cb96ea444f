"""PenaltyRegressor: from features of a sequence to its log penalty, learned from label errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from aucmax.aum import Descent, best_intercept, descend
from aucmax.changepoint.feature_scaling import FeatureScaling, check_features
from aucmax.changepoint.interval_regression import IntervalRegression
from aucmax.changepoint.penalty_table import PenaltyTable
from aucmax.validation.inputs import make_rng
from aucmax.validation.params import InstanceOf, Integer, Number, Option, check_params

MAX_DRAWS = 100  # random splits, until both parts have errors of both kinds


class PenaltyRegressor(BaseEstimator):
    """Linear model of the log penalty, first by interval regression, then by descent on AUM.

    Interval regression on the target intervals of a part of the sequences gives the start. Descent on AUM of that
    part follows, and the AUC of the held-out sequences determines the best number of steps, which may be zero. Both
    are then repeated on all sequences with that number of steps. Finally the intercept is set to minimise the number
    of errors.

    Parameters
    ----------
    model : {"aum", "interval", "constant"}
        All of the above; interval regression alone; or the same penalty for all sequences, that of fewest errors.
    descent : Descent or None
        Settings of the descent (see `aucmax.aum.Descent`).
    validation_fraction : float
        Fraction of the sequences that is held out to choose the number of steps.
    cv : int
        Number of folds by which interval regression chooses the strength of its penalty.
    random_state : int, RandomState or None
        Random seed of the split and the folds.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        In the units of X; zero for columns that are constant, or not finite in all rows.
    intercept_ : float
    alpha_ : float
        Strength of the penalty of interval regression.
    n_iter_ : int
        Number of steps of descent on AUM.
    trace_ : Trace
        Of the descent that determined this number.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, sequence = rng.normal(size=(40, 2)), np.repeat(np.arange(40), 2)
    >>> even = np.arange(40) % 2 == 0  # need a penalty above 3 x - 1, the others one below 3 x + 1
    >>> switch = np.column_stack([np.full(40, -np.inf), 3 * X[:, 0] + np.where(even, -1, 1)])
    >>> fp, fn = np.outer(even, [1, 0]), np.outer(~even, [0, 1])
    >>> table = PenaltyTable.from_rows(sequence, *(part.ravel() for part in (switch, fp, fn)), np.ones(40))
    >>> PenaltyRegressor(random_state=0).fit(X, table).score(X, table)
    1.0
    >>> PenaltyRegressor("constant").fit(X, table).score(X, table) < 0.8
    True
    """

    parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "model": [Option("aum", "interval", "constant")],
        "descent": [None, InstanceOf(Descent, "a Descent")],
        "validation_fraction": [Number(0, 1, open="both")],
        "cv": [Integer(2)],
    }

    def __init__(self, model="aum", descent=None, validation_fraction=0.25, cv=5, random_state=None):
        self.model = model
        self.descent = descent
        self.validation_fraction = validation_fraction
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, table: PenaltyTable) -> PenaltyRegressor:
        """Fit to features and errors.

        Parameters
        ----------
        X : array of shape (n, n_features)
            Columns with NaN or infinity are ignored.
        table : PenaltyTable
            Of the same n sequences.
        """
        check_params(self)
        X = check_features(self, X, reset=True)
        _check_rows(X, table)
        _check_errors(table)
        labelled = np.flatnonzero(table.n_labels > 0)
        self._scaling = FeatureScaling.fit(X[labelled])
        self._w = np.zeros(self._scaling.columns.size)
        self.n_iter_ = 0
        Z = self._scaling.transform(X[labelled])
        known = table.subset(labelled)
        if self.model != "constant":
            self._fit_weights(Z, known, int(make_rng(self.random_state).integers(2**31 - 1)))
        if self.model != "interval":
            self._constant = -best_intercept(known.error_functions(), -(Z @ self._w))
        self.coef_, self.intercept_ = self._scaling.unscale(self._w, self._constant, self.n_features_in_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Log penalties; each column of X is clipped to its range in training, and NaN replaced by its mean.

        Parameters
        ----------
        X : array of shape (n, d)
        """
        check_is_fitted(self, "coef_")
        return self._scaling.transform(check_features(self, X, reset=False)) @ self._w + self._constant

    def score(self, X: Any, table: PenaltyTable) -> float:
        """The fraction of all labels that the predicted penalties satisfy.

        Parameters
        ----------
        X : array of shape (n, d)
        table : PenaltyTable
            Errors of the sequences by log penalty.
        """
        pred = self.predict(X)
        _check_rows(pred, table)
        return 1.0 - float(table.errors_at(pred).sum() / table.n_labels.sum())

    def _fit_weights(self, Z: np.ndarray, table: PenaltyTable, seed: int) -> None:
        """Weights by interval regression on all rows and, for model "aum", the best number of steps of descent."""
        settings = Descent() if self.descent is None else self.descent
        if self.model == "aum":
            self.n_iter_ = self._best_n_epochs(Z, table, settings, seed)
        first = self._interval_regression(Z, table, seed)
        self._w = first.coef_
        self._constant = first.intercept_
        self.alpha_ = first.alpha_
        if self.n_iter_ > 0:
            again = replace(settings, max_epochs=self.n_iter_, tol=0.0)
            self._w = -descend(table.error_functions(), Z, -first.coef_, settings=again).coef

    def _best_n_epochs(self, Z: np.ndarray, table: PenaltyTable, settings: Descent, seed: int) -> int:
        """The number of steps of a descent on one part of the rows with the best AUC on the other part."""
        subtrain, held_out = _split(table, self.validation_fraction, np.random.default_rng(seed))
        first = self._interval_regression(Z[subtrain], table.subset(subtrain), seed)
        validation = table.subset(held_out).error_functions(), Z[held_out]
        found = descend(table.subset(subtrain).error_functions(), Z[subtrain], -first.coef_, validation, settings)
        self.trace_ = found.trace
        return found.best_epoch

    def _interval_regression(self, Z: np.ndarray, table: PenaltyTable, seed: int) -> IntervalRegression:
        return IntervalRegression(cv=self.cv, random_state=seed).fit(Z, table.target_intervals())


def _check_rows(X: np.ndarray, table: PenaltyTable) -> None:
    if not isinstance(table, PenaltyTable):
        raise ValueError(f"table is a {type(table).__name__}; pass a PenaltyTable, as made by PenaltyTable.from_rows")
    if X.shape[0] != len(table):
        raise ValueError(f"X has {X.shape[0]} rows, but the table {len(table)} sequences; they must be the same")
    if not table.n_labels.sum() > 0:
        raise ValueError("no sequence has a label; labels are needed for fitting and for scoring")


def _check_errors(table: PenaltyTable) -> None:
    """Both very small and very large penalties must violate some label."""
    for has_errors, what, kind in zip(_errors_at_ends(table), ("small", "large"), ("0changes", "1change")):
        if not has_errors.any():
            text = f"no label is violated by a very {what} penalty, so that it would always be the best"
            raise ValueError(f"{text}; add labels such as {kind!r}")


def _errors_at_ends(table: PenaltyTable) -> tuple[np.ndarray, np.ndarray]:
    """Which sequences have false positives at penalty zero, and which have false negatives at an infinite one."""
    first, last = table.starts[:-1], table.starts[1:] - 1
    return table.fp[first] > table.fp[last], table.fn[last] > table.fn[first]


def _split(table: PenaltyTable, fraction: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sequences for subtraining and to hold out, both with false positives and with false negatives."""
    fp, fn = _errors_at_ends(table)
    count = min(max(round(fraction * len(table)), 1), len(table) - 1)
    for _ in range(MAX_DRAWS):
        order = rng.permutation(len(table))
        parts = order[count:], order[:count]
        if all(fp[part].any() and fn[part].any() for part in parts):
            return parts
    text = f"of {len(table)} sequences {fp.sum()} can have false positives and {fn.sum()} false negatives"
    raise ValueError(f"{text}: too few to hold out some of each; label more sequences, or use model='interval'")
