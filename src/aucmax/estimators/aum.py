"""AUMClassifier: a linear ranking by descent on AUM, with the intercept that minimises the errors."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import assert_all_finite

from aucmax.aum import Descent, ErrorFunctions
from aucmax.aum.descent.data import AUMData
from aucmax.aum.descent.loop import run_descent
from aucmax.aum.descent.step import DESCENT_CONSTRAINTS
from aucmax.aum.intercept import best_intercept
from aucmax.estimators.base import LinearRanker
from aucmax.estimators.class_weight import class_costs
from aucmax.estimators.fitted_state import resets_fitted_state
from aucmax.numerics.matrix import dot
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data
from aucmax.problem.solution import Callback
from aucmax.solvers.aum import AUM, rate_costs, squared_start
from aucmax.validation.inputs import LabeledData, check_validation, make_rng
from aucmax.validation.params import Boolean, Number, Option, check_params


class AUMClassifier(LinearRanker):
    """Linear ranking by descent on AUM, the area under the minimum of false positives and false negatives.

    AUM is low where AUC is high, and has a gradient. It is not AUC: on some tables its minimiser ranks worse than
    that of the squared loss, from which the descent starts. A fraction of the rows is therefore held out for
    validation, and the step with the best AUC on them is kept; the start is among the candidates.

    Parameters
    ----------
    line_search : {"first_min", "linear", "all", "grid", "constant"}
        How far to go along the negative gradient: to the first minimum of AUM, found exactly; to the lowest AUM among
        the first n crossings of thresholds, or among all; to the best of the steps 10^-9 .. 10^9; or always by `eta`.
    step_from : {"aum", "validation_auc"}
        Search for low AUM, or for high AUC on the validation rows.
    eta : float
        Step size for `line_search="constant"`.
    alpha : float
        Strength of the penalty alpha/2 |w|^2; AUM is divided by the number of rows of the rarer class.
    normalization : {"auto", "mean_difference", "norm", "none"}
        AUM shrinks with the weights, so their scale has to be fixed: by the difference of the class means of the
        scores ("auto" and "mean_difference"), or by the norm of the weights ("norm"), as published, which ranks
        worse.
    max_epochs : int
        Maximum number of steps.
    tol : float
        Stop when a step lowers the objective by less than this fraction of it.
    validation_fraction : float or None
        Fraction of each class that is held out. With None no rows are held out, and the weights with the lowest
        objective are kept.
    patience : int or None
        Stop after this number of steps without a better validation AUC.
    start : {"exact", "random"}
        Initial weights: the minimiser of the squared loss, or standard normal random numbers.
    standardize : bool
        Divide the columns by their class-pooled standard deviation first. `coef_` is in the units of X either way.
    class_weight : dict, "balanced" or None
        Cost of an error on each class, in AUM and for the intercept; "balanced" turns counts into rates.
    random_state : int, RandomState or None
        Random seed of the validation rows, and of a random start.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
        The constant that minimises the (weighted) errors on all rows; predicting all or none positive is possible.
    classes_ : array of the two labels; the second is the positive one
    n_iter_ : int
        Number of steps taken.
    best_step_ : int
        The step whose weights were kept; 0 is the start.
    trace_ : Trace
        A `DescentRecord` of the start and of every step: step size, AUM, objective, AUC, validation AUC.

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

    parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DESCENT_CONSTRAINTS,
        "alpha": [Number(0)],
        "validation_fraction": [None, Number(0, 1, open="both")],
        "start": [Option("exact", "random")],
        "standardize": [Boolean()],
    }

    def __init__(
        self,
        line_search="first_min",
        step_from="aum",
        eta=1.0,
        alpha=0.0,
        normalization="auto",
        max_epochs=200,
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
        self.normalization = normalization
        self.max_epochs = max_epochs
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
            A weight of k equals k copies of the row if no rows are held out (`validation_fraction=None`, or
            `validation` given); otherwise a row is held out with all its weight, whereas copies would be drawn one by
            one.
        validation : (X, y), optional
            A validation set; if given, no rows are held out.
        callback : callable, optional
            Called with every `DescentRecord`; the descent stops when it returns True.
        """
        check_params(self)
        rng = make_rng(self.random_state)
        table = self._validate(X, y, sample_weight).weighted()
        assert_all_finite(table.X, input_name="X")  # including the rows that will be held out
        costs = self._costs(table)
        subtrain, held_out = self._split(table, validation, rng)
        n, dim = subtrain.X.shape
        full = AUM().wants_scatter(n, dim, ElasticNet(0.0, self.alpha))
        data = Data.of(*subtrain, standardize=self.standardize, full=full)
        train = AUMData(_errors(subtrain, costs), data.X, data.scale)
        validation_data = None if held_out is None else AUMData(_errors(held_out, costs), held_out.X, data.scale)
        found = run_descent(self._descent(), train, self._initial(data, rng), validation_data, callback)
        w = found.coef / data.scale
        self.coef_ = w[None, :]
        self.intercept_ = np.array([best_intercept(_errors(table, costs), dot(table.X, w))])
        self.n_iter_ = found.n_epochs
        self.best_step_ = found.best_epoch
        self.trace_ = found.trace
        return self

    def _descent(self) -> Descent:
        return Descent(
            line_search=self.line_search,
            step_from=self.step_from,
            eta=self.eta,
            l2=float(self.alpha),
            normalization=self.normalization,
            max_epochs=self.max_epochs,
            tol=self.tol,
            patience=self.patience,
        )

    def _split(
        self, table: LabeledData, validation: Any, rng: np.random.Generator
    ) -> tuple[LabeledData, LabeledData | None]:
        """The rows to descend on, and the validation rows, if any."""
        if validation is not None:
            X, y = check_validation(self, validation)
            return table, LabeledData(X, y, np.ones(y.size))
        if self.validation_fraction is None:
            return table, None
        held_out = _draw_held_out(table.y, self.validation_fraction, rng)
        return table.rows(np.flatnonzero(~held_out)), table.rows(np.flatnonzero(held_out))

    def _initial(self, data: Data, rng: np.random.Generator) -> np.ndarray:
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


def _draw_held_out(y: np.ndarray, fraction: float, rng: np.random.Generator) -> np.ndarray:
    """A mask of the rows held out: the given fraction of each class, at least one row and not all."""
    held_out = np.zeros(y.size, dtype=bool)
    for label in (1.0, -1.0):
        rows = np.flatnonzero(y == label)
        if rows.size < 2:
            hint = "set validation_fraction=None, or pass validation=(X, y)"
            raise ValueError(f"a class has only {rows.size} row of positive weight, which cannot be held out; {hint}")
        count = min(max(round(fraction * rows.size), 1), rows.size - 1)
        held_out[rng.permutation(rows)[:count]] = True
    return held_out
