"""Reliability of probabilities: predicted and observed frequencies of positives in bins, with confidence intervals.

The interval of an observed frequency q of n rows is Wilson's, with z the normal quantile,

    (q + z^2/2n +- z sqrt(q (1 - q)/n + z^2/4n^2)) / (1 + z^2/n)

and n the effective number of rows, (sum s)^2 / sum s^2, if rows have weights s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from aucmax.metrics.inputs import check_scores
from aucmax.validation.params import Integer, Number, Option, check_param


class Reliability(NamedTuple):
    """Bins of rows of similar predicted probability, in ascending order; empty ones are left out."""

    predicted: np.ndarray  # mean predicted probability
    observed: np.ndarray  # share of positives
    low: np.ndarray  # lower confidence limit of that share
    high: np.ndarray  # upper confidence limit of it
    weight: np.ndarray  # share of all rows that the bin has


def reliability_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> Reliability:
    """Predicted probabilities against observed shares of positives, in bins.

    Parameters
    ----------
    y_true, sample_weight, pos_label
        As for `roc_auc`.
    y_prob : array of shape (n,)
        Probabilities of the positive class.
    n_bins : int
        Maximum number of bins.
    strategy : {"quantile", "uniform"}
        Bins of about equal weight, in which equal probabilities stay together; or of equal width.
    confidence : float
        Nominal coverage of the interval of each bin, between 0 and 1.

    Returns
    -------
    Reliability

    Examples
    --------
    >>> result = reliability_curve([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.2, 0.7, 0.8, 0.9], n_bins=2)
    >>> result.predicted.round(3), result.observed.round(3), result.weight
    (array([0.167, 0.8  ]), array([0.333, 0.667]), array([0.5, 0.5]))
    """
    check_param("n_bins", n_bins, Integer(1))
    check_param("strategy", strategy, Option("quantile", "uniform"))
    check_param("confidence", confidence, Number(0, 1, open="both"))
    is_pos, prob, weight = check_scores(y_true, y_prob, sample_weight, pos_label, rates=True)
    _check_probabilities(prob)
    weight = np.ones(prob.size) if weight is None else weight
    bins = _equal_weight_bins(prob, weight, n_bins) if strategy == "quantile" else _equal_width_bins(prob, n_bins)
    sums = np.array([np.bincount(bins, weight * each, n_bins) for each in (1.0, prob, is_pos, weight)])
    total, probs, positives, squares = sums[:, sums[3] > 0]
    observed = np.minimum(positives / total, 1.0)  # rounding
    low, high = _wilson_limits(observed, total**2 / squares, confidence)
    return Reliability(probs / total, observed, low, high, total / weight.sum())


def _check_probabilities(prob: np.ndarray) -> None:
    outside = np.flatnonzero((prob < 0) | (prob > 1))
    if outside.size:
        text = f"y_prob[{outside[0]}] is {prob[outside[0]]}, which is not a probability"
        raise ValueError(f"{text}; pass numbers from 0 to 1, such as predict_proba(X)[:, 1]")


def _equal_weight_bins(prob: np.ndarray, weight: np.ndarray, n_bins: int) -> np.ndarray:
    """The bin of each row, by the middle of the ranks of all rows with the same probability."""
    distinct, index = np.unique(prob, return_inverse=True)
    share = np.bincount(index, weight, distinct.size) / weight.sum()
    middle = np.cumsum(share) - 0.5 * share
    return np.minimum((middle * n_bins).astype(np.int64), n_bins - 1)[index]


def _equal_width_bins(prob: np.ndarray, n_bins: int) -> np.ndarray:
    """The bin of each row; a probability on an edge belongs to the bin below it, as in scikit-learn."""
    return np.searchsorted(np.linspace(0.0, 1.0, n_bins + 1)[1:-1], prob)


def _wilson_limits(q: np.ndarray, n: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    z = ndtri(0.5 + confidence / 2)
    centre = (q + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * np.sqrt(q * (1 - q) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.clip(centre - reach, 0.0, q), np.clip(centre + reach, q, 1.0)  # rounding, where q is 0 or 1
