"""Gradient descent on AUM: a linear model, each step found by the line search.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

The loop; a single step is in `step`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.descent.data import AUMData
from aucmax.aum.descent.step import Descent, DescentPoint
from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.value import aum, error_auc
from aucmax.numerics.compiled import run_clock
from aucmax.numerics.sparse_structure import canonical, check_structure
from aucmax.problem.solution import Callback, Record, Trace


@dataclass(frozen=True)
class DescentRecord(Record):
    """The record of one step of a descent; `epoch` 0 is the start, and there is no certificate (`gap` is NaN)."""

    step: float = np.nan  # size of the step that led here
    aum: float = np.nan  # in the unit of the errors, without the penalty
    validation_aum: float = np.nan  # that of the validation set, if there is one


@dataclass(frozen=True, eq=False)
class DescentResult:
    """Result of a descent.

    Attributes
    ----------
    coef : array of shape (dim,)
        The weights with the best validation AUC or, without a validation set, with the lowest objective.
    best_epoch : int
        The step that led to them; 0 is the start.
    n_epochs : int
        Number of steps taken.
    converged : bool
        False if the run was ended by `max_epochs` or by the callback.
    trace : Trace
        A `DescentRecord` for the start and for every step; `trace["aum"]` is a column.
    """

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
        column of ones has no effect; `best_intercept` computes an intercept for the weights found.
    w : array of shape (dim,)
        Initial weights; for labels they must not be zero.
    validation : (errors, X), optional
        Examples whose AUC determines the best step and, depending on the settings, the step sizes.
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
    >>> found = descend(errors, X, np.ones(3), settings=Descent(max_epochs=20))
    >>> bool(found.trace["auc"][-1] > found.trace["auc"][0] + 0.1)
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
    if settings.needs_validation and validation is None:
        given = f"step_from={settings.step_from!r}, patience={settings.patience!r}"
        raise ValueError(f"{given}, but there is no validation set; pass one, or change the settings")
    trace = Trace()
    best_epoch = 0
    coef = w
    converged = stopped = False
    for epoch, (point, seconds) in enumerate(_points(settings, train, w, validation)):
        record = _evaluate(train, validation, point, epoch, seconds)
        trace.records.append(record)
        if epoch == 0 or _is_better(record, trace.records[best_epoch]):
            best_epoch, coef = epoch, point.w
        converged = record.aum == 0.0 or _has_converged(settings, trace.records, best_epoch)
        stopped = callback is not None and bool(callback(record))
        if converged or stopped:
            break
    n_epochs = len(trace) - 1
    converged = converged or (n_epochs < settings.max_epochs and not stopped)  # no descent direction is left
    return DescentResult(coef, best_epoch, n_epochs, converged, trace)


def _points(
    settings: Descent, train: AUMData, w: np.ndarray, validation: AUMData | None
) -> Iterator[tuple[DescentPoint, float]]:
    """The start and the points after it, while there is a descent direction, with the seconds that they took.

    The clock stops at `yield`: evaluation is not counted.
    """
    start = run_clock()
    point: DescentPoint | None = settings.start(train, w)
    seconds = run_clock() - start
    epoch = 0
    while point is not None:
        yield point, seconds
        if epoch == settings.max_epochs:
            return
        start = run_clock()
        point = settings.step(train, point, validation)
        seconds += run_clock() - start
        epoch += 1


def _evaluate(
    train: AUMData, validation: AUMData | None, point: DescentPoint, epoch: int, seconds: float
) -> DescentRecord:
    held_out_auc = held_out_aum = np.nan
    if validation is not None:
        scores = validation.scores(point.w)
        held_out_auc = error_auc(validation.errors, scores)
        held_out_aum = aum(validation.errors, scores).value
    return DescentRecord(
        epoch=epoch,
        passes=1.0 + 2.0 * epoch,  # predictions of the start; then a gradient and the predictions of its direction
        seconds=seconds,
        objective=point.objective,
        gap=np.nan,
        auc=error_auc(train.errors, point.pred),
        validation_auc=held_out_auc,
        step=point.step,
        aum=point.aum.value,
        validation_aum=held_out_aum,
    )


def _is_better(record: Record, best: Record) -> bool:
    if np.isnan(record.validation_auc):
        return record.objective < best.objective
    return record.validation_auc > best.validation_auc


def _has_converged(settings: Descent, records: list[Record], best_epoch: int) -> bool:
    """Whether the last step improved too little, or `patience` steps did not improve on the best."""
    now = records[-1]
    if settings.patience is not None and now.epoch - best_epoch >= settings.patience:
        return True
    if now.epoch == 0:
        return False
    last = records[-2]
    is_flat = last.objective - now.objective <= settings.tol * last.objective
    return is_flat and not _has_improved(settings, last, now)


def _has_improved(settings: Descent, last: Record, now: Record) -> bool:
    """Whether the quantity that the line search improves did so by more than `tol`."""
    before, after = getattr(last, settings.step_from), getattr(now, settings.step_from)
    if settings.step_from.endswith("auc"):
        return after > before + settings.tol
    return before - after > settings.tol * before
