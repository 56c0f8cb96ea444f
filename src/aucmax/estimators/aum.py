"""AUMClassifier: a linear ranking by descent on AUM, with the intercept that minimises the errors."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.aum import Descent, ErrorFunctions
from aucmax.aum.descent.data import AUMData
from aucmax.aum.descent.loop import run_descent
from aucmax.aum.descent.step import DESCENT_CONSTRAINTS
from aucmax.aum.intercept import best_intercept
from aucmax.estimators.base import LinearModel, LinearRanker, prior_cut
from aucmax.estimators.class_weight import class_costs
from aucmax.metrics import auc_influence, roc_auc
from aucmax.numerics.matrix import dot
from aucmax.problem.data import Data
from aucmax.problem.solution import Callback
from aucmax.solvers.aum import rate_costs, squared_start
from aucmax.validation.inputs import LabeledData, check_every_number, check_table, check_validation, make_rng
from aucmax.validation.params import Boolean, Number, Option, check_params

# Gain of AUC on held-out rows, in its standard errors, that a descent must have: chosen on twelve sets, and tried on
# 24 other problems (benchmarks/results/aum.md).
SIGNIFICANT = 2.0


class Beginning(NamedTuple):
    """The rows of a descent, and its initial weights."""

    train: AUMData
    start: np.ndarray


class AUMClassifier(LinearRanker):
    """Linear ranking by descent on AUM, the area under the minimum of false positives and false negatives.

    AUM is low where AUC is high, and has a gradient. It is not AUC: on some tables its minimiser ranks worse than
    that of the squared loss, from which the descent starts. A fraction of the rows is therefore held out, and their
    AUC determines the number of steps: zero, unless the best one exceeds that of the start by more than two standard
    errors of the difference. Start and descent are then repeated on all rows with that number of steps; the start is
    kept if that lowers their AUC.

    Parameters
    ----------
    line_search : {"first_min", "max_auc", "linear", "all", "grid", "constant"} or int
        How far to go along the negative gradient: to the first minimum of AUM, found exactly; to the first local
        maximum of AUC; to the best step among the first n crossings of thresholds, or among all, or among this number
        of crossings; to the best of the steps 10^-9 .. 10^9; or always by `eta`. See `aucmax.aum.Descent`.
    step_from : {"aum", "auc", "validation_aum", "validation_auc"}
        Search for low AUM or for high AUC, on the rows of the descent or on the validation rows. The descent on all
        rows, none of which are held out, searches these.
    eta : float
        Step size for `line_search="constant"`.
    alpha : float
        Strength of the penalty alpha/2 |w|^2; AUM is divided by the number of rows of the rarer class.
    normalization : {"auto", "mean_difference", "norm", "none"}
        AUM shrinks with the weights, so their scale has to be fixed: by the difference of the class means of the
        scores ("mean_difference") or by the norm of the weights ("norm"), which ranks worse. "auto" is
        "mean_difference" for `start="exact"`, and "none" for `start="random"`: the published procedure starts at
        random, normalises nothing and relies on early stopping.
    max_epochs : int
        Maximum number of steps.
    tol : float
        Stop when a step lowers the objective by less than this fraction of it.
    validation_fraction : float or None
        Fraction of each class that is held out to choose the number of steps. With None no rows are held out, and the
        weights with the lowest objective are kept.
    patience : int or None
        Stop after this number of steps without a better validation AUC.
    start : {"exact", "random"}
        Initial weights: the minimiser of the squared loss, or standard normal random numbers, as published.
    standardize : bool
        Divide the columns by their overall standard deviation first. `coef_` is in the units of X either way.
    class_weight : dict, "balanced" or None
        Cost of an error on each class, in AUM and for the intercept; "balanced" turns counts into rates. Given
        costs, `decision` is "errors".
    decision : {"prior", "errors"}
        Where `predict` cuts the scores, and zero is: where as many training rows are predicted positive as are
        positive, by weight, or where the (weighted) errors on all rows are fewest (docs/predictions.md).
    random_state : int, RandomState or None
        Random seed of the validation rows, and of a random start.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
        The constant that puts zero where `decision` says; fewest errors may mean all or none predicted positive.
    classes_ : array of the two labels; the second is the positive one
    n_iter_ : int
        Number of steps taken, before those on all rows.
    best_step_ : int
        The number of steps that led to the weights; 0 is the start.
    trace_ : Trace
        A `DescentRecord` of the start and of every step, before those on all rows: step size, AUM, objective, AUC,
        validation AUC.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AUMClassifier(random_state=0).fit(X, y)
    >>> bool(model.trace_["validation_auc"][model.best_step_] >= model.trace_["validation_auc"][0])
    True
    >>> model.score(X, y) > 0.95
    True
    """

    parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DESCENT_CONSTRAINTS,
        "alpha": [Number(0)],
        "validation_fraction": [None, Number(0, 1, open="both")],
        "start": [Option("exact", "random")],
        "decision": [Option("prior", "errors")],
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
        decision="prior",
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
        self.decision = decision
        self.random_state = random_state

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
        table = check_table(self, X, y, sample_weight).weighted()
        check_every_number(table.X)  # including the rows that will be held out
        costs = self._costs(table)
        subtrain, held_out = self._split(table, validation, rng)
        seed = int(rng.integers(2**31 - 1))
        settings = self._descent()
        first = self._examples(subtrain, costs, seed)
        validation_data = None
        if held_out is not None:
            validation_data = AUMData(_errors(held_out, costs), held_out.X, first.train.scale)
        found = run_descent(settings, first.train, first.start, validation_data, callback)
        self.n_iter_ = found.n_epochs
        self.trace_ = found.trace
        self.best_step_ = found.best_epoch
        w = found.coef / first.train.scale
        if held_out is not None and validation is None:
            start = settings.start(first.train, first.start).w / first.train.scale
            if self.start == "exact" and not _is_gain(held_out, w, start):
                self.best_step_ = 0
            everything = self._examples(table, costs, seed)
            w = _repeat(settings, everything, self.best_step_)
            if self.start == "exact" and self.best_step_ > 0:
                start = _repeat(settings, everything, 0)
                if _auc(table, w) < _auc(table, start):
                    self.best_step_ = 0
                    w = start
        self._linear = LinearModel(w, self._intercept(table, dot(table.X, w), costs))
        return self

    def _intercept(self, table: LabeledData, scores: np.ndarray, costs: tuple[float, float]) -> float:
        """The constant that puts zero where `decision` says."""
        if self.decision == "errors" or self.class_weight is not None:
            return best_intercept(_errors(table, costs), scores)
        return -prior_cut(scores, table.y, table.weight)

    def _examples(self, table: LabeledData, costs: tuple[float, float], seed: int) -> Beginning:
        """The rows of a descent, and the weights that it starts from."""
        data = Data.of(*table, standardize=self.standardize)
        if self.start == "random":
            start = np.random.default_rng(seed).normal(size=data.dim)
        else:
            _check_informative(data)
            start = squared_start(data, float(self.alpha))
        return Beginning(AUMData(_errors(table, costs), data.X, data.scale), start)

    def _descent(self) -> Descent:
        is_published = self.start == "random" and self.normalization == "auto"
        return Descent(
            line_search=self.line_search,
            step_from=self.step_from,
            eta=self.eta,
            l2=float(self.alpha),
            normalization="none" if is_published else self.normalization,
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

    def _costs(self, table: LabeledData) -> tuple[float, float]:
        """Cost of an error on a negative and on a positive row."""
        if self.class_weight is None:
            return 1.0, 1.0
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            return rate_costs(float(table.weight[table.y < 0].sum()), float(table.weight[table.y > 0].sum()))
        return class_costs(self.class_weight, self.classes_)


def _check_informative(data: Data) -> None:
    """Refuse data from which the squared loss learns no direction to start from."""
    if not data.delta.any():
        raise ValueError(
            "the class means of every column are equal, so the squared loss has no direction to start from; pass "
            "columns whose means differ between the classes, or set start='random'"
        )


def _is_gain(held_out: LabeledData, w: np.ndarray, start: np.ndarray) -> bool:
    """Whether weights rank held-out rows better than others by more than chance explains."""
    gain = _auc(held_out, w) - _auc(held_out, start)
    change = auc_influence(held_out.y, dot(held_out.X, w), sample_weight=held_out.weight)
    change -= auc_influence(held_out.y, dot(held_out.X, start), sample_weight=held_out.weight)
    return bool(gain > SIGNIFICANT * np.linalg.norm(change))


def _auc(table: LabeledData, w: np.ndarray) -> float:
    return roc_auc(table.y, dot(table.X, w), sample_weight=table.weight)


def _repeat(settings: Descent, beginning: Beginning, n_epochs: int) -> np.ndarray:
    """The weights after the same number of steps on other rows, in the units of their columns."""
    train, start = beginning
    if n_epochs == 0:
        return settings.start(train, start).w / train.scale
    return run_descent(settings.with_epochs(n_epochs), train, start).coef / train.scale


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
