"""AUMClassifier: a linear ranking by descent on AUM, and the intercept of fewest errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite

from aucmax.aum import Descent, ErrorFunctions
from aucmax.aum.descent.examples import Examples
from aucmax.aum.descent.loop import Callback, run
from aucmax.aum.intercept import best_intercept
from aucmax.estimators.base import LinearRanker
from aucmax.estimators.class_weight import class_costs
from aucmax.estimators.fitted_state import resets_fitted_state
from aucmax.numerics.matrix import dot
from aucmax.problem.data import Data
from aucmax.problem.penalties import ElasticNet
from aucmax.solvers.aum import AUM, rate_costs, squared_start
from aucmax.validation.inputs import LabeledData, check_validation, make_rng
from aucmax.validation.params import check_number

STARTS = ("exact", "random")


class AUMClassifier(LinearRanker):
    """Linear ranking by descent on AUM, the area under the minimum of false positives and false negatives.

    AUM is low where AUC is high, and has a gradient. It is not AUC: on some tables its minimum ranks worse than the
    squared loss does, which is where the descent starts. A part of the rows is therefore kept aside, and of all steps
    that of the best AUC there is taken; the start is among them.

    Parameters
    ----------
    line_search : {"first_min", "linear", "all", "grid", "constant"}
        How far to go along minus the gradient: to the first minimum of AUM, found exactly; to the lowest AUM of the
        first n crossings of thresholds, or of all; to the best of the steps 10^-9 .. 10^9; or always by `eta`.
    step_from : {"aum", "validation_auc"}
        Search for low AUM, or for high AUC on the rows kept aside.
    eta : float
        The constant step.
    alpha : float
        Strength of the penalty alpha/2 |w|^2; AUM counts divided by the number of rows of the rarer class.
    gauge : {"auto", "contrast", "length", "none"}
        AUM shrinks with the weights, so something has to be kept: the distance of the class means of the scores
        ("auto" and "contrast"), or the length of the weights, which is what was published and ranks worse.
    max_steps : int
        Steps after which to stop in any case.
    tol : float
        Stop when a step lowers the objective by less than this part of it.
    validation_fraction : float or None
        Part of each class that is kept aside. None keeps none; then the weights of the lowest objective are taken.
    patience : int or None
        Stop after so many steps without a better AUC on the rows kept aside.
    start : {"exact", "random"}
        The minimiser of the squared loss, or normal random numbers.
    standardize : bool
        Divide the columns by their class-pooled standard deviation first. `coef_` is in the units of X anyway.
    class_weight : dict, "balanced" or None
        Cost of an error on each class, in AUM and for the intercept; "balanced" makes counts into rates.
    random_state : int, RandomState or None
        Fixes the rows kept aside, and a random start.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
        The constant of fewest errors (by weight) on all rows, to call all or none positive being among the choices.
    classes_ : array of the two labels; the second is the positive one
    n_iter_ : int
        Steps taken.
    best_step_ : int
        The step whose weights were taken; 0 is the start.
    trace_ : Trace
        A `StepRecord` of the start and of every step: step size, AUM, objective, AUC, validation AUC.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUMClassifier(random_state=0).fit(X, y)
    >>> bool(model.trace_["validation_auc"].max() == model.trace_["validation_auc"][model.best_step_])
    True
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        line_search="first_min",
        step_from="aum",
        eta=1.0,
        alpha=0.0,
        gauge="auto",
        max_steps=200,
        tol=1e-5,
        validation_fraction=0.2,
        patience=None,
        start="exact",
        standardize=True,
        class_weight=None,
        random_state=None,
    ):
        self.line_search = line_search
        self.step_from = step_from
        self.eta = eta
        self.alpha = alpha
        self.gauge = gauge
        self.max_steps = max_steps
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.start = start
        self.standardize = standardize
        self.class_weight = class_weight
        self.random_state = random_state

    @resets_fitted_state
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, validation: Any = None, callback: Callback | None = None
    ) -> AUMClassifier:
        """Fit to a table and its labels.

        Parameters
        ----------
        X : table of shape (n, d)
            NumPy array, SciPy sparse matrix or array, pandas, polars or Arrow table.
        y : array of two distinct labels
        sample_weight : array of non-negative numbers, optional
            A weight of k equals k copies of the row if none are kept aside (`validation_fraction=None`, or
            `validation` given); else rows are drawn, each with its weight, where copies would be drawn one by one.
        validation : (X, y), optional
            A validation set; then no rows are kept aside.
        callback : callable, optional
            Called with every `StepRecord`; the descent stops when it returns True.
        """
        settings, rng = self._settings(), make_rng(self.random_state)
        table = self._validate(X, y, sample_weight).weighted()
        assert_all_finite(table.X, input_name="X")  # also the rows that will be kept aside
        costs = self._costs(table)
        kept, aside = self._parts(table, validation, rng)
        n, dim = kept.X.shape
        full = AUM().wants_scatter(n, dim, ElasticNet(0.0, self.alpha))
        data = Data.of(*kept, standardize=self.standardize, full=full)
        train = Examples(_errors(kept, costs), data.X, data.scale)
        held_out = None if aside is None else Examples(_errors(aside, costs), aside.X, data.scale)
        found = run(settings, train, self._first(data, rng), held_out, callback)
        w = found.w / data.scale
        self.coef_ = w[None, :]
        self.intercept_ = np.array([best_intercept(_errors(table, costs), dot(table.X, w))])
        self.n_iter_, self.best_step_, self.trace_ = found.n_steps, found.best, found.trace
        return self

    def _settings(self) -> Descent:
        check_number("alpha", self.alpha, zero=True)
        if self.start not in STARTS:
            raise ValueError(f"unknown start {self.start!r}; choose one of {list(STARTS)}")
        names = ("line_search", "step_from", "eta", "gauge", "max_steps", "tol", "patience")
        return Descent(l2=float(self.alpha), **{name: getattr(self, name) for name in names})

    def _parts(
        self, table: LabeledData, validation: Any, rng: np.random.Generator
    ) -> tuple[LabeledData, LabeledData | None]:
        """The rows to descend on, and those to choose the step by."""
        if validation is not None:
            X, y = check_validation(self, validation)
            return table, LabeledData(X, y, np.ones(y.size))
        if self.validation_fraction is None:
            return table, None
        aside = _drawn(table.y, self.validation_fraction, rng)
        return table.rows(np.flatnonzero(~aside)), table.rows(np.flatnonzero(aside))

    def _first(self, data: Data, rng: np.random.Generator) -> np.ndarray:
        return rng.normal(size=data.dim) if self.start == "random" else squared_start(data, float(self.alpha))

    def _costs(self, table: LabeledData) -> tuple[float, float]:
        """Cost of an error on a negative and on a positive row."""
        if self.class_weight is None:
            return 1.0, 1.0
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            return rate_costs(float(table.weight[table.y < 0].sum()), float(table.weight[table.y > 0].sum()))
        return class_costs(self.class_weight, self.classes_)


def _errors(table: LabeledData, costs: tuple[float, float]) -> ErrorFunctions:
    return ErrorFunctions.from_labels(table.y, table.weight * np.where(table.y > 0, costs[1], costs[0]))


def _drawn(y: np.ndarray, fraction: Any, rng: np.random.Generator) -> np.ndarray:
    """Which rows are kept aside: that fraction of each class, at least one row and not all."""
    if not (isinstance(fraction, (int, float)) and 0 < fraction < 1):
        raise ValueError(f"validation_fraction={fraction!r}; give a number between 0 and 1, or None")
    aside = np.zeros(y.size, dtype=bool)
    for label in (1.0, -1.0):
        rows = np.flatnonzero(y == label)
        if rows.size < 2:
            hint = "set validation_fraction=None, or pass validation=(X, y)"
            raise ValueError(f"a class has {rows.size} row of positive weight, none can be kept aside; {hint}")
        count = min(max(round(fraction * rows.size), 1), rows.size - 1)
        aside[rng.permutation(rows)[:count]] = True
    return aside
