"""Metrics of a decision: F-beta, the break-even point, and the threshold for a target FPR, TPR or precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucmax.metrics.curves import ThresholdCounts, counts_at_thresholds
from aucmax.metrics.inputs import binary_labels, check_1d, check_scores
from aucmax.validation.params import Number, check_param
from aucmax.validation.weights import check_class_weights

ROUNDING = 1e-12  # relative rounding error of sums of weights: a rate this close to its target meets it


def f_beta(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """F-beta score: (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), and 0 for 0/0.

    Parameters
    ----------
    y_true, sample_weight
        As for `roc_auc`.
    pos_label : optional
        The label of the positive class; required unless the labels are 0/1, -1/1 or booleans.
    y_pred : array of shape (n,)
        Predicted labels, of the same two values as y_true.
    beta : float
        Weight of recall relative to precision; 0 gives the precision, 1 their harmonic mean.

    Returns
    -------
    float

    Examples
    --------
    >>> f_beta([0, 0, 1, 1], [0, 1, 1, 1], beta=2.0)
    0.9090909090909091
    """
    check_param("beta", beta, Number(0))
    true_labels = check_1d(y_true, "y_true")
    labels = binary_labels(true_labels, pos_label, "y_true", rates=True)
    actual = true_labels == labels[1]
    predicted = _predicted_positive(y_pred, true_labels.size, labels)
    weight = np.ones(actual.size) if sample_weight is None else check_class_weights(sample_weight, actual)
    tp = float(weight[actual & predicted].sum())
    fp = float(weight[~actual & predicted].sum())
    fn = float(weight[actual & ~predicted].sum())
    total = (1 + beta**2) * tp + beta**2 * fn + fp
    return (1 + beta**2) * tp / total if total > 0 else 0.0


def break_even(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> float:
    """Precision-recall break-even point: the recall of the P top-ranked rows, with P the number of positives.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `roc_auc` and `f_beta`; with weights, P is the weight of the positives.

    Returns
    -------
    float
        If the cut falls within a block of tied scores, the expected value over the orders of the block.

    Examples
    --------
    >>> break_even([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.75
    """
    _, tp, fp = counts_at_thresholds(check_scores(y_true, y_score, sample_weight, pos_label, rates=True))
    return float(np.interp(tp[-1], tp + fp, tp) / tp[-1])


def threshold_for(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr: float | None = None,
    tpr: float | None = None,
    precision: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """The best threshold t, predicting positive where score >= t, that meets a target FPR, TPR or precision.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `roc_auc` and `f_beta`.
    fpr : float, optional
        Keep FPR <= fpr, with the largest TPR; inf (predict no positives) if no score does.
    tpr : float, optional
        Reach TPR >= tpr, with the smallest FPR.
    precision : float, optional
        Reach precision >= precision, with the largest TPR. Exactly one of the three must be given.

    Returns
    -------
    float

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 0, 1], [0.1, 0.2, 0.5, 0.7, 0.9]
    >>> threshold_for(y_true, y_score, fpr=0.1), threshold_for(y_true, y_score, tpr=0.8)
    (0.9, 0.5)
    >>> threshold_for(y_true, y_score, precision=0.6)
    0.5
    """
    rate, target = _one_target({"fpr": fpr, "tpr": tpr, "precision": precision})
    counts = counts_at_thresholds(check_scores(y_true, y_score, sample_weight, pos_label, rates=True))
    return float(counts.thresholds[_best_threshold(counts, rate, target)])


def _predicted_positive(y_pred, n_rows, labels):
    """Which rows are predicted positive, after checking that all predictions are known labels."""
    predicted = check_1d(y_pred, "y_pred")
    if predicted.size != n_rows:
        raise ValueError(f"y_pred has {predicted.size} values for {n_rows} labels; pass one per row")
    known = (predicted == labels[0]) | (predicted == labels[1])
    if not known.all():
        unknown = predicted[[known.argmin()]].tolist()[0]
        raise ValueError(f"y_pred contains {unknown!r}, which is not in y_true; predict one of {sorted(labels)}")
    return predicted == labels[1]


def _one_target(targets: dict[str, float | None]) -> tuple[str, float]:
    """Name and value of the only target that is given."""
    given = {rate: target for rate, target in targets.items() if target is not None}
    if len(given) != 1:
        raise ValueError(f"{len(given)} targets given: {given}; give exactly one of fpr, tpr, precision")
    ((rate, target),) = given.items()
    check_param(rate, target, Number(0, 1))
    return rate, target


def _best_threshold(counts: ThresholdCounts, rate: str, target: float) -> int:
    """Index of the best threshold that meets the target."""
    _, tp, fp = counts
    if rate == "tpr":
        first = np.argmax(tp / tp[-1] >= target * (1.0 - ROUNDING))
        return int(np.searchsorted(fp, fp[first], "right")) - 1  # more true positives at the same FPR
    if rate == "fpr":
        last = np.flatnonzero(fp / fp[-1] <= target * (1.0 + ROUNDING))[-1]
    else:
        last = _last_precise(tp, fp, target)
    return int(np.searchsorted(tp, tp[last]))  # fewer false positives at the same TPR


def _last_precise(tp, fp, target):
    """Index of the lowest threshold that reaches the precision; predicting no positives has precision 0."""
    precision = np.divide(tp, tp + fp, out=np.zeros(tp.size), where=tp > 0)
    reached = np.flatnonzero(precision >= target * (1.0 - ROUNDING))
    if reached.size == 0:
        best = precision.max()
        raise ValueError(f"no threshold reaches precision {target}; give at most {best:.6g}, the best precision")
    return reached[-1]
