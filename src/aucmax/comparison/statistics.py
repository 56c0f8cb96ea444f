"""Statistics of a comparison: paired tests, Holm's correction and verdicts (docs/mathematics.md, section 14).

With AUCs A and B of a model and the reference on the m = r K folds of r repeats, D = A - B, and phi_i, phi'_i the
influence of row i on the mean of A and of B:

    var(D) = max(sum_i (phi_i - phi'_i)^2,                    DeLong, paired: new test rows only; normal
                 (1/m + n_test/n_train) var1(D_rk))           Nadeau and Bengio: training too; t, m - 1 df

The verdict is one of four words: "better" or "worse" if the p-value, corrected for several models, is below 5 %;
"equivalent" if the 90 % interval of the difference lies within +-rope; else "undecided": the table is too small to
tell. benchmarks/bench_verdicts.py simulates how often each of them is wrong.
"""

from __future__ import annotations

from math import ceil, inf
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from aucmax.metrics.cross_validated import corrected_test

__all__ = [
    "EQUIVALENCE_CONFIDENCE",
    "ROPE",
    "SIGNIFICANCE_LEVEL",
    "PairedDifference",
    "format_p_value",
    "paired_difference",
    "rows_needed",
]

SIGNIFICANCE_LEVEL = 0.05
EQUIVALENCE_CONFIDENCE = 0.90  # two one-sided tests at 5 %
POWER = 0.8  # with which the number of rows needed would decide
ROPE = 0.005  # region of practical equivalence: differences of AUC up to this do not matter


class PairedDifference(NamedTuple):
    """The difference of two mean AUCs on the same folds, and the test that it is zero."""

    difference: float  # first mean AUC minus the second
    std_error: float  # of the difference
    df: float  # degrees of freedom of its t distribution; infinite for a normal one
    delong_error: float  # DeLong's standard error, which accounts for new test rows only
    p_value: float  # two-sided, of this test alone

    def interval(self, confidence: float = 1.0 - SIGNIFICANCE_LEVEL) -> tuple[float, float]:
        """Confidence interval of the difference."""
        share = 0.5 + confidence / 2
        reach = self.std_error * stdtrit(self.df, share)
        return float(self.difference - reach), float(self.difference + reach)

    def verdict(self, p_value: float, rope: float = ROPE) -> str:
        """Better, worse, equivalent or undecided; `p_value` is the one corrected for several tests."""
        if p_value < SIGNIFICANCE_LEVEL:
            return "better" if self.difference > 0 else "worse"
        low, high = self.interval(EQUIVALENCE_CONFIDENCE)
        return "equivalent" if -rope <= low and high <= rope else "undecided"


def paired_difference(
    a: np.ndarray, b: np.ndarray, influence: np.ndarray, *, n_train: float, n_test: float
) -> PairedDifference:
    """Test the mean AUC of one model against that of another.

    Parameters
    ----------
    a, b : arrays of shape (n_folds,)
        AUCs of the two models on the same folds, those of all repeats.
    influence : array of shape (n_rows,)
        Influence of each row on the mean of a minus its influence on the mean of b.
    n_train, n_test : float
        Mean sizes of the training and test sets.
    """
    difference = float(np.mean(a - b))
    delong_error = float(np.linalg.norm(influence))
    std_error, df = delong_error, inf
    if a.size > 1:
        resampled = corrected_test(a, b, n_train=n_train, n_test=n_test)
        if resampled.std_error > delong_error:
            std_error, df = resampled.std_error, resampled.df
    if std_error == 0.0:
        p_value = float(difference == 0.0)
    else:
        p_value = float(2.0 * stdtr(df, -abs(difference) / std_error))
    return PairedDifference(difference, std_error, df, delong_error, p_value)


def rows_needed(paired: PairedDifference, n_rows: int, rope: float = ROPE) -> int:
    """About how many rows would decide, if the difference stayed what it is and its error fell as 1/sqrt(n).

    Either the difference becomes significant, or its 90 % interval fits into +-rope, whichever takes fewer rows; each
    with a power of 80 %.

    Examples
    --------
    >>> rows_needed(PairedDifference(0.01, 0.01, inf, 0.01, 0.32), 1000)
    7900
    """
    size = abs(paired.difference)
    to_detect = (ndtri(1.0 - SIGNIFICANCE_LEVEL / 2) + ndtri(POWER)) / max(size, 1e-300)
    margin = max(rope - size, 1e-300)
    to_exclude = (ndtri(0.5 + EQUIVALENCE_CONFIDENCE / 2) + ndtri(0.5 + POWER / 2)) / margin
    factor = (paired.std_error * min(to_detect, to_exclude)) ** 2
    return ceil(min(max(factor, 1.0), 1e9) * n_rows / 100) * 100


def format_p_value(p_value: float) -> str:
    """The p-value as shown in a sentence.

    Examples
    --------
    >>> format_p_value(0.0312), format_p_value(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"
