"""PenaltyRegressor: from features of a sequence to its log penalty, learned from label errors."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from aucmax.aum import Descent, descend
from aucmax.aum.intercept import best_intercept
from aucmax.changepoint.interval_regression import IntervalRegression
from aucmax.changepoint.penalty_table import PenaltyTable
from aucmax.changepoint.scaling import Scaling, check_features
from aucmax.estimators.fitted_state import resets_fitted_state
from aucmax.validation.inputs import make_rng

MODELS = ("aum", "interval", "constant")
DRAWS = 100  # of parts, until both hold errors of both kinds


class PenaltyRegressor(BaseEstimator):
    """Linear model of the log penalty, first by interval regression, then by descent on AUM.

    Interval regression on the target intervals of a part of the sequences gives the start. Descent on AUM of that
    part follows, and the AUC of the sequences held out tells how many steps are best: if none, all stays as it was.
    Both are then done on all sequences, with so many steps. At last the intercept is set to where the number of
    errors is least.

    Parameters
    ----------
    model : {"aum", "interval", "constant"}
        All of the above; interval regression alone; or the same penalty for all sequences, that of fewest errors.
    descent : Descent or None
        Settings of the descent (see `aucmax.aum.Descent`). `step_from` and `patience` hold while the number of steps
        is chosen; the steps on all sequences, of which none are held out, are those of `step_from="aum"`.
    validation : float
        Part of the sequences that is held out to choose the number of steps.
    cv : int
        Number of folds by which interval regression chooses its strength.
    random_state : int, RandomState or None
        Fixes the parts and the folds.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        In the units of X; zero for columns that are not finite in all rows, or constant.
    intercept_ : float
    rho_ : float
        Strength of interval regression.
    n_steps_ : int
        Steps of AUM descent taken.
    trace_ : Trace
        Of the descent that chose their number.

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

    def __init__(self, model="aum", descent=None, validation=0.25, cv=5, random_state=None):
        self.model = model
        self.descent = descent
        self.validation = validation
        self.cv = cv
        self.random_state = random_state

    @resets_fitted_state
    def fit(self, X: Any, table: PenaltyTable) -> PenaltyRegressor:
        """Learn from features and errors.

        Parameters
        ----------
        X : array of shape (n, n_features)
            May hold NaN and infinity, whose columns are left out.
        table : PenaltyTable
            Of the same n sequences.
        """
        if self.model not in MODELS:
            raise ValueError(f"unknown model {self.model!r}; choose one of {list(MODELS)}")
        if not (isinstance(self.validation, Real) and 0.0 < float(self.validation) < 1.0):
            raise ValueError(f"validation={self.validation!r}; give a part between 0 and 1")
        if not (self.descent is None or isinstance(self.descent, Descent)):
            raise ValueError(f"descent={self.descent!r}; pass a Descent, or None for the default settings")
        X = check_features(self, X, reset=True)
        _check_rows(X, table)
        _check_errors(table)
        labelled = np.flatnonzero(table.n_labels > 0)
        self._scaling = Scaling.learn(X[labelled])
        self._w, self.n_steps_ = np.zeros(self._scaling.column.size), 0
        Z, known = self._scaling.apply(X[labelled]), table.some(labelled)
        if self.model != "constant":
            self._learn(Z, known, int(make_rng(self.random_state).integers(2**31 - 1)))
        if self.model != "interval":
            self._constant = -best_intercept(known.errors(), -(Z @ self._w))
        return self._keep()

    def predict(self, X: Any) -> np.ndarray:
        """Log penalties; a cell beyond its column's range in training counts as the end of it, NaN as its mean."""
        check_is_fitted(self, "coef_")
        return self._scaling.apply(check_features(self, X, reset=False)) @ self._w + self._constant

    def score(self, X: Any, table: PenaltyTable) -> float:
        """The part of all labels that the predicted penalties get right."""
        pred = self.predict(X)
        _check_rows(pred, table)
        return 1.0 - float(table.errors_at(pred).sum() / table.n_labels.sum())

    def _learn(self, Z: np.ndarray, table: PenaltyTable, seed: int) -> None:
        """Weights by interval regression on all rows and, if wished, the steps that were best for a part of them."""
        settings = Descent() if self.descent is None else self.descent
        if self.model == "aum":
            self.n_steps_ = self._best_steps(Z, table, settings, seed)
        first = self._interval(Z, table, seed)
        self._w, self._constant, self.rho_ = first.coef_, first.intercept_, first.rho_
        if self.n_steps_ > 0:
            again = replace(settings, max_steps=self.n_steps_, tol=0.0, patience=None, step_from="aum")
            self._w = -descend(table.errors(), Z, -first.coef_, settings=again).w

    def _best_steps(self, Z: np.ndarray, table: PenaltyTable, settings: Descent, seed: int) -> int:
        """How many steps of a descent on one part of the rows are best for the AUC of the other."""
        part, held_out = _split(table, self.validation, np.random.default_rng(seed))
        first = self._interval(Z[part], table.some(part), seed)
        validation = table.some(held_out).errors(), Z[held_out]
        found = descend(table.some(part).errors(), Z[part], -first.coef_, validation, settings)
        self.trace_ = found.trace
        return found.best

    def _interval(self, Z: np.ndarray, table: PenaltyTable, seed: int) -> IntervalRegression:
        return IntervalRegression(cv=self.cv, random_state=seed).fit(Z, table.targets())

    def _keep(self) -> PenaltyRegressor:
        """Weights in the units of X."""
        scaling = self._scaling
        self.coef_ = np.zeros(self.n_features_in_)
        self.coef_[scaling.column] = self._w / scaling.deviation
        self.intercept_ = self._constant - float(scaling.mean @ self.coef_[scaling.column])
        return self


def _check_rows(X: np.ndarray, table: PenaltyTable) -> None:
    if not isinstance(table, PenaltyTable):
        raise ValueError(f"table is a {type(table).__name__}; pass a PenaltyTable, as made by PenaltyTable.from_rows")
    if X.shape[0] != len(table):
        raise ValueError(f"X has {X.shape[0]} rows, but the table {len(table)} sequences; they must be the same")
    if not table.n_labels.sum() > 0:
        raise ValueError("no sequence has a label; nothing can be learned or judged without")


def _check_errors(table: PenaltyTable) -> None:
    """Small penalties must be wrong somewhere, and large ones too."""
    for is_wrong, what, kinds in zip(_wrong_at_ends(table), ("small", "large"), ("0changes", "1change")):
        if not is_wrong.any():
            text = f"no label is violated by a very {what} penalty, so that it would always be the best"
            raise ValueError(f"{text}; add labels such as {kinds!r}")


def _wrong_at_ends(table: PenaltyTable) -> tuple[np.ndarray, np.ndarray]:
    """Which sequences have false positives at penalty zero, and which have false negatives at an infinite one."""
    first, last = table.starts[:-1], table.starts[1:] - 1
    return table.fp[first] > table.fp[last], table.fn[last] > table.fn[first]


def _split(table: PenaltyTable, part: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sequences to learn from and to hold out, both with false positives and with false negatives."""
    fp, fn = _wrong_at_ends(table)
    count = min(max(round(part * len(table)), 1), len(table) - 1)
    for _ in range(DRAWS):
        order = rng.permutation(len(table))
        parts = order[count:], order[:count]
        if all(fp[each].any() and fn[each].any() for each in parts):
            return parts
    text = f"of {len(table)} sequences {fp.sum()} can have false positives and {fn.sum()} false negatives"
    raise ValueError(f"{text}: too few to hold some of each out; label more sequences, or use model='interval'")
