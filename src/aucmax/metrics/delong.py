"""Confidence interval of an AUC and paired test of two AUCs, by DeLong's variance (docs/mathematics.md, section 14).

    DeLong, DeLong, Clarke-Pearson. "Comparing the areas under two or more correlated receiver operating
    characteristic curves." Biometrics 1988.
    Sun, Xu. "Fast implementation of DeLong's algorithm." IEEE Signal Processing Letters 2014.

With V10_i the share of the M negatives below positive i, V01_j the share of the P positives above negative j,
ties counted half, and var1 the sample variance with ddof=1:

    AUC = mean V10,      var(AUC) = var1(V10) / P + var1(V01) / M

For two scores of the same rows, V10 and V01 are replaced by the differences between the two. The shares are counted
as integers, so that equal ones have a variance of exactly zero. The variance is that over new test rows and does not
include the variability of the training set. The interval and the test take no sample weights: a weight of k is not k
independent rows. `auc_influence` does, for comparisons on weighted rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr, stdtrit

from aucmax.metrics.auc import roc_auc, twice_wins
from aucmax.metrics.inputs import check_scores, split_by_class
from aucmax.numerics.compiled import compiled
from aucmax.validation.params import Number, check_param


class Interval(NamedTuple):
    """An AUC and its confidence interval."""

    auc: float  # the estimate
    low: float  # lower confidence limit
    high: float  # upper confidence limit
    std_error: float  # of the AUC, not of its logit


class PairedTest(NamedTuple):
    """Two AUCs on the same rows and the test that they are equal."""

    auc_a: float  # of the first scores
    auc_b: float  # of the second scores
    difference: float  # auc_a - auc_b
    std_error: float  # of the difference
    z: float  # difference / std_error
    p_value: float  # two-sided


def auc_interval(
    y_true: ArrayLike, y_score: ArrayLike, *, confidence: float = 0.95, pos_label: Any = None
) -> Interval:
    """AUC with a confidence interval: DeLong's variance on the logit scale.

    Parameters
    ----------
    y_true, y_score, pos_label
        As for `roc_auc`; at least two rows of each class.
    confidence : float
        Nominal coverage, between 0 and 1.

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
    check_param("confidence", confidence, Number(0, 1, open="both"))
    pos, neg = _classes(y_true, y_score, pos_label)
    pos.sort()  # the order of the rows does not matter
    neg.sort()
    pairs = pos.size * neg.size
    twice_won = int(twice_wins(pos, neg))
    variance = _squares(pos, neg, twice_won / pos.size) / (pos.size * (pos.size - 1.0) * (2.0 * neg.size) ** 2)
    lost = (2 * pairs - twice_won) / neg.size
    variance += _squares(neg, pos, lost) / (neg.size * (neg.size - 1.0) * (2.0 * pos.size) ** 2)
    auc = twice_won / (2 * pairs)
    std_error = float(np.sqrt(variance))
    return Interval(auc, *auc_limits(auc, std_error, min(pos.size, neg.size), confidence), std_error)


def weighted_auc_interval(
    is_pos: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None, confidence: float = 0.95
) -> Interval:
    """As `auc_interval`, of rows that may have weights; the limits are NaN if a class has a single row.

    Examples
    --------
    >>> is_pos, score = np.array([False, False, False, True, True, True]), np.array([0.1, 0.4, 0.6, 0.5, 0.8, 0.9])
    >>> [round(number, 3) for number in weighted_auc_interval(is_pos, score, np.ones(6))]
    [0.889, 0.261, 0.995, 0.157]
    """
    counted = is_pos if weight is None else is_pos[weight > 0]
    n_rare = min(int(np.count_nonzero(counted)), int(np.count_nonzero(~counted)))
    if weight is None and n_rare > 1:
        return auc_interval(is_pos, score, confidence=confidence)
    auc = roc_auc(is_pos, score, sample_weight=weight)
    if n_rare < 2:
        return Interval(auc, np.nan, np.nan, np.nan)
    std_error = float(np.linalg.norm(auc_influence(is_pos, score, sample_weight=weight)))
    return Interval(auc, *auc_limits(auc, std_error, n_rare, confidence), std_error)


def auc_limits(
    auc: float, std_error: float, n_rare: int, confidence: float = 0.95, df: float = np.inf
) -> tuple[float, float]:
    """Confidence limits on the logit scale; for AUC 0 or 1, from the number of rows of the rarer class.

    `df` are the degrees of freedom of the standard error; the limits are normal if they are infinite.
    """
    if not 0.0 < auc < 1.0:
        margin = 1.0 - (1.0 - confidence) ** (1.0 / n_rare)
        return max(auc - margin, 0.0), min(auc + margin, 1.0)
    reach = stdtrit(df, 0.5 + confidence / 2) * std_error / (auc * (1.0 - auc))
    return float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))


