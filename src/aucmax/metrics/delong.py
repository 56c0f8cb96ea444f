"""Confidence interval of an AUC and paired test of two, by the variance of DeLong.

    DeLong, DeLong, Clarke-Pearson. "Comparing the areas under two or more correlated receiver operating
    characteristic curves." Biometrics 1988.
    Sun, Xu. "Fast implementation of DeLong's algorithm." IEEE Signal Processing Letters 2014.

With V10_i the share of the M negatives below positive i, V01_j the share of the P positives above negative j,
ties counted half, and var1 the sample variance with ddof=1:

    AUC = mean V10,      var(AUC) = var1(V10) / P + var1(V01) / M

For two scores on the same rows, V10 and V01 of their difference take this place. The shares are counted as
integers, so that equal ones have variance zero exactly. The variance is that of new test rows and does not
cover the training of the model. The interval and the test take no sample weights: a weight of k is not k independent
rows. `auc_influence` does, for comparisons that must weigh their rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr, ndtri

from aucmax.metrics.scored import checked, split


class Interval(NamedTuple):
    """An AUC, its confidence limits and its standard error."""

    auc: float
    low: float
    high: float
    std_error: float


class PairedTest(NamedTuple):
    """Two AUCs on the same rows, their difference a - b, and the test that it is zero."""

    auc_a: float
    auc_b: float
    difference: float
    std_error: float
    z: float
    p_value: float


class _Placements(NamedTuple):
    """Twice the number of the other class below each positive, and below each negative."""

    pos: np.ndarray
    neg: np.ndarray


def auc_interval(y: ArrayLike, score: ArrayLike, *, confidence: float = 0.95, pos_label: Any = None) -> Interval:
    """AUC with a confidence interval: DeLong's variance on the logit scale.

    Parameters
    ----------
    y, score, pos_label
        See `roc_auc`; at least two rows of each class.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Interval
        (auc, low, high, std_error). For AUC 1 the variance estimate is zero, and the interval is
        [(1 - confidence)^(1 / min(P, M)), 1]; mirrored for AUC 0. Constant scores give the point 0.5.

    Examples
    --------
    >>> result = auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.6, 0.5, 0.8, 0.9])
    >>> [round(number, 3) for number in result]
    [0.889, 0.261, 0.995, 0.157]
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence}; choose a number between 0 and 1, such as 0.95")
    placements = _placements(y, score, pos_label)
    auc, std_error = _auc(placements), _std_error(placements)
    n_rare = min(placements.pos.size, placements.neg.size)
    return Interval(auc, *auc_limits(auc, std_error, n_rare, confidence), std_error)


def auc_limits(auc: float, std_error: float, n_rare: int, confidence: float = 0.95) -> tuple[float, float]:
    """Confidence limits on the logit scale; for AUC 0 or 1, from the number of rows of the rarer class."""
    if not 0.0 < auc < 1.0:
        margin = 1.0 - (1.0 - confidence) ** (1.0 / n_rare)
        return max(auc - margin, 0.0), min(auc + margin, 1.0)
    reach = ndtri(0.5 + confidence / 2) * std_error / (auc * (1.0 - auc))
    return float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))


def auc_influence(is_pos: np.ndarray, score: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Influence of each row on the AUC; the squares add up to DeLong's variance.

    phi_i = p_i (V_i - mean V) / sqrt(1 - sum p^2), with V_i the share of the other class below row i, and p the
    weights of its class, summing to 1. For two scores of the same rows, the squares of the differences add up to
    the variance of the difference.
    """
    phi = np.empty(score.size)
    for mine in (is_pos, ~is_pos):
        p = weight[mine] / weight[mine].sum()
        share = _share_below(score[mine], score[~mine], weight[~mine])
        phi[mine] = p * (share - np.sum(p * share)) / np.sqrt(max(1.0 - np.sum(p * p), 1e-12))
    return phi


def auc_test(y: ArrayLike, score_a: ArrayLike, score_b: ArrayLike, *, pos_label: Any = None) -> PairedTest:
    """Two-sided paired test that two scores of the same rows have the same AUC.

    Parameters
    ----------
    y, pos_label
        See `roc_auc`; at least two rows of each class.
    score_a, score_b : arrays of shape (n,)
        The scores to compare.

    Returns
    -------
    PairedTest
        (auc_a, auc_b, difference, std_error, z, p_value). Without any variance, p is 1 for equal AUCs and 0
        for others.

    Examples
    --------
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> result = auc_test(y, [0.1, 0.4, 0.6, 0.5, 0.8, 0.9], [0.1, 0.9, 0.6, 0.5, 0.8, 0.9])
    >>> [round(number, 3) for number in result]
    [0.889, 0.611, 0.278, 0.283, 0.981, 0.327]
    """
    a, b = _placements(y, score_a, pos_label), _placements(y, score_b, pos_label)
    std_error = _std_error(_Placements(a.pos - b.pos, a.neg - b.neg))
    difference = _auc(a) - _auc(b)
    z = _ratio(difference, std_error)
    return PairedTest(_auc(a), _auc(b), difference, std_error, z, float(2.0 * ndtr(-abs(z))))


def _placements(y, score, pos_label) -> _Placements:
    classes = split(checked(y, score, None, pos_label))
    pos, neg = classes.pos_scores, classes.neg_scores
    if min(pos.size, neg.size) < 2:
        counts = f"{pos.size} positive and {neg.size} negative rows"
        raise ValueError(f"{counts}; DeLong's variance needs two of each: pass more rows, or use roc_auc")
    return _Placements(_twice_below(pos, neg), _twice_below(neg, pos))


def _twice_below(scores, others):
    """For each score, twice the number of others below it plus the number of others equal to it."""
    order = np.argsort(scores)
    needles, others = scores[order], np.sort(others)
    counts = np.empty(scores.size, dtype=np.int64)
    counts[order] = np.searchsorted(others, needles, "left") + np.searchsorted(others, needles, "right")
    return counts


def _auc(placements: _Placements) -> float:
    pos, neg = placements
    return int(pos.sum()) / (2 * pos.size * neg.size)


def _std_error(placements: _Placements) -> float:
    """Square root of DeLong's variance; V01 is one minus the share below, which varies alike."""
    pos, neg = placements
    v10 = np.var(pos, ddof=1) / (2.0 * neg.size) ** 2
    v01 = np.var(neg, ddof=1) / (2.0 * pos.size) ** 2
    return float(np.sqrt(v10 / pos.size + v01 / neg.size))


def _ratio(difference: float, std_error: float) -> float:
    """The z statistic; without variance 0 for no difference, infinite for any other."""
    if std_error > 0:
        return difference / std_error
    return float(np.copysign(np.inf, difference)) if difference else 0.0


def _share_below(scores: np.ndarray, others: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """For each score, the weighted share of the others below it, ties counted half."""
    order = np.argsort(others)
    total = np.append(0.0, np.cumsum(weight[order]))
    below, upto = (total[np.searchsorted(others[order], scores, side)] for side in ("left", "right"))
    return (below + upto) / (2.0 * total[-1])
