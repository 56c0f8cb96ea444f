"""ROC and lift curves, and the areas under them.

All of them come from `steps`: the positives and negatives at or above each distinct score. A block of tied
scores is one step, hence a diagonal piece of the curve, and the area under it counts ties half.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.metrics.scored import Scored, checked


class Steps(NamedTuple):
    """Positives `tp` and negatives `fp` with score >= threshold; thresholds fall, from +inf on."""

    thresholds: np.ndarray
    tp: np.ndarray
    fp: np.ndarray


def steps(scored: Scored) -> Steps:
    """One step per distinct score of a row that weighs something, after (inf, 0, 0)."""
    is_pos, score, weight = scored
    if weight is not None and not weight.all():
        is_pos, score, weight = is_pos[weight > 0], score[weight > 0], weight[weight > 0]
    order = np.argsort(score)[::-1]
    falling, hit = score[order], is_pos[order]
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    amount = np.int64(1) if weight is None else weight[order]
    tp = np.cumsum(hit * amount)[last]
    fp = np.cumsum(~hit * amount)[last]
    return Steps(np.append(np.inf, falling[last]), np.append(0, tp), np.append(0, fp))


def roc_curve(
    y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None, *, pos_label: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ROC curve, with one vertex per distinct score.

    Parameters
    ----------
    y, score, sample_weight, pos_label
        See `roc_auc`. A row of weight zero makes no vertex.

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
    thresholds, tp, fp = steps(checked(y, score, sample_weight, pos_label))
    return fp / fp[-1], tp / tp[-1], thresholds


def lift_curve(
    y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None, *, pos_label: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lift curve: positives found against the fraction of rows contacted, best scores first.

    Parameters
    ----------
    y, score, sample_weight, pos_label
        See `roc_auc`.

    Returns
    -------
    contacted, found, thresholds : arrays
        Fraction of all rows, and number (or weight) of positives, with score >= threshold.

    Examples
    --------
    >>> lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    (array([0.  , 0.25, 0.75, 1.  ]), array([0, 1, 2, 2]), array([inf, 0.8, 0.4, 0.1]))
    """
    thresholds, tp, fp = steps(checked(y, score, sample_weight, pos_label))
    contacted = tp + fp
    return contacted / contacted[-1], tp, thresholds


def area_under_lift(
    y: ArrayLike, score: ArrayLike, sample_weight: ArrayLike | None = None, *, pos_label: Any = None
) -> float:
    """Area under the lift curve; with P positives, a share pi of all rows, it is P (pi/2 + (1 - pi) AUC).

    Parameters
    ----------
    y, score, sample_weight, pos_label
        See `roc_auc`.

    Returns
    -------
    float
        P/2 for a random ranking, P (1 - pi/2) for a perfect one.

    Examples
    --------
    >>> area_under_lift([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    1.375
    """
    contacted, found, _ = lift_curve(y, score, sample_weight, pos_label=pos_label)
    return float(np.trapezoid(found, contacted))


def partial_auc(
    y: ArrayLike,
    score: ArrayLike,
    *,
    max_fpr: float = 1.0,
    min_fpr: float = 0.0,
    min_tpr: float = 0.0,
    standardize: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Area under the part of the ROC curve that matters: min_fpr <= FPR <= max_fpr and TPR >= min_tpr.

    It is the integral of max(TPR - min_tpr, 0) over FPR, along the polyline of `roc_curve`.

    Parameters
    ----------
    y, score, sample_weight, pos_label
        See `roc_auc`.
    max_fpr, min_fpr, min_tpr : float
        The range, 0 <= min_fpr < max_fpr <= 1 and 0 <= min_tpr < 1.
    standardize : bool
        Return 1/2 (1 + (area - chance) / (perfect - chance)), with the areas of the diagonal and of a perfect
        ranking in the same range: 0.5 for chance, 1 for perfect, not clipped below. For min_tpr = 0 this is
        the standardisation of McClish (1989).

    Returns
    -------
    float

    Examples
    --------
    >>> y, score = [0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8]
    >>> partial_auc(y, score, max_fpr=0.5)
    0.375
    >>> partial_auc(y, score, max_fpr=0.5, standardize=True)
    0.8333333333333333
    >>> partial_auc(y, score, max_fpr=0.5, min_tpr=0.5)
    0.125
    """
    if not 0 <= min_fpr < max_fpr <= 1:
        raise ValueError(f"min_fpr={min_fpr}, max_fpr={max_fpr}: choose 0 <= min_fpr < max_fpr <= 1")
    if not 0 <= min_tpr < 1:
        raise ValueError(f"min_tpr={min_tpr}: choose 0 <= min_tpr < 1")
    fpr, tpr, _ = roc_curve(y, score, sample_weight, pos_label=pos_label)
    area = _area_inside(fpr, tpr, min_fpr, max_fpr, min_tpr)
    if not standardize:
        return area
    diagonal = np.array([0.0, 1.0])
    chance = _area_inside(diagonal, diagonal, min_fpr, max_fpr, min_tpr)
    perfect = (max_fpr - min_fpr) * (1.0 - min_tpr)
    return 0.5 * (1.0 + (area - chance) / (perfect - chance))


def _area_inside(fpr, tpr, min_fpr, max_fpr, min_tpr):
    """Integral of max(tpr - min_tpr, 0) over [min_fpr, max_fpr], one straight piece at a time."""
    wide = np.flatnonzero(np.diff(fpr) > 0)
    left, right = np.clip(fpr[wide], min_fpr, max_fpr), np.clip(fpr[wide + 1], min_fpr, max_fpr)
    slope = (tpr[wide + 1] - tpr[wide]) / (fpr[wide + 1] - fpr[wide])
    low = tpr[wide] + slope * (left - fpr[wide]) - min_tpr
    high = tpr[wide] + slope * (right - fpr[wide]) - min_tpr
    rise = np.maximum(high, 0.0) - np.maximum(low, 0.0)
    # A piece that crosses min_tpr counts only from the crossing on.
    share = np.divide(rise, high - low, out=np.ones_like(rise), where=high > low)
    return float(np.sum((right - left) * share * (np.maximum(low, 0.0) + np.maximum(high, 0.0)) / 2))
