"""AUM, its one-sided derivatives and subgradient; the ROC curve of error functions, and the best intercept.

    Hillman, Hocking. "Optimizing ROC Curves with a Sort-Based Surrogate Loss." JMLR 2023.

With thresholds T_b = v_b - f[example_b] in ascending order, FP and FN the totals before rank r:

    AUM = sum over gaps (T_r - T_{r-1}) min(FP_r, FN_r)
    AUC = area under the points (FP_r / total_fp, 1 - FN_r / total_fn), tied thresholds forming one segment

Tied thresholds form a group, with totals before (b) and after (a) it. If the prediction of a breakpoint increases,
its threshold leaves the group downwards; if it decreases, upwards:

    right = min(FP_b + fp, FN_b + fn) - min(FP_b, FN_b)
    left  = min(FP_a, FN_a) - min(FP_a - fp, FN_a - fn)

These are derivatives with respect to one prediction at a time. If a whole group moves, with D = FP - FN crossing zero
within it or not at all, each breakpoint has one slope, and k copies of an example have that of weight k together:

    a fp + (1 - a) fn,    a = the fraction of the way from D_b to D_a on which D < 0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.lines import TIED


class AUMValue(NamedTuple):
    """Value of AUM and its one-sided derivatives."""

    value: float  # of AUM
    left: np.ndarray  # derivative per example as its prediction decreases
    right: np.ndarray  # derivative per example as its prediction increases


class ErrorROC(NamedTuple):
    """Points of a ROC curve: point r holds for constants between `threshold[r - 1]` and `threshold[r]`."""

    fpr: np.ndarray  # false positives over their total
    tpr: np.ndarray  # one minus false negatives over their total
    threshold: np.ndarray  # constants added to all predictions, at which the errors change; one fewer than points


class _TiedGroups(NamedTuple):
    """Thresholds in ascending order, in groups of tied ones."""

    order: np.ndarray  # breakpoints by threshold
    starts: np.ndarray  # rank at which each group starts
    threshold: np.ndarray  # of each group
    fp: np.ndarray  # false positives before each group, and after the last
    fn: np.ndarray  # false negatives, likewise


def aum(errors: ErrorFunctions, pred: ArrayLike) -> AUMValue:
    """Area under the minimum of false positives and false negatives, and its derivatives.

    Parameters
    ----------
    errors : ErrorFunctions
    pred : array of shape (n_examples,)
        Predictions, finite.

    Returns
    -------
    AUMValue
        `value`, and `left` and `right`: one-sided derivatives with respect to each prediction. They differ only
        at ties; their mean is the usual gradient.

    Examples
    --------
    >>> errors = ErrorFunctions.from_labels([0, 0, 1, 1])
    >>> aum(errors, [0.0, 2.0, 1.0, 3.0])
    AUMValue(value=1.0, left=array([ 0.,  1., -1.,  0.]), right=array([ 0.,  1., -1.,  0.]))
    """
    groups = _tied_groups(errors, check_per_example(pred, errors.n_examples, "pred"))
    least = np.minimum(groups.fp, groups.fn)
    value = float(np.diff(groups.threshold) @ least[1:-1])
    sizes = np.diff(np.concatenate((groups.starts, [groups.order.size])))
    fp = errors.fp[groups.order]
    fn = errors.fn[groups.order]
    totals = np.stack((groups.fp, groups.fn, least))
    fp_before, fn_before, least_before = np.repeat(totals[:, :-1], sizes, axis=1)
    fp_after, fn_after, least_after = np.repeat(totals[:, 1:], sizes, axis=1)
    right = np.minimum(fp_before + fp, fn_before + fn) - least_before
    left = least_after - np.minimum(fp_after - fp, fn_after - fn)
    example = errors.example[groups.order]
    return AUMValue(value, *(np.bincount(example, side, errors.n_examples) for side in (left, right)))


def aum_subgradient(errors: ErrorFunctions, pred: np.ndarray) -> np.ndarray:
    """Derivatives of AUM if tied thresholds move together; without ties these are `left` and `right` of `aum`.

    For monotone errors this is a subgradient, which the mean of left and right need not be. Thresholds that differ
    only by rounding count as tied: an exact line search ends where some of them meet. (`losses.area_under_min` breaks
    ties by order instead, and `aucmax.torch.AUMLoss` takes the mean of left and right.)

    Examples
    --------
    >>> aum_subgradient(ErrorFunctions.from_labels([0, 0, 1, 1]), np.zeros(4))
    array([ 0.5,  0.5, -0.5, -0.5])
    """
    groups = _tied_groups(errors, pred, TIED)
    difference = groups.fp - groups.fn
    low = np.minimum(difference[:-1], difference[1:])
    span = np.abs(np.diff(difference))
    share = np.clip(np.divide(-low, span, out=(low < 0.0).astype(float), where=span > 0.0), 0.0, 1.0)
    share = np.repeat(share, np.diff(np.concatenate((groups.starts, [groups.order.size]))))
    slope = share * errors.fp[groups.order] + (1.0 - share) * errors.fn[groups.order]
    return np.bincount(errors.example[groups.order], slope, errors.n_examples)


def error_auc(errors: ErrorFunctions, pred: ArrayLike) -> float:
    """Area under the ROC curve of error functions, ties counting one half.

    For labels this is the usual AUC; if the errors are not monotone the curve has loops, and the area may be
    below 0 or above 1.

    Parameters
    ----------
    errors : ErrorFunctions
    pred : array of shape (n,)
        A prediction for each example.

    Examples
    --------
    >>> error_auc(ErrorFunctions.from_labels([0, 0, 1, 1]), [0.0, 2.0, 1.0, 3.0])
    0.75
    """
    groups = _tied_groups(errors, check_per_example(pred, errors.n_examples, "pred"))
    fp = np.diff(groups.fp)
    fp = np.ldexp(fp, -np.frexp(groups.fp[-1])[1])  # a product of tiny weights would underflow
    true_pos = groups.fn[0] - groups.fn
    return float(fp @ (true_pos[1:] + true_pos[:-1]) / (2.0 * fp.sum() * true_pos[-1]))


def error_roc_curve(errors: ErrorFunctions, pred: ArrayLike) -> ErrorROC:
    """Points of the ROC curve as a constant added to all predictions grows, from (0, 0) to (1, 1).

    Parameters
    ----------
    errors : ErrorFunctions
    pred : array of shape (n,)
        A prediction for each example.

    Examples
    --------
    >>> error_roc_curve(ErrorFunctions.from_labels([0, 1]), [0.0, 2.0])
    ErrorROC(fpr=array([0., 0., 1.]), tpr=array([0., 1., 1.]), threshold=array([-2.,  0.]))
    """
    groups = _tied_groups(errors, check_per_example(pred, errors.n_examples, "pred"))
    return ErrorROC(groups.fp / errors.total_fp, 1.0 - groups.fn / errors.total_fn, groups.threshold)


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
    is_best = n_errors <= n_errors.min() + 1e-12 * (errors.total_fp + errors.total_fn)
    beyond = float(np.diff(curve.threshold).mean()) if curve.threshold.size > 1 else 1.0
    low = np.concatenate(([curve.threshold[0] - beyond], curve.threshold))
    high = np.concatenate((curve.threshold, [curve.threshold[-1] + beyond]))
    chosen = int(np.argmax(np.where(is_best, high - low, -1.0)))
    if chosen == 0:
        return float(low[0])
    return float(high[-1] if chosen == high.size - 1 else 0.5 * (low[chosen] + high[chosen]))


def check_per_example(values: ArrayLike, n_examples: int, name: str) -> np.ndarray:
    """One finite number per example, in double precision."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n_examples,):
        raise ValueError(f"{name} has shape {array.shape}; pass one number for each of the {n_examples} examples")
    finite = np.isfinite(array)
    if not finite.all():
        where = int(finite.argmin())
        raise ValueError(f"{name}[{where}] is {array[where]}; all of {name} must be finite")
    return array


def totals_from_left(change: np.ndarray) -> np.ndarray:
    """Running totals of changes before each rank and after the last; they start at zero, as false positives do."""
    return np.concatenate(([0.0], np.cumsum(change)))


def totals_from_right(change: np.ndarray) -> np.ndarray:
    """Running totals of changes before each rank and after the last; they end at zero, as false negatives do."""
    return np.concatenate((np.cumsum(-change[::-1])[::-1], [0.0]))


def _tied_groups(errors: ErrorFunctions, pred: np.ndarray, tied: float = 0.0) -> _TiedGroups:
    threshold = errors.v - pred[errors.example]
    order = np.argsort(threshold)
    threshold = threshold[order]
    slack = tied * max(-threshold[0], threshold[-1])
    starts = np.concatenate(([0], np.flatnonzero(threshold[1:] - threshold[:-1] > slack) + 1))
    ends = np.concatenate((starts, [order.size]))
    fp = totals_from_left(errors.fp[order])
    fn = totals_from_right(errors.fn[order])
    return _TiedGroups(order, starts, threshold[starts], fp[ends], fn[ends])
