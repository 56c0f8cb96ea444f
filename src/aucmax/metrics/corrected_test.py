"""Corrected resampled t-test of two models on the same folds, and Holm's correction for several such tests.

    Nadeau, Bengio. "Inference for the generalization error." Machine Learning 2003.
    Bouckaert, Frank. "Evaluating the replicability of significance tests for comparing learning algorithms." 2004.
    Holm. "A simple sequentially rejective multiple test procedure." Scandinavian Journal of Statistics 1979.

With m = r K differences D of K folds, repeated r times:

    t = mean D / sqrt((1/m + n_test/n_train) var1(D)),      m - 1 degrees of freedom

Training sets overlap, so the differences are correlated and the plain variance var1(D)/m is too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from aucmax.validation.params import Number, check_param

__all__ = ["CorrectedTest", "corrected_test", "holm"]


class CorrectedTest(NamedTuple):
    """The mean difference of two models over folds, and the test that it is zero."""

    difference: float  # mean of a - b
    std_error: float  # of the difference, corrected for overlapping training sets
    t: float  # difference / std_error
    df: int  # degrees of freedom
    p_value: float  # two-sided


def corrected_test(a: ArrayLike, b: ArrayLike, *, n_train: float, n_test: float) -> CorrectedTest:
    """Two-sided corrected resampled t-test that two models have the same expected score.

    Parameters
    ----------
    a, b : arrays of the same shape, such as (n_folds,) or (n_repeats, n_folds)
        The score (AUC or any other) of each model on the same folds.
    n_train, n_test : float
        Rows, or their mean number, in the training set and in the test set of a fold.

    Returns
    -------
    CorrectedTest
        (difference, std_error, t, df, p_value). If all differences are equal, p is 1 if they are zero, else 0.

    Examples
    --------
    >>> result = corrected_test([0.91, 0.88, 0.93, 0.90, 0.92], [0.89, 0.87, 0.90, 0.91, 0.90], n_train=80, n_test=20)
    >>> [round(number, 4) for number in result]
    [0.014, 0.0102, 1.3761, 4, 0.2408]
    """
    check_param("n_train", n_train, Number(0, open="low"))
    check_param("n_test", n_test, Number(0, open="low"))
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.shape != second.shape or first.size < 2:
        raise ValueError(
            f"a has shape {first.shape} and b {second.shape}; pass the scores of both models on the same two or more "
            "folds"
        )
    differences = (first - second).ravel()
    if not np.isfinite(differences).all():
        raise ValueError("a score is NaN or infinite; leave out the fold, or find out why the model failed on it")
    difference = float(differences.mean())
    df = differences.size - 1
    spread = differences.var(ddof=1) if np.ptp(differences) > 0 else 0.0
    std_error = float(np.sqrt((1.0 / differences.size + n_test / n_train) * spread))
    if std_error == 0.0:
        t = float(np.copysign(np.inf, difference)) if difference else 0.0
    else:
        t = difference / std_error
    return CorrectedTest(difference, std_error, t, df, float(2.0 * stdtr(df, -abs(t))))


def holm(p_values: ArrayLike) -> np.ndarray:
    """Adjust p-values of several tests: those below the level are rejected with that family-wise error rate.

    Parameters
    ----------
    p_values : array of shape (m,)

    Returns
    -------
    array of shape (m,), in the same order

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p_values={p_values!r}; pass a list of numbers from 0 to 1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return adjusted
