"""Statistics of a comparison: intervals of mean AUCs and paired tests (docs/mathematics.md, section 14).

With AUC A_k of a model on fold k of K, B_k that of the reference, and phi_i the influence of test row i on A_k:

    A = mean A_k,        var(A) = sum_i phi_i^2 / K^2                                     DeLong on every fold
    D = mean A_k - B_k,  var(D) = max(sum_i (phi_i - phi'_i)^2 / K^2,                     the same, paired
                                      (1/K + n_test/n_train) var1(A_k - B_k))             Nadeau and Bengio

    DeLong, DeLong, Clarke-Pearson. "Comparing the areas under two or more correlated ROC curves." Biometrics 1988.
    Nadeau, Bengio. "Inference for the generalization error." Machine Learning 2003.

The p-value of D is that of a normal distribution. DeLong's variance alone is that over new test rows and ignores
the variability of the training sets; benchmarks/bench_verdicts.py simulates how often each finds a difference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from aucmax.comparison.out_of_fold import ComparisonData, OutOfFoldScores
from aucmax.metrics.delong import auc_limits
from aucmax.selection.splits import Fold

__all__ = ["SIGNIFICANCE_LEVEL", "PairedDifference", "format_p_value", "interval_of_mean", "paired_difference"]

SIGNIFICANCE_LEVEL = 0.05


class PairedDifference(NamedTuple):
    """The difference of two mean AUCs on the same folds, and the test that it is zero."""

    difference: float  # first mean AUC minus the second
    std_error: float  # of the difference
    delong_error: float  # DeLong's standard error, which accounts for new test rows only
    p_value: float  # two-sided

    @property
    def significant(self) -> bool:
        """Whether the difference is significant."""
        return self.p_value < SIGNIFICANCE_LEVEL

    @property
    def verdict(self) -> str:
        """Whether the first model is "better" or "worse" than the second, or a "tie": no significant difference."""
        if not self.significant:
            return "tie"
        return "better" if self.difference > 0 else "worse"


def paired_difference(a: OutOfFoldScores, b: OutOfFoldScores, folds: list[Fold]) -> PairedDifference:
    """Test the mean AUC of model a against that of model b."""
    K = a.aucs.size
    differences = a.aucs - b.aucs
    difference = float(differences.mean())
    delong_error = float(np.linalg.norm(a.influence - b.influence)) / K
    std_error = delong_error
    if K > 1:
        ratio = np.mean([test.size / train.size for train, test in folds])
        std_error = max(std_error, float(np.sqrt((1.0 / K + ratio) * differences.var(ddof=1))))
    if std_error == 0.0:
        p_value = float(difference == 0.0)
    else:
        p_value = float(2.0 * ndtr(-abs(difference) / std_error))
    return PairedDifference(difference, std_error, delong_error, p_value)


def interval_of_mean(run: OutOfFoldScores, data: ComparisonData) -> tuple[float, float]:
    """Confidence limits of the mean AUC of the folds, on the logit scale."""
    n_rare = int(np.bincount(data.is_pos[~np.isnan(run.scores)], minlength=2).min())
    std_error = float(np.linalg.norm(run.influence)) / run.aucs.size
    return auc_limits(float(run.aucs.mean()), std_error, n_rare, 1.0 - SIGNIFICANCE_LEVEL)


def format_p_value(p_value: float) -> str:
    """The p-value as shown in a sentence.

    Examples
    --------
    >>> format_p_value(0.0312), format_p_value(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"
