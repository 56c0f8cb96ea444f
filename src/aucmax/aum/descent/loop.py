"""Descent: a linear model learned by following the gradient of AUM, each step from the line search.

    Fowler, Hocking. "Efficient line search for optimizing Area Under the ROC Curve in gradient descent." 2024.

The loop; a single step is in `downhill`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.descent.downhill import Descent, Point
from aucmax.aum.descent.examples import Examples
from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.value import roc_auc
from aucmax.problem.solution import Trace


class StepRecord(NamedTuple):
    """One step of a descent; `seconds` do not count the AUC, `validation_auc` is NaN without a validation set."""

    number: int
    seconds: float
    step: float
    aum: float
    objective: float
    auc: float
    validation_auc: float


Callback = Callable[[StepRecord], bool | None]


@dataclass(frozen=True, eq=False)
class Descended:
    """What a descent found.

    Attributes
    ----------
    w : array of shape (dim,)
        The weights of the best validation AUC or, without a validation set, of the lowest objective.
    best : int
        The number of the step that led to them; 0 is the start.
    n_steps : int
        Steps taken.
    converged : bool
        Whether the run ended by itself: not because the steps were used up or the callback said so.
    trace : Trace
        A `StepRecord` for the start and for every step; `trace["aum"]` is a column.
    """

    w: np.ndarray
    best: int
    n_steps: int
    converged: bool
    trace: Trace


def descend(
    errors: ErrorFunctions,
    X: Any,
    w: ArrayLike,
    validation: tuple[ErrorFunctions, Any] | None = None,
    settings: Descent | None = None,
    callback: Callback | None = None,
) -> Descended:
    """Learn the weights of a linear model by descent on AUM.

    Parameters
    ----------
    errors : ErrorFunctions
        Of the subtrain examples, from labels or from anything else.
    X : array or CSR of shape (n_examples, dim)
        Their features: the prediction of example i is X[i] @ w. AUM and AUC do not see constants, so that a column
        of ones is of no use; `best_intercept` finds one for the weights found.
    w : array of shape (dim,)
        Where to start; for labels it must not be zero.
    validation : (errors, X), optional
        Examples whose AUC says which step was the best and, if the settings say so, how far to go.
    settings : Descent, optional
    callback : callable, optional
        Called with every `StepRecord`; the run stops when it returns True.

    Returns
    -------
    Descended

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> errors = ErrorFunctions.from_labels(X[:, 0] + rng.normal(size=200) > 0)
    >>> found = descend(errors, X, np.ones(3), settings=Descent(max_steps=20))
    >>> bool(found.trace["auc"][-1] > found.trace["auc"][0] + 0.1)
    True
    """
    train = Examples(errors, X)
    start = np.asarray(w, dtype=float)
    if start.shape != (X.shape[1],) or not np.isfinite(start).all():
        raise ValueError(f"w of shape {start.shape} is no start; pass {X.shape[1]} finite numbers, one a column of X")
    held_out = Examples(*validation) if validation else None
    if held_out is not None and held_out.X.shape[1] != X.shape[1]:
        text = f"validation X has {held_out.X.shape[1]} columns but X has {X.shape[1]}"
        raise ValueError(f"{text}; pass the same features for both")
    return run(settings or Descent(), train, start, held_out, callback)


def run(
    settings: Descent,
    train: Examples,
    w: np.ndarray,
    validation: Examples | None = None,
    callback: Callback | None = None,
) -> Descended:
    """`descend` for callers whose input is checked, and whose columns may have a scale."""
    if settings.needs_validation and validation is None:
        asked = f"step_from={settings.step_from!r}, patience={settings.patience!r}"
        raise ValueError(f"{asked}, but there is no validation set; pass one, or change the settings")
    records: list[Any] = []
    best, kept, ended, told = 0, w, False, False
    for record, point in _steps(settings, train, w, validation):
        records.append(record)
        if record.number == 0 or _is_better(record, records[best]):
            best, kept = record.number, point.w
        ended = _has_ended(settings, records, best)
        told = callback is not None and bool(callback(record))
        if ended or told:
            break
    n_steps = len(records) - 1
    return Descended(kept, best, n_steps, ended or (n_steps < settings.max_steps and not told), Trace(records))


def _steps(
    settings: Descent, train: Examples, w: np.ndarray, validation: Examples | None
) -> Iterator[tuple[StepRecord, Point]]:
    """The start and the points after it, up to where nothing leads downhill or the steps are used up."""
    seconds, before = 0.0, perf_counter()
    point: Point | None = settings.start(train, w)
    for number in range(settings.max_steps + 1):
        if point is None:
            return
        seconds += perf_counter() - before
        held_out = roc_auc(validation.errors, validation.scores(point.w)) if validation else np.nan
        auc = roc_auc(train.errors, point.pred)
        yield StepRecord(number, seconds, point.step, point.aum.value, point.objective, auc, held_out), point
        before = perf_counter()
        if number < settings.max_steps:
            point = settings.step(train, point, validation)


def _is_better(record: StepRecord, best: StepRecord) -> bool:
    if np.isnan(record.validation_auc):
        return record.objective < best.objective
    return record.validation_auc > best.validation_auc


def _has_ended(settings: Descent, records: list[StepRecord], best: int) -> bool:
    """Whether AUM is zero, the last step brought too little, or the best one is long ago."""
    now = records[-1]
    if now.aum == 0.0:
        return True
    if settings.patience is not None and now.number - best >= settings.patience:
        return True
    if now.number == 0:
        return False
    last = records[-2]
    rose = settings.step_from == "validation_auc" and now.validation_auc > last.validation_auc + settings.tol
    return last.objective - now.objective <= settings.tol * last.objective and not rose
