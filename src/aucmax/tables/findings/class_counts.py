"""AUC108: a class with so few rows that the AUC is uncertain.

    Hanley, McNeil. "The meaning and use of the area under a receiver operating characteristic curve." Radiology 1982.

For AUC A, with Q1 = A / (2 - A) and Q2 = 2 A^2 / (1 + A), the variance that P positives and M negatives give is about

    (A (1 - A) + (P - 1) (Q1 - A^2) + (M - 1) (Q2 - A^2)) / (P M)
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from aucmax.metrics.delong import auc_limits
from aucmax.tables.findings.finding import Finding

FEW = 20
_AUC = 0.8  # for which the interval is given


def few_of_a_class(y: np.ndarray) -> list[Finding]:
    """A finding if one of the classes 0 and 1 has fewer than 20 rows.

    Examples
    --------
    >>> [finding] = few_of_a_class(np.repeat([0, 1], [400, 7]))
    >>> print(finding.message)
    only 7 positive rows: the 95 % interval of an AUC of 0.80 would be about 0.54 to 0.93
    """
    n_neg, n_pos = np.bincount(y, minlength=2)
    n_rare = min(n_neg, n_pos)
    if n_rare >= FEW:
        return []
    which = "positive" if n_pos <= n_neg else "negative"
    rows = "row" if n_rare == 1 else "rows"
    low, high = auc_limits(_AUC, _std_error(_AUC, n_pos, n_neg), n_rare)
    width = f"the 95 % interval of an AUC of {_AUC:.2f} would be about {low:.2f} to {high:.2f}"
    return [Finding("AUC108", f"only {n_rare} {which} {rows}: {width}", "collect more before models are compared")]


def _std_error(auc: float, n_pos: int, n_neg: int) -> float:
    excess_pos = auc / (2.0 - auc) - auc**2
    excess_neg = 2.0 * auc**2 / (1.0 + auc) - auc**2
    variance = auc * (1.0 - auc) + (n_pos - 1) * excess_pos + (n_neg - 1) * excess_neg
    return sqrt(variance / (n_pos * n_neg))
