"""AUC, exact with ties and weights.

    AUC = (1 / P M) sum_ij [s_i > s_j] + 1/2 [s_i = s_j],      i positive, j negative

Each class is sorted separately, then one scan over both counts the pairs. Without weights twice the sum is an
integer, so that the only rounding is that of the final division (exact for P M < 2^62). With weights the sum over all
pairs is accumulated in the same order as that over the pairs won, so that a perfect ranking gives exactly 1 and ties
exactly 1/2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucmax.metrics.inputs import check_scores, split_by_class
from aucmax.numerics.compiled import compiled


def roc_auc(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> float:
    """Area under the ROC curve: the probability that a positive scores above a negative, ties counted half.

    Parameters
    ----------
    y_true : array of shape (n,)
        Labels, of any two values.
    y_score : array of shape (n,)
        Finite scores, larger for the positive class; float32 is sorted as such, other types as float64.
    sample_weight : array of shape (n,), optional
        Non-negative weights; a pair has the product of its weights, so that a weight of k equals k copies.
    pos_label : optional
        The label of the positive class; by default the larger of the two in sort order.

    Returns
    -------
    float

    Examples
    --------
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    >>> roc_auc(["ham", "spam", "ham"], [1.0, 2.0, 3.0])
    0.5
    """
    return auc_of_classes(*split_by_class(check_scores(y_true, y_score, sample_weight, pos_label)))


def auc_of_classes(
    pos_scores: np.ndarray,
    neg_scores: np.ndarray,
    pos_weight: np.ndarray | None = None,
    neg_weight: np.ndarray | None = None,
) -> float:
    """AUC from the scores of each class, in any order; without validation, for callers in a loop.

    Parameters
    ----------
    pos_scores, neg_scores : arrays of finite numbers, neither of them empty
    pos_weight, neg_weight : arrays of the same lengths, optional

    Returns
    -------
    float

    Examples
    --------
    >>> auc_of_classes(np.array([0.8, 0.4]), np.array([0.1, 0.4]))
    0.875
    """
    if pos_weight is None and neg_weight is None:
        return twice_wins(np.sort(pos_scores), np.sort(neg_scores)) / (2 * pos_scores.size * neg_scores.size)
    pos = _sorted_with_weight(pos_scores, pos_weight)
    neg = _sorted_with_weight(neg_scores, neg_weight)
    return float(_weighted_share(*pos, *neg))


def _sorted_with_weight(scores, weight):
    """Scores in ascending order, and their weights scaled to a maximum of 1; ones if there are none."""
    if weight is None:
        return np.sort(scores), np.ones(scores.size)
    order = np.argsort(scores)
    return scores[order], weight[order] / weight.max()


@compiled
def twice_wins(pos, neg):
    """Twice the pairs won, plus the pairs tied, of two ascending arrays."""
    below = 0
    upto = 0
    total = 0
    for i in range(pos.size):
        s = pos[i]
        while below < neg.size and neg[below] < s:
            below += 1
        upto = max(upto, below)
        while upto < neg.size and neg[upto] == s:
            upto += 1
        total += below + upto
    return total


@compiled(strict=True)
def _weighted_share(pos, pos_weight, neg, neg_weight):
    """Share of the pairs won, each weighted by the product of its weights, ties counted half."""
    j = k = 0
    below = upto = 0.0
    won = possible = 0.0
    total = 0.0
    for weight in neg_weight:
        total += weight
    for i in range(pos.size):
        s = pos[i]
        while j < neg.size and neg[j] < s:
            below += neg_weight[j]
            j += 1
        while k < neg.size and neg[k] <= s:
            upto += neg_weight[k]
            k += 1
        won += pos_weight[i] * (below + upto)
        possible += pos_weight[i] * (2.0 * total)
    return won / possible