def auc_influence(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> np.ndarray:
    """Influence of each row on the AUC; the squares add up to DeLong's variance.

    phi_i = p_i (V_i - mean V) / sqrt(1 - sum p^2), with V_i the share of the other class below row i, and p the
    weights of its class, summing to 1. For two scores of the same rows, the squares of the differences add up to
    the variance of the difference.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `roc_auc`.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> y_true, y_score = [0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.6, 0.5, 0.8, 0.9]
    >>> std_error = float(np.linalg.norm(auc_influence(y_true, y_score)))
    >>> round(std_error, 3), round(auc_interval(y_true, y_score).std_error, 3)
    (0.157, 0.157)
    """
    is_pos, score, weight = check_scores(y_true, y_score, sample_weight, pos_label)
    weight = np.ones(score.size) if weight is None else weight
    phi = np.empty(score.size)
    for members in (is_pos, ~is_pos):
        p = weight[members] / weight[members].sum()
        share = share_below(score[members], score[~members], weight[~members])
        phi[members] = p * (share - np.sum(p * share)) / np.sqrt(max(1.0 - np.sum(p * p), 1e-12))
    return phi


def std_error_of_counts(
    is_pos: np.ndarray, weight: np.ndarray, score: np.ndarray, other: np.ndarray | None = None
) -> float:
    """DeLong's standard error of an AUC, or of its difference from another, where a weight of k means k rows.

    Weights that sum to less than the number of rows of their class are scaled up to it. No validation.

    Examples
    --------
    >>> is_pos, score = np.array([False, False, False, True, True, True]), np.array([0.1, 0.4, 0.6, 0.5, 0.8, 0.9])
    >>> round(std_error_of_counts(is_pos, np.ones(6), score), 3)
    0.157
    """
    variance = 0.0
    for members in (is_pos, ~is_pos):
        total = float(weight[members].sum())
        p = weight[members] / total
        share = share_below(score[members], score[~members], weight[~members])
        if other is not None:
            share = share - share_below(other[members], other[~members], weight[~members])
        count = max(total, float(p.size))
        variance += float(p @ (share - p @ share) ** 2) / max(count - 1.0, 1.0)
    return float(np.sqrt(variance))


def auc_test(y_true: ArrayLike, y_score_a: ArrayLike, y_score_b: ArrayLike, *, pos_label: Any = None) -> PairedTest:
    """Two-sided paired test that two scores of the same rows have the same AUC.

    Parameters
    ----------
    y_true, pos_label
        As for `roc_auc`; at least two rows of each class.
    y_score_a, y_score_b : arrays of shape (n,)
        The scores to compare.

    Returns
    -------
    PairedTest
        (auc_a, auc_b, difference, std_error, z, p_value). If the variance is zero, p is 1 for equal AUCs and 0
        otherwise.

    Examples
    --------
    >>> y_true = [0, 0, 0, 1, 1, 1]
    >>> result = auc_test(y_true, [0.1, 0.4, 0.6, 0.5, 0.8, 0.9], [0.1, 0.9, 0.6, 0.5, 0.8, 0.9])
    >>> [round(number, 3) for number in result]
    [0.889, 0.611, 0.278, 0.283, 0.981, 0.327]
    """
    pos_a, neg_a = _placements(y_true, y_score_a, pos_label)
    pos_b, neg_b = _placements(y_true, y_score_b, pos_label)
    auc_a = _auc(pos_a, neg_a)
    auc_b = _auc(pos_b, neg_b)
    std_error = _std_error(pos_a - pos_b, neg_a - neg_b)
    z = standardized(auc_a - auc_b, std_error)
    return PairedTest(auc_a, auc_b, auc_a - auc_b, std_error, z, float(2.0 * ndtr(-abs(z))))


def standardized(difference: float, std_error: float) -> float:
    """The difference over its standard error; 0 if both are zero, infinite if only the standard error is."""
    if std_error > 0:
        return difference / std_error
    return float(np.copysign(np.inf, difference)) if difference else 0.0


def share_below(scores: np.ndarray, others: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """For each score, the weighted share of the others below it, ties counted half."""
    twice, total = _twice_below(scores, others, weight)
    return twice / (2.0 * total)


def _placements(y_true: ArrayLike, y_score: ArrayLike, pos_label: Any) -> tuple[np.ndarray, np.ndarray]:
    """Twice the number of rows of the other class below each positive, and below each negative; ties count one."""
    pos, neg = _classes(y_true, y_score, pos_label)
    return _twice_below(pos, neg)[0], _twice_below(neg, pos)[0]


def _classes(y_true: ArrayLike, y_score: ArrayLike, pos_label: Any) -> tuple[np.ndarray, np.ndarray]:
    """The scores of each class, which has two rows or more."""
    pos, neg = split_by_class(check_scores(y_true, y_score, None, pos_label))
    if min(pos.size, neg.size) < 2:
        counts = f"{pos.size} positive and {neg.size} negative rows"
        raise ValueError(f"{counts}; DeLong's variance needs two of each: pass more rows, or use roc_auc")
    return pos, neg


@compiled
def _squares(scores, others, mean):
    """Sum over ascending scores of (v - mean)^2, v twice the number of ascending others below plus those equal."""
    below = 0
    upto = 0
    total = 0.0
    for s in scores:
        while below < others.size and others[below] < s:
            below += 1
        upto = max(upto, below)
        while upto < others.size and others[upto] == s:
            upto += 1
        total += (below + upto - mean) ** 2
    return total


def _twice_below(
    scores: np.ndarray, others: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """For each score, twice the weight of the others below it plus the weight equal to it; and the total weight."""
    if weight is None:
        others = np.sort(others)
        below = np.arange(others.size + 1)
    else:
        order = np.argsort(others)
        others = others[order]
        below = np.append(0.0, np.cumsum(weight[order]))
    order = np.argsort(scores)
    ascending = scores[order]  # faster to search for than unsorted scores
    twice = np.empty(scores.size, below.dtype)
    twice[order] = below[np.searchsorted(others, ascending, "left")]
    twice[order] += below[np.searchsorted(others, ascending, "right")]
    return twice, below[-1]


def _auc(pos: np.ndarray, neg: np.ndarray) -> float:
    return int(pos.sum()) / (2 * pos.size * neg.size)


def _std_error(pos: np.ndarray, neg: np.ndarray) -> float:
    """Square root of DeLong's variance; V01 is one minus the share below, which has the same variance."""
    v10 = np.var(pos, ddof=1) / (2.0 * neg.size) ** 2
    v01 = np.var(neg, ddof=1) / (2.0 * pos.size) ** 2
    return float(np.sqrt(v10 / pos.size + v01 / neg.size))
