"""AUM, its one-sided derivatives, and the ROC curve of error functions.

    Hillman, Hocking. "Optimizing ROC Curves with a Sort-Based Surrogate Loss." JMLR 2023.

With thresholds T_b = v_b - f[example_b] in ascending order, FP and FN the totals before rank r:

    AUM = sum over gaps (T_r - T_{r-1}) min(FP_r, FN_r)
    AUC = area under the points (FP_r / total_fp, 1 - FN_r / total_fn), tied thresholds forming one segment

Tied thresholds form a group, with totals before (b) and after (a) it. If the prediction of breakpoint b grows, its
threshold leaves the group downwards; if it falls, upwards:

    right = min(FP_b + fp, FN_b + fn) - min(FP_b, FN_b)
    left  = min(FP_a, FN_a) - min(FP_a - fp, FN_a - fn)

These are derivatives of one prediction at a time. If all of a group move, D = FP - FN passing through zero within it
or not at all, there is one slope for each, which k copies of an example share as k times its weight would:

    a fp + (1 - a) fn,    a = the part of the way from D_b to D_a on which D < 0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.line_search.lines import TIED, after_reversed, before


class AUM(NamedTuple):
    """Value of AUM and its derivatives per example, as the prediction falls and as it grows."""

    value: float
    left: np.ndarray
    right: np.ndarray


class ROC(NamedTuple):
    """Points of a ROC curve; between `threshold[r - 1]` and `threshold[r]`, added to all predictions, is point r."""

    fpr: np.ndarray
    tpr: np.ndarray
    threshold: np.ndarray


class _Groups(NamedTuple):
    """Tied thresholds: the breakpoints in order, where groups start, totals before each group and after the last."""

    order: np.ndarray
    starts: np.ndarray
    threshold: np.ndarray
    fp: np.ndarray
    fn: np.ndarray


def aum(errors: ErrorFunctions, pred: ArrayLike) -> AUM:
    """Area under the minimum of false positives and false negatives, and its derivatives.

    Parameters
    ----------
    errors : ErrorFunctions
    pred : array of shape (n_examples,)
        Predictions, finite.

    Returns
    -------
    AUM
        `value`, and `left` and `right`: one-sided derivatives with respect to each prediction. They differ only
        at ties; their mean is the usual gradient.

    Examples
    --------
    >>> errors = ErrorFunctions.from_labels([0, 0, 1, 1])
    >>> aum(errors, [0.0, 2.0, 1.0, 3.0])
    AUM(value=1.0, left=array([ 0.,  1., -1.,  0.]), right=array([ 0.,  1., -1.,  0.]))
    """
    groups = _grouped(errors, checked_column(pred, errors.n_examples, "pred"))
    least = np.minimum(groups.fp, groups.fn)
    value = float(np.diff(groups.threshold) @ least[1:-1])
    sizes = np.diff(np.concatenate((groups.starts, [groups.order.size])))
    fp, fn = errors.fp[groups.order], errors.fn[groups.order]
    down, up = (np.repeat(np.stack((groups.fp, groups.fn, least))[:, part], sizes, axis=1) for part in (_ALL, _NEXT))
    right = np.minimum(down[0] + fp, down[1] + fn) - down[2]
    left = up[2] - np.minimum(up[0] - fp, up[1] - fn)
    example = errors.example[groups.order]
    return AUM(value, *(np.bincount(example, side, errors.n_examples) for side in (left, right)))


_ALL, _NEXT = slice(None, -1), slice(1, None)


def shared_gradient(errors: ErrorFunctions, pred: np.ndarray) -> np.ndarray:
    """Derivatives of AUM if tied thresholds move together; without ties `left` and `right` of `aum`.

    For monotone errors this is a subgradient, which the mean of left and right need not be. Thresholds that differ
    by rounding are tied: an exact line search ends where some meet.

    Examples
    --------
    >>> shared_gradient(ErrorFunctions.from_labels([0, 0, 1, 1]), np.zeros(4))
    array([ 0.5,  0.5, -0.5, -0.5])
    """
    groups = _grouped(errors, pred, TIED)
    difference = groups.fp - groups.fn
    low = np.minimum(difference[:-1], difference[1:])
    span = np.abs(np.diff(difference))
    share = np.clip(np.divide(-low, span, out=(low < 0.0).astype(float), where=span > 0.0), 0.0, 1.0)
    share = np.repeat(share, np.diff(np.concatenate((groups.starts, [groups.order.size]))))
    slope = share * errors.fp[groups.order] + (1.0 - share) * errors.fn[groups.order]
    return np.bincount(errors.example[groups.order], slope, errors.n_examples)


def roc_auc(errors: ErrorFunctions, pred: ArrayLike) -> float:
    """Area under the ROC curve of error functions, ties counted half.

    For labels this is the usual AUC; if the errors are not monotone the curve has loops, and the area may be
    below 0 or above 1.

    Examples
    --------
    >>> roc_auc(ErrorFunctions.from_labels([0, 0, 1, 1]), [0.0, 2.0, 1.0, 3.0])
    0.75
    """
    groups = _grouped(errors, checked_column(pred, errors.n_examples, "pred"))
    return _auc_of(np.diff(groups.fp), np.diff(groups.fn))


def roc_curve(errors: ErrorFunctions, pred: ArrayLike) -> ROC:
    """Points of the ROC curve as a constant added to all predictions grows, from (0, 0) to (1, 1).

    Examples
    --------
    >>> roc_curve(ErrorFunctions.from_labels([0, 1]), [0.0, 2.0])
    ROC(fpr=array([0., 0., 1.]), tpr=array([0., 1., 1.]), threshold=array([-2.,  0.]))
    """
    groups = _grouped(errors, checked_column(pred, errors.n_examples, "pred"))
    return ROC(groups.fp / errors.total_fp, 1.0 - groups.fn / errors.total_fn, groups.threshold)


def checked_column(values: ArrayLike, n_examples: int, name: str) -> np.ndarray:
    """One finite number per example, in double precision."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n_examples,):
        raise ValueError(f"{name} has shape {array.shape}; pass one number for each of the {n_examples} examples")
    finite = np.isfinite(array)
    if not finite.all():
        where = int(finite.argmin())
        raise ValueError(f"{name}[{where}] is {array[where]}; all of {name} must be finite")
    return array


def _grouped(errors: ErrorFunctions, pred: np.ndarray, tied: float = 0.0) -> _Groups:
    threshold = errors.v - pred[errors.example]
    order = np.argsort(threshold)
    threshold = threshold[order]
    slack = tied * max(-threshold[0], threshold[-1])
    starts = np.concatenate(([0], np.flatnonzero(threshold[1:] - threshold[:-1] > slack) + 1))
    fp, fn = before(errors.fp[order]), after_reversed(errors.fn[order])
    ends = np.concatenate((starts, [order.size]))
    return _Groups(order, starts, threshold[starts], fp[ends], fn[ends])


def _auc_of(fp: np.ndarray, fn: np.ndarray) -> float:
    """Area under the ROC curve whose segments, in order, have these sides; each is a diagonal."""
    fp, true_positives = np.ldexp(fp, -np.frexp(fp.sum())[1]), before(-fn)  # a product of tiny weights would vanish
    area = fp @ (true_positives[1:] + true_positives[:-1])
    return float(area / (2.0 * fp.sum() * true_positives[-1]))
