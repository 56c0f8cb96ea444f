"""ROC and lift curves, and the areas under them.

All are computed from `counts_at_thresholds`: the positives and negatives at or above each distinct score. A block of
tied scores is one step, hence a diagonal segment of the curve, and the area under it counts ties half.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.metrics.auc import auc_of_classes
from aucmax.metrics.inputs import LabeledScores, check_scores, split_by_class
from aucmax.validation.params import Boolean, Number, check_param


class ThresholdCounts(NamedTuple):
    """True and false positives at every threshold."""

    thresholds: np.ndarray  # decreasing, from +inf
    tp: np.ndarray  # positives with score >= threshold
    fp: np.ndarray  # negatives with score >= threshold


def counts_at_thresholds(rows: LabeledScores) -> ThresholdCounts:
    """One threshold per distinct score of a row of positive weight, after (inf, 0, 0)."""
    is_pos, score, weight = rows
    if weight is not None and not weight.all():
        kept = weight > 0
        is_pos, score, weight = is_pos[kept], score[kept], weight[kept]
    order = np.argsort(score)[::-1]
    score, is_pos = score[order], is_pos[order]
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
    count = np.int64(1) if weight is None else weight[order]
    tp = np.cumsum(is_pos * count)[last]
    fp = np.cumsum(~is_pos * count)[last]
    return ThresholdCounts(np.append(np.inf, score[last]), np.append(0, tp), np.append(0, fp))


def roc_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ROC curve, with one vertex per distinct score.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `roc_auc` and `f_beta`; rows of weight zero add no vertex.

    Returns
    -------
    fpr, tpr, thresholds : arrays
        Rates among the rows with score >= threshold; the first vertex is (0, 0) at threshold +inf.

    Examples
    --------
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> fpr, tpr, thresholds
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]), array([inf, 0.8, 0.4, 0.1]))
    """
    thresholds, tp, fp = counts_at_thresholds(check_scores(y_true, y_score, sample_weight, pos_label, rates=True))
    return fp / fp[-1], tp / tp[-1], thresholds


def lift_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lift curve: positives reached against the fraction of rows contacted, in order of decreasing score.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `roc_curve`.

    Returns
    -------
    contacted, reached, thresholds : arrays
        Fraction of all rows, and number (or weight) of positives, with score >= threshold.

    Examples
    --------
    >>> lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    (array([0.  , 0.25, 0.75, 1.  ]), array([0, 1, 2, 2]), array([inf, 0.8, 0.4, 0.1]))
    """
    thresholds, tp, fp = counts_at_thresholds(check_scores(y_true, y_score, sample_weight, pos_label, rates=True))
    contacted = tp + fp
    return contacted / contacted[-1], tp, thresholds


def area_under_lift(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> float:
    """Area under the lift curve; with P positives, a fraction pi of all rows, it is P (pi/2 + (1 - pi) AUC).

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `lift_curve`.

    Returns
    -------
    float
        P/2 for a random ranking, P (1 - pi/2) for a perfect one.

    Examples
    --------
    >>> area_under_lift([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    1.375
    """
    rows = check_scores(y_true, y_score, sample_weight, pos_label, rates=True)
    weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
    positives = float(weight[rows.is_pos].sum())
    negatives = float(weight[~rows.is_pos].sum())
    auc = auc_of_classes(*split_by_class(rows))  # the curve's rounding errors would hide small weights
    return positives * ((positives / 2 + negatives * auc) / (positives + negatives))


def partial_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: float = 1.0,
    min_fpr: float = 0.0,
    min_tpr: float = 0.0,
    standardize: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Area under the part of the ROC curve with min_fpr <= FPR <= max_fpr and TPR >= min_tpr.

    It is the integral of max(TPR - min_tpr, 0) over FPR, along the polyline of `roc_curve`.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `roc_auc`.
    max_fpr, min_fpr, min_tpr : float
        The range, 0 <= min_fpr < max_fpr <= 1 and 0 <= min_tpr < 1.
    standardize : bool
        Return 1/2 (1 + (area - random) / (perfect - random)), with the areas of the diagonal and of a perfect
        ranking in the same range: 0.5 for a random ranking, 1 for a perfect one, not clipped below. For min_tpr = 0
        this is the standardisation of McClish (1989).

    Returns
    -------
    float

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8]
    >>> partial_auc(y_true, y_score, max_fpr=0.5)
    0.375
    >>> partial_auc(y_true, y_score, max_fpr=0.5, standardize=True)
    0.8333333333333333
    >>> partial_auc(y_true, y_score, max_fpr=0.5, min_tpr=0.5)
    0.125
    """
    check_param("max_fpr", max_fpr, Number(0, 1, open="low"))
    check_param("min_fpr", min_fpr, Number(0, max_fpr, open="high"))
    check_param("min_tpr", min_tpr, Number(0, 1, open="high"))
    check_param("standardize", standardize, Boolean())
    fpr, tpr, _ = roc_curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if standardize:
        return standardized_area(fpr, tpr, min_fpr, max_fpr, min_tpr)
    return _area_inside(fpr, tpr, min_fpr, max_fpr, min_tpr)


def standardized_area(fpr: np.ndarray, tpr: np.ndarray, min_fpr: float, max_fpr: float, min_tpr: float) -> float:
    """The standardised partial AUC of an ROC curve."""
    area = _area_inside(fpr, tpr, min_fpr, max_fpr, min_tpr)
    diagonal = np.array([0.0, 1.0])
    random = _area_inside(diagonal, diagonal, min_fpr, max_fpr, min_tpr)
    perfect = (max_fpr - min_fpr) * (1.0 - min_tpr)
    return 0.5 * (1.0 + (area - random) / (perfect - random))


def _area_inside(fpr, tpr, min_fpr, max_fpr, min_tpr):
    """Integral of max(tpr - min_tpr, 0) over [min_fpr, max_fpr], summed over the segments."""
    reached = slice(max(np.searchsorted(fpr, min_fpr, "right") - 1, 0), np.searchsorted(fpr, max_fpr) + 1)
    fpr, tpr = fpr[reached], tpr[reached]
    i = np.flatnonzero(np.diff(fpr) > 0)  # vertical segments have no area
    left = np.clip(fpr[i], min_fpr, max_fpr)
    right = np.clip(fpr[i + 1], min_fpr, max_fpr)
    slope = (tpr[i + 1] - tpr[i]) / (fpr[i + 1] - fpr[i])
    low = tpr[i] + slope * (left - fpr[i]) - min_tpr
    high = tpr[i] + slope * (right - fpr[i]) - min_tpr
    rise = np.maximum(high, 0.0) - np.maximum(low, 0.0)
    # A segment that crosses min_tpr counts only from the crossing on.
    share = np.divide(rise, high - low, out=np.ones_like(rise), where=high > low)
    return float(np.sum((right - left) * share * (np.maximum(low, 0.0) + np.maximum(high, 0.0)) / 2))
