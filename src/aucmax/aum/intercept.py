"""The intercept: the constant added to all predictions that minimises the number of errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.value import error_roc_curve


def best_intercept(errors: ErrorFunctions, pred: ArrayLike) -> float:
    """The constant c that minimises the false positives plus the false negatives of pred + c.

    It is the midpoint between two thresholds, in the longest of equally good intervals. Predicting all or none
    positive is among the candidates; then c is beyond the last threshold by the mean gap between two (or by 1).

    Parameters
    ----------
    errors : ErrorFunctions
    pred : array of shape (n_examples,)
        Predictions without the intercept.

    Returns
    -------
    float

    Examples
    --------
    >>> errors = ErrorFunctions.from_labels([0, 0, 1, 1])
    >>> best_intercept(errors, [0.0, 2.0, 3.0, 4.0])
    -2.5
    >>> best_intercept(ErrorFunctions.from_labels([0, 1, 1]), [1.0, 0.0, 0.0])  # all positive
    1.0
    """
    curve = error_roc_curve(errors, pred)
    n_errors = errors.total_fp * curve.fpr + errors.total_fn * (1.0 - curve.tpr)
    beyond = float(np.diff(curve.threshold).mean()) if curve.threshold.size > 1 else 1.0
    ends = np.concatenate(([curve.threshold[0] - beyond], curve.threshold, [curve.threshold[-1] + beyond]))
    length = np.diff(ends)
    is_best = n_errors <= n_errors.min() + 1e-12 * (errors.total_fp + errors.total_fn)
    chosen = int(np.argmax(np.where(is_best, length, -1.0)))
    if chosen == 0:
        return float(ends[0])
    return float(ends[-1] if chosen == length.size - 1 else 0.5 * (ends[chosen] + ends[chosen + 1]))
