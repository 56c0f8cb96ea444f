"""Descent on AUM: the weights of a linear model, by steps of subgradient and line search.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

The loop, with its record of every step; a single step is in `step`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.step import AUMData, Descent, DescentPoint
from aucmax.aum.value import error_auc
from aucmax.numerics.compiled import run_clock
from aucmax.numerics.sparse_structure import canonical, check_structure
from aucmax.problem.solution import Callback, Record, Trace


@dataclass(frozen=True)
class DescentRecord(Record):
    """The record of one step of a descent; `epoch` 0 is the start, and there is no certificate (`gap` is NaN)."""

    step: float = np.nan  # size of the step that led here
    aum: float = np.nan  # in the unit of the objective, without the penalty


@dataclass(frozen=True, eq=False)
class DescentResult:
    """Result of a descent.

    Attributes
    ----------
    start : array of shape (dim,)
        The initial weights, normalized.
    coef : array of shape (dim,)
        The weights with the best validation AUC or, without a validation set, the last ones.
    best_epoch : int
        The step that led to them; 0 is the start.
    n_epochs : int
        Number of steps taken.
    converged : bool
        False if the run was ended by `max_epochs` or by the callback.
    trace : Trace
        A `DescentRecord` for the start and for every step; `trace["aum"]` is a column.
    """

    start: np.ndarray
    coef: np.ndarray
    best_epoch: int
    n_epochs: int
    converged: bool
    trace: Trace


def descend(
    errors: ErrorFunctions,
    X: Any,
    w: ArrayLike,
    validation: tuple[ErrorFunctions, Any] | None = None,
    settings: Descent | None = None,
    callback: Callback | None = None,
) -> DescentResult:
    """Fit the weights of a linear model by descent on AUM.

    Parameters
    ----------
    errors : ErrorFunctions
        Of the subtrain examples, from labels or from anything else.
    X : array or CSR of shape (n_examples, dim)
        Their features: the prediction of example i is X[i] @ w. AUM and AUC are invariant to constants, so that a
        column of ones has no effect; `best_intercept` computes an intercept afterwards.
    w : array of shape (dim,)
        Initial weights; for labels they must not be zero.
    validation : (errors, X), optional
        Examples whose AUC determines the best step.
    settings : Descent, optional
    callback : callable, optional
        Called with every `DescentRecord`; the run stops when it returns True.

    Returns
    -------
    DescentResult

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> errors = ErrorFunctions.from_labels(X[:, 0] + rng.normal(size=200) > 0)
    >>> descent = descend(errors, X, np.ones(3), settings=Descent(max_epochs=20))
    >>> bool(descent.trace["auc"][-1] > descent.trace["auc"][0] + 0.1)
    True
    """
    train = AUMData(errors, canonical(check_structure(X)))
    start = np.asarray(w, dtype=float)
    if start.shape != (X.shape[1],) or not np.isfinite(start).all():
        hint = f"pass {X.shape[1]} finite numbers, one per column of X"
        raise ValueError(f"the initial w has shape {start.shape} or is not finite; {hint}")
    held_out = AUMData(validation[0], canonical(check_structure(validation[1]))) if validation else None
    if held_out is not None and held_out.X.shape[1] != X.shape[1]:
        text = f"validation X has {held_out.X.shape[1]} columns but X has {X.shape[1]}"
        raise ValueError(f"{text}; pass the same features for both")
    return run_descent(settings or Descent(), train, start, held_out, callback)


def run_descent(
    settings: Descent,
    train: AUMData,
    w: np.ndarray,
    validation: AUMData | None = None,
    callback: Callback | None = None,
) -> DescentResult:
    """`descend` for validated data, whose columns may have a scale."""
    trace = Trace()
    best_epoch, seconds, stopped = 0, 0.0, False
    clock = run_clock()
    first = settings.start(train, w)
    coef = first.w
    point: DescentPoint | None = first
    while point is not None:
        seconds += run_clock() - clock  # evaluation is not counted
        epoch = len(trace)
        record = _evaluate(train, validation, point, epoch, seconds)
        trace.records.append(record)
        if validation is None or record.validation_auc > trace.records[best_epoch].validation_auc:
            best_epoch, coef = epoch, point.w
        stopped = callback is not None and bool(callback(record))
        if stopped or point.converged or epoch == settings.max_epochs:
            break
        clock = run_clock()
        point = settings.step(train, point)
    converged = not stopped and (point is None or point.converged)
    return DescentResult(first.w, coef, best_epoch, len(trace) - 1, converged, trace)


def _evaluate(
    train: AUMData, validation: AUMData | None, point: DescentPoint, epoch: int, seconds: float
) -> DescentRecord:
    return DescentRecord(
        epoch=epoch,
        passes=1.0 + 2.0 * epoch,  # predictions of the start; then a gradient and the predictions of its direction
        seconds=seconds,
        objective=point.objective,
        gap=np.nan,
        auc=error_auc(train.errors, point.pred),
        validation_auc=np.nan if validation is None else error_auc(validation.errors, validation.scores(point.w)),
        step=point.step,
        aum=point.aum.value / train.unit,
    )
