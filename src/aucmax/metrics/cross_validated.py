"""Inference from cross-validation: the interval of a mean AUC, and the test that two models have the same score.

    LeDell, Petersen, van der Laan. "Computationally efficient confidence intervals for cross-validated area under the
    ROC curve estimates." Electronic Journal of Statistics 2015.
    Nadeau, Bengio. "Inference for the generalization error." Machine Learning 2003.
    Bouckaert, Frank. "Evaluating the replicability of significance tests for comparing learning algorithms." 2004.
    Holm. "A simple sequentially rejective multiple test procedure." Scandinavian Journal of Statistics 1979.

Interval. With A_rk the AUC of fold k in repeat r, and phi_ri row i's influence on the AUC of the fold that tests it:

    A = mean A_rk,      var(A) = v+ + v-,      v+ = P / (P - K) sum over the positives i of (sum_r phi_ri / (R K))^2
    degrees of freedom: var(A)^2 / (v+^2 / (P - K) + v-^2 / (M - K))                             (Satterthwaite)

and v- likewise for the M negatives. The scores of different folds are never compared: they come from different
models. Repeats average the influences of a row before they are squared, since the same row appears in all of them.
The factor P / (P - K) is not in the paper: a row that one fold tests trains the models of the others, so that the
errors of the folds are correlated, which the influences do not show. Without it, 95 % intervals covered 91 to 94 %
of the time with 10 to 90 positives; with it 93 to 97 % (benchmarks/results/verdicts.md).

Test. With m = r K differences D of K folds, repeated r times:

    t = mean D / sqrt((1/m + n_test/n_train) var1(D)),      m - 1 degrees of freedom

Training sets overlap, so the differences are correlated and the plain variance var1(D)/m is too small.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from aucmax.metrics.auc import roc_auc
from aucmax.metrics.delong import Interval, auc_influence, auc_limits, standardized
from aucmax.metrics.inputs import binary_labels, check_1d, check_finite
from aucmax.validation.params import Number, check_param
from aucmax.validation.weights import check_class_weights


class CorrectedTest(NamedTuple):
    """The mean difference of two models over folds, and the test that it is zero."""

    difference: float  # mean of a - b
    std_error: float  # of the difference, corrected for overlapping training sets
    t: float  # difference / std_error
    df: int  # degrees of freedom
    p_value: float  # two-sided


def cv_auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    folds: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> Interval:
    """Mean AUC over the folds of a cross-validation, with a confidence interval on the logit scale.

    Parameters
    ----------
    y_true : array of shape (n,)
        Labels, of any two values.
    y_score : array of shape (n,), or (n_repeats, n) for repeated cross-validation
        The score of each row by a model that has not been trained on it.
    folds : array of integers, of the shape of y_score
        The fold that tests the row; -1 for a row that no fold tests, whose score is ignored.
    confidence : float
        Nominal coverage, between 0 and 1.
    sample_weight : array of shape (n,), optional
        Non-negative weights; a pair has the product of its weights.
    pos_label : optional
        The label of the positive class; by default the larger of the two in sort order.

    Returns
    -------
    Interval
        (auc, low, high, std_error) of the mean AUC of the folds' models on new rows.

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1, 0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9, 1.3, 1.6, 1.5, 1.4]
    >>> result = cv_auc_interval(y_true, y_score, folds=[0, 0, 0, 0, 1, 1, 1, 1])
    >>> [round(number, 3) for number in result]
    [0.625, 0.003, 0.999, 0.433]
    """
    check_param("confidence", confidence, Number(0, 1, open="both"))
    labels = check_1d(y_true, "y_true")
    is_pos = labels == binary_labels(labels, pos_label, "y_true")[1]
    weight = None if sample_weight is None else check_class_weights(sample_weight, is_pos)
    scores, places = _check_repeats(y_score, folds, labels.size)
    aucs = []
    influences = np.zeros(labels.size)
    for score, place in zip(scores, places, strict=True):
        for fold in np.unique(place[place >= 0]).tolist():
            rows = np.flatnonzero(place == fold)
            _check_fold(is_pos[rows], fold)
            score_rows = check_finite(score[rows], f"y_score of fold {fold}", rows.size)
            weight_rows = None if weight is None else weight[rows]
            aucs.append(roc_auc(is_pos[rows], score_rows, sample_weight=weight_rows))
            influences[rows] += auc_influence(is_pos[rows], score_rows, sample_weight=weight_rows)
    auc = float(np.mean(aucs))
    influences /= len(aucs)
    tested = (places >= 0).any(axis=0)
    return mean_auc_interval(auc, influences[tested], is_pos[tested], len(aucs) / len(places), confidence)


def mean_auc_interval(
    auc: float, influences: np.ndarray, is_pos: np.ndarray, n_folds: float, confidence: float = 0.95
) -> Interval:
    """The interval of a mean AUC, from the influence of each tested row on it; `n_folds` counts one repeat."""
    counts = np.bincount(is_pos, minlength=2)
    variances = class_variances(influences, is_pos, n_folds)
    total = float(variances.sum())
    df = total**2 / float((variances**2 / np.maximum(counts - n_folds, 1.0)).sum() or 1.0)
    std_error = float(np.sqrt(total))
    return Interval(auc, *auc_limits(auc, std_error, int(counts.min()), confidence, df or np.inf), std_error)


def class_variances(influences: np.ndarray, is_pos: np.ndarray, n_folds: float) -> np.ndarray:
    """What negatives and positives add to the variance of a mean AUC; at most twice the sum of squared influences."""
    counts = np.bincount(is_pos, minlength=2)
    trained_too = n_folds if n_folds > 1 else 0.0
    factors = counts / np.maximum(counts - trained_too, counts / 2.0)
    return factors * np.bincount(is_pos, influences**2, minlength=2)


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
    t = standardized(difference, std_error)
    return CorrectedTest(difference, std_error, t, df, float(2.0 * stdtr(df, -abs(t))))


def holm(p_values: ArrayLike) -> np.ndarray:
    """Adjusted p-values of a family of tests: rejecting p below a level bounds the family-wise error rate by it.

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


def _check_repeats(y_score: ArrayLike, folds: ArrayLike, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores and folds as arrays of shape (n_repeats, n)."""
    scores = np.atleast_2d(np.asarray(y_score, dtype=float))
    places = np.atleast_2d(np.asarray(folds))
    if scores.shape != places.shape or scores.shape[1] != n_rows:
        raise ValueError(
            f"y_score has shape {np.shape(y_score)} and folds {np.shape(folds)} for {n_rows} labels; pass one score "
            "and one fold per row, or an array of shape (n_repeats, n) of each"
        )
    if places.dtype.kind not in "iu":
        raise ValueError(f"folds has type {places.dtype}; pass integers, the number of the fold that tests each row")
    if not (places >= 0).any():
        raise ValueError("folds has no row in any fold; number the folds from 0")
    return scores, places


def _check_fold(is_pos: np.ndarray, fold: int) -> None:
    n_pos = int(is_pos.sum())
    n_neg = is_pos.size - n_pos
    if min(n_pos, n_neg) < 2:
        raise ValueError(
            f"fold {fold} has {n_pos} positive and {n_neg} negative rows; an interval needs two of each in every "
            "fold: use fewer, stratified folds"
        )
