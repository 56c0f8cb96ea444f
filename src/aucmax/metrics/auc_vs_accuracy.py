"""AUC versus accuracy over all rankings: consistency, discriminancy, and the expected AUC at an error rate.

    Ling, Huang, Zhang. "AUC: a statistically consistent and more discriminating measure than accuracy."
    IJCAI 2003.
    Cortes, Mohri. "AUC optimization vs. error rate minimization." NIPS 2003.

Every order of n_pos positives and n_neg negatives, without ties, is one ranking; the `cut` top-ranked rows are
predicted positive. Rankings are counted by true positives above the cut, which determine the accuracy, and by pairs
won, which determine the AUC. All counts are Python integers, hence exact.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf, nan
from typing import NamedTuple

import numpy as np

from aucmax.validation.params import Integer, check_param

__all__ = ["RankingCounts", "consistency", "discriminancy", "expected_auc", "ranking_counts"]


class RankingCounts(NamedTuple):
    """Number of unordered pairs of rankings, by which one AUC and accuracy prefer; letters as in the paper."""

    agree: int  # R: both prefer the same ranking
    disagree: int  # S: they prefer different ones
    auc_only: int  # P: AUC differs, accuracy is the same
    accuracy_only: int  # Q: accuracy differs, AUC is the same


def ranking_counts(n_pos: int, n_neg: int, cut: int | None = None) -> RankingCounts:
    """Count the pairs of rankings on which AUC and accuracy agree, disagree, or only one of them differs.

    Parameters
    ----------
    n_pos, n_neg : int
        Sizes of the classes, at least 1.
    cut : int, optional
        Number of top-ranked rows predicted positive, from 0 to n_pos + n_neg; by default n_pos.

    Returns
    -------
    RankingCounts

    Examples
    --------
    >>> ranking_counts(3, 3)
    RankingCounts(agree=113, disagree=1, auc_only=62, accuracy_only=4)
    """
    _check_sizes(n_pos, n_neg)
    cut = n_pos if cut is None else cut
    check_param("cut", cut, Integer(0, n_pos + n_neg))
    table = _histogram(n_pos, n_neg, cut)
    return RankingCounts(
        agree=_ordered_pairs(table),
        disagree=_ordered_pairs(table[:, ::-1]),
        auc_only=_unequal_pairs(table),
        accuracy_only=_unequal_pairs(table.T),
    )


def consistency(n_pos: int, n_neg: int, cut: int | None = None) -> float:
    """Degree of consistency of AUC with accuracy, R / (R + S): how often they agree where both differ.

    Parameters
    ----------
    n_pos, n_neg, cut
        Sizes of the classes and number of rows predicted positive; see `ranking_counts`.

    Returns
    -------
    float
        NaN if no two rankings differ in both, as for a cut of 0 or of all rows.

    Examples
    --------
    >>> round(consistency(6, 6), 3)
    0.951
    """
    counts = ranking_counts(n_pos, n_neg, cut)
    both = counts.agree + counts.disagree
    return counts.agree / both if both else nan


def discriminancy(n_pos: int, n_neg: int, cut: int | None = None) -> float:
    """Degree of discriminancy of AUC over accuracy, P / Q: how many more rankings AUC distinguishes.

    Parameters
    ----------
    n_pos, n_neg, cut
        As for `ranking_counts`.

    Returns
    -------
    float
        Infinite if accuracy distinguishes no rankings that AUC does not; NaN if neither distinguishes any.

    Examples
    --------
    >>> round(discriminancy(6, 6), 1)
    16.3
    """
    counts = ranking_counts(n_pos, n_neg, cut)
    if counts.accuracy_only:
        return counts.auc_only / counts.accuracy_only
    return inf if counts.auc_only else nan


def expected_auc(n_pos: int, n_neg: int, errors: int) -> float:
    """Mean AUC of the rankings and cuts that misclassify a given number of rows, all equally likely.

    Parameters
    ----------
    n_pos, n_neg : int
        Sizes of the classes, at least 1.
    errors : int
        Number of misclassified rows, at most min(n_pos, n_neg).

    Returns
    -------
    float
        Equal to the accuracy if the classes are of the same size, at most the accuracy otherwise.

    Examples
    --------
    >>> expected_auc(4, 4, errors=1), round(expected_auc(2, 6, errors=1), 3)
    (0.875, 0.8)
    """
    _check_sizes(n_pos, n_neg)
    check_param("errors", errors, Integer(0, min(n_pos, n_neg)))
    n = n_pos + n_neg
    fewer = sum(comb(n, x) for x in range(errors))
    all_cuts = sum(comb(n + 1, x) for x in range(errors + 1))
    skew = Fraction((n_neg - n_pos) ** 2 * (n + 1), 4 * n_pos * n_neg)
    return float(1 - Fraction(errors, n) - skew * (Fraction(errors, n) - Fraction(fewer, all_cuts)))


def _check_sizes(n_pos, n_neg):
    check_param("n_pos", n_pos, Integer(1))
    check_param("n_neg", n_neg, Integer(1))


def _histogram(n_pos, n_neg, cut):
    """Number of rankings by true positives above the cut (rows) and pairs won (columns)."""
    lowest, highest = max(0, cut - n_neg), min(n_pos, cut)
    table = np.zeros((highest - lowest + 1, n_pos * n_neg + 1), dtype=object)
    for row, tp in enumerate(range(lowest, highest + 1)):
        tn = n_neg - (cut - tp)
        inside = np.convolve(_by_wins(tp, cut - tp), _by_wins(n_pos - tp, tn))
        table[row, tp * tn : tp * tn + inside.size] = inside
    return table


def _by_wins(n_pos, n_neg):
    """Number of rankings by pairs won: coefficients of prod_{i=1..n_pos} (1 - x^(n_neg + i)) / (1 - x^i)."""
    counts = [1] + [0] * (n_pos * n_neg)
    for i in range(1, n_pos + 1):
        for wins in range(len(counts) - 1, n_neg + i - 1, -1):
            counts[wins] -= counts[wins - n_neg - i]
        for wins in range(i, len(counts)):
            counts[wins] += counts[wins - i]
    return np.array(counts, dtype=object)


def _ordered_pairs(table):
    """Pairs of rankings of which one is further down and further right than the other."""
    upto = table.cumsum(axis=0).cumsum(axis=1)
    return int((table[1:, 1:] * upto[:-1, :-1]).sum())


def _unequal_pairs(table):
    """Pairs of rankings in the same row but in different columns."""
    return int((table.sum(axis=1) ** 2).sum() - (table**2).sum()) // 2
