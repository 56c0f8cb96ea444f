"""Measures of a decision: F-beta, the break-even point, and the threshold that meets a demand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucmax.metrics.curves import Steps, steps
from aucmax.metrics.scored import checked, checked_weight, column, two_labels

ROUNDING = 1e-12  # of sums of weights: a rate that misses a demand by so little meets it


def f_beta(
    y: ArrayLike,
    y_pred: ArrayLike,
    beta: float = 1.0,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """F measure: (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), and 0 for 0/0.

    Parameters
    ----------
    y, sample_weight, pos_label
        See `roc_auc`.
    y_pred : array of shape (n,)
        Predicted labels, of the same two values as y.
    beta : float
        Weight of recall against precision; 0 gives the precision, 1 their harmonic mean.

    Returns
    -------
    float

    Examples
    --------
    >>> f_beta([0, 0, 1, 1], [0, 1, 1, 1], beta=2.0)
    0.9090909090909091
    """
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta={beta}; choose a finite number that is zero or positive")
    truth = column(y, "y")
    labels = two_labels(truth, pos_label)
    actual, called = truth == labels[1], _called_positive(y_pred, truth.size, labels)
    weight = np.ones(truth.size) if sample_weight is None else checked_weight(sample_weight, actual)
    tp, fp, fn = (float(weight[rows].sum()) for rows in (actual & called, ~actual & called, actual & ~called))
    total = (1 + beta**2) * tp + beta**2 * fn + fp
    return (1 + beta**2) * tp / total if total > 0 else 0.0


def break_even(
    y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None, *, pos_label: Any = None
) -> float:
    """Precision-recall break-even point: the recall of the P best rows, with P the number of positives.

    Parameters
    ----------
    y, score, sample_weight, pos_label
        See `roc_auc`.

    Returns
    -------
    float
        Where a block of tied scores lies across the cut, the expected value over its orders.

    Examples
    --------
    >>> break_even([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.75
    """
    _, tp, fp = steps(checked(y, score, sample_weight, pos_label))
    return float(np.interp(tp[-1], tp + fp, tp) / tp[-1])


def threshold_for(
    y: ArrayLike,
    score: ArrayLike,
    *,
    fpr: float | None = None,
    tpr: float | None = None,
    precision: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """The threshold t for which calling the rows with score >= t positive meets a demand at the least cost.

    Parameters
    ----------
    y, score, sample_weight, pos_label
        See `roc_auc`.
    fpr : float, optional
        Keep FPR <= fpr, with the largest TPR; inf (call nothing positive) if no score does.
    tpr : float, optional
        Reach TPR >= tpr, with the smallest FPR.
    precision : float, optional
        Reach precision >= precision, with the largest TPR. Exactly one of the three must be given.

    Returns
    -------
    float

    Examples
    --------
    >>> y, score = [0, 0, 1, 0, 1], [0.1, 0.2, 0.5, 0.7, 0.9]
    >>> threshold_for(y, score, fpr=0.1), threshold_for(y, score, tpr=0.8)
    (0.9, 0.5)
    >>> threshold_for(y, score, precision=0.6)
    0.5
    """
    goal, bound = _one_demand({"fpr": fpr, "tpr": tpr, "precision": precision})
    found = steps(checked(y, score, sample_weight, pos_label))
    return float(found.thresholds[_best_step(found, goal, bound)])


def _called_positive(y_pred, n_rows, labels):
    """Which rows are predicted positive, once all predictions are known labels."""
    predicted = column(y_pred, "y_pred")
    if predicted.size != n_rows:
        raise ValueError(f"y_pred has {predicted.size} rows but y has {n_rows}; pass one label per row")
    known = (predicted == labels[0]) | (predicted == labels[1])
    if not known.all():
        stranger = predicted[[known.argmin()]].tolist()[0]
        raise ValueError(f"y_pred holds {stranger!r}, which is not in y; predict one of {sorted(labels)}")
    return predicted == labels[1]


def _one_demand(demands: dict[str, float | None]) -> tuple[str, float]:
    """Name and value of the only demand that is given."""
    given = {goal: bound for goal, bound in demands.items() if bound is not None}
    if len(given) != 1:
        raise ValueError(f"{len(given)} demands given: {given}; give exactly one of fpr, tpr, precision")
    ((goal, bound),) = given.items()
    if not 0 <= bound <= 1:
        raise ValueError(f"{goal}={bound}; choose a rate between 0 and 1")
    return goal, bound


def _best_step(found: Steps, goal: str, bound: float) -> int:
    """Index of the step that meets the demand at the least cost."""
    _, tp, fp = found
    if goal == "tpr":
        first = np.argmax(tp / tp[-1] >= bound * (1.0 - ROUNDING))
        return int(np.searchsorted(fp, fp[first], "right")) - 1  # more positives for the same negatives
    if goal == "fpr":
        last = np.flatnonzero(fp / fp[-1] <= bound * (1.0 + ROUNDING))[-1]
    else:
        last = _last_precise_step(tp, fp, bound)
    return int(np.searchsorted(tp, tp[last]))  # fewer negatives for the same positives


def _last_precise_step(tp, fp, bound):
    """Index of the lowest threshold that reaches the precision; calling nothing positive has precision 0."""
    precision = np.divide(tp, tp + fp, out=np.zeros(tp.size), where=tp > 0)
    enough = np.flatnonzero(precision >= bound * (1.0 - ROUNDING))
    if enough.size == 0:
        best = precision.max()
        raise ValueError(f"no threshold reaches precision {bound}; ask for {best:.6g}, the best, or less")
    return enough[-1]
