"""AUMClassifier: a linear ranking by descent on AUM, with the intercept that minimises the errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from aucmax.aum import Descent, ErrorFunctions, best_intercept
from aucmax.aum.descent import DescentResult, run_descent
from aucmax.aum.step import AUMData
from aucmax.estimators.base import LinearModel, LinearRanker
from aucmax.estimators.class_weight import class_costs
from aucmax.estimators.decision import prior_cut
from aucmax.metrics import auc_influence, roc_auc
from aucmax.numerics.matrix import linear_scores
from aucmax.problem.data import Data
from aucmax.problem.solution import Callback
from aucmax.solvers.aum import examples_of, rate_errors, squared_start
from aucmax.validation.inputs import LabeledData, check_every_number, check_table, check_validation, make_rng
from aucmax.validation.params import Boolean, Integer, Number, Option, check_params

# Gain of AUC on held-out rows, in its standard errors, that a descent must have: chosen on twelve sets, and tried on
# 24 other problems (benchmarks/results/aum.md).
SIGNIFICANT = 2.0


class AUMClassifier(LinearRanker):
    """Linear ranking by descent on AUM, the area under the minimum of false positives and false negatives.

    AUM is low where AUC is high, and has a gradient. It is not AUC: on some tables its minimiser ranks worse than
    that of the squared loss, from which the descent starts. A fraction of the rows is therefore held out, and their
    AUC determines the number of steps: zero, unless the best one exceeds that of the start by more than two standard
    errors of the difference. Start and descent are then repeated on all rows with that number of steps; the start is
    kept if that lowers their AUC.

    Parameters
    ----------
    line_search : {"first_min", "linear", "all", "grid"}
        How far to go along the negative gradient: to the first minimum of AUM, found exactly; to the lowest AUM of
        the first n crossings of thresholds, or of all crossings; or to the best of the steps 10^-9 .. 10^9. See
        `aucmax.aum.Descent`. "first_min", "linear" and "all" are the line searches of Fowler and Hocking (2024), and
        "grid" is what they compare them to.
    alpha : float
        Strength of the penalty alpha/2 |w|^2; AUM is that of the error rates, as in `AUCClassifier(loss="aum")`.
    normalization : {"auto", "mean_difference", "none"}
        AUM shrinks with the weights, so their scale has to be fixed: by the difference of the class means of the
        scores ("mean_difference"). "auto" is "mean_difference" for `start="exact"`, and "none" for `start="random"`:
        the published procedure starts at random, normalises nothing and relies on early stopping.
    max_epochs : int
        Maximum number of steps.
    tol : float
        Stop when a step lowers the objective by no more than this fraction of it.
    validation_fraction : float or None
        Fraction of each class that is held out to choose the number of steps. With None no rows are held out, and the
        last weights are kept.
    start : {"exact", "random"}
        Initial weights: the minimiser of the squared loss, or standard normal random numbers, as published.
    standardize : bool
        Divide the columns by their overall standard deviation first. `coef_` is in the units of X either way.
    class_weight : dict, "balanced" or None
        Cost of an error on each class; "balanced" turns counts into rates. The ranking does not depend on it: with
        costs, `decision` is "errors", and the intercept minimises them.
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
        "line_search": Descent.parameter_constraints["line_search"],
        "alpha": [Number(0)],
        "normalization": [Option("auto", "mean_difference", "none")],
        "max_epochs": [Integer(1)],
        "tol": [Number(0)],
        "validation_fraction": [None, Number(0, 1, open="both")],
        "start": [Option("exact", "random")],
        "decision": [Option("prior", "errors")],
        "standardize": [Boolean()],
    }

    def __init__(
        self,
        line_search="first_min",
        alpha=0.0,
        normalization="auto",
        max_epochs=200,
        tol=1e-5,
        validation_fraction=0.2,
        start="exact",
        standardize=True,
        class_weight=None,
        decision="prior",
        random_state=None,
    ):
        self.line_search = line_search
        self.alpha = alpha
        self.normalization = normalization
        self.max_epochs = max_epochs
        self.tol = tol
        self.validation_fraction = validation_fraction
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
        errors = self._errors_of_intercept(table)
        subtrain, held_out = self._split(table, validation, rng)
        seed = int(rng.integers(2**31 - 1))
        settings = self._descent()
        descent = self._run(settings, subtrain, seed, held_out, callback)
        self.n_iter_ = descent.n_epochs
        self.trace_ = descent.trace
        self.best_step_ = descent.best_epoch
        w = descent.coef
        if held_out is not None and validation is None:
            if self.start == "exact" and not _is_gain(held_out, descent):
                self.best_step_ = 0
            descent = self._run(replace(settings, max_epochs=self.best_step_, tol=0.0), table, seed)
            w = descent.coef
            if self.start == "exact" and descent.trace["auc"][-1] < descent.trace["auc"][0]:
                self.best_step_ = 0
                w = descent.start
        scores = linear_scores(table.X, w)
        intercept = -prior_cut(scores, table.y, table.weight) if errors is None else best_intercept(errors, scores)
        self._linear = LinearModel(w, intercept)
        return self

    def _descent(self) -> Descent:
        normalization = self.normalization
        if normalization == "auto":
            normalization = "mean_difference" if self.start == "exact" else "none"
        return Descent(
            line_search=self.line_search,
            l2=float(self.alpha),
            normalization=normalization,
            max_epochs=self.max_epochs,
            tol=self.tol,
        )

    def _run(
        self,
        settings: Descent,
        table: LabeledData,
        seed: int,
        held_out: LabeledData | None = None,
        callback: Callback | None = None,
    ) -> DescentResult:
        """A descent on the rows of a table, with weights in the units of the columns."""
        data = Data.of(*table, standardize=self.standardize)
        if self.start == "random":
            start = np.random.default_rng(seed).normal(size=data.dim)
        else:
            _check_informative(data)
            start = squared_start(data, float(self.alpha))
        validation = None
        if held_out is not None:  # only their AUC counts, for which any costs will do
            validation = AUMData(ErrorFunctions.from_labels(held_out.y, held_out.weight), held_out.X, data.scale)
        descent = run_descent(settings, examples_of(data), start, validation, callback)
        return replace(descent, start=descent.start / data.scale, coef=descent.coef / data.scale)

    def _errors_of_intercept(self, table: LabeledData) -> ErrorFunctions | None:
        """The errors that the intercept minimises; None if it predicts as many rows positive as are positive."""
        if self.class_weight is None and self.decision == "prior":
            return None
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            return rate_errors(table.y, table.weight)
        negative, positive = class_costs({} if self.class_weight is None else self.class_weight, self.classes_)
        return ErrorFunctions.from_labels(table.y, table.weight * np.where(table.y > 0, positive, negative))

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


def _check_informative(data: Data) -> None:
    """Refuse data from which the squared loss learns no direction to start from."""
    if not data.delta.any():
        raise ValueError(
            "the class means of every column are equal, so the squared loss has no direction to start from; pass "
            "columns whose means differ between the classes, or set start='random'"
        )


def _is_gain(held_out: LabeledData, descent: DescentResult) -> bool:
    """Whether the best weights rank held-out rows better than the start by more than chance explains."""
    y, weight = held_out.y, held_out.weight
    scores, start = linear_scores(held_out.X, descent.coef), linear_scores(held_out.X, descent.start)
    gain = roc_auc(y, scores, sample_weight=weight) - roc_auc(y, start, sample_weight=weight)
    change = auc_influence(y, scores, sample_weight=weight) - auc_influence(y, start, sample_weight=weight)
    return bool(gain > SIGNIFICANT * np.linalg.norm(change))


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
