"""Error functions: false positives and false negatives of every example as its prediction grows.

    Hillman, Hocking. "Optimizing ROC Curves with a Sort-Based Surrogate Loss." JMLR 2023.

Where the prediction of example i increases past the breakpoint v, its false positives change by fp and its false
negatives by fn. FP is 0 at -infinity, FN is 0 at +infinity. A row with a negative label has one breakpoint
(v, fp, fn) = (0, +1, 0), a positive one (0, 0, -1); the label errors of a segmentation have several, up and down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucmax.metrics.inputs import binary_labels, check_1d
from aucmax.validation.weights import check_class_weights

ROUNDING = 1e-12  # relative to the sum of all changes: how far below zero rounding may take a running total


class ErrorFunctions:
    """Piecewise constant errors of n examples, stored as breakpoints.

    Parameters
    ----------
    example : array of int
        The example that a breakpoint belongs to: 0 .. n_examples - 1, in any order.
    v : array
        The predicted value at which the errors change.
    fp, fn : array
        By how much they change when the prediction increases past v. Counts or weights; AUM is in the same unit.
    n_examples : int, optional
        By default the largest example plus one, and every example must have a breakpoint. If given, examples
        without any are assumed to be always correct.

    Attributes
    ----------
    example, v, fp, fn : arrays
        The breakpoints, sorted by example and v; those of one example at the same v are merged.
    n_examples : int
    total_fp, total_fn : float
        False positives at +infinity, false negatives at -infinity.
    monotone : bool
        Whether false positives never decrease and false negatives never increase with the predictions. AUM is then
        convex.

    Examples
    --------
    >>> errors = ErrorFunctions([0, 1, 1, 1], [0.0, 1.0, 2.0, 3.0], fp=[1, 0, 0, 0], fn=[0, -1, 1, -1])
    >>> errors.n_examples, errors.total_fp, errors.total_fn, errors.monotone
    (2, 1.0, 1.0, False)
    """

    def __init__(
        self, example: ArrayLike, v: ArrayLike, fp: ArrayLike, fn: ArrayLike, n_examples: int | None = None
    ) -> None:
        columns = [finite_column(values, name) for values, name in ((v, "v"), (fp, "fp"), (fn, "fn"))]
        index = _check_example(example, n_examples, columns[0].size)
        self.n_examples = int(index.max()) + 1 if n_examples is None else n_examples
        self.example, self.v, self.fp, self.fn = _sorted_and_merged(index, *columns)
        _refuse_negative(self.example, self.fp, self.v, "false positives")
        _refuse_negative(self.example[::-1], -self.fn[::-1], self.v[::-1], "false negatives")
        self._set_totals()

    def _set_totals(self) -> None:
        self.total_fp = float(self.fp.sum())
        self.total_fn = float(-self.fn.sum())
        self.monotone = bool(self.fp.min() >= 0 and self.fn.max() <= 0)
        for total, name in (self.total_fp, "positives at +infinity"), (self.total_fn, "negatives at -infinity"):
            if not total > 0:
                raise ValueError(f"there are {total:g} false {name}; pass examples of both classes")

    def __repr__(self) -> str:
        kind = "monotone" if self.monotone else "not monotone"
        return f"ErrorFunctions({self.n_examples} examples, {self.v.size} breakpoints, {kind})"

    @classmethod
    def from_labels(cls, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ErrorFunctions:
        """Errors of a binary classifier that predicts positive above zero.

        Parameters
        ----------
        y : array of shape (n,)
            Labels with two distinct values, the larger of which is positive.
        sample_weight : array of shape (n,), optional
            Zero or positive; one each by default. For error rates, one over the size of the class.

        Returns
        -------
        ErrorFunctions

        Examples
        --------
        >>> ErrorFunctions.from_labels([0, 0, 1])
        ErrorFunctions(3 examples, 3 breakpoints, monotone)
        """
        labels = check_1d(y, "y")
        is_pos = labels == binary_labels(labels)[1]
        weight = np.ones(labels.size) if sample_weight is None else check_class_weights(sample_weight, is_pos)
        errors = cls.__new__(cls)
        errors.n_examples = labels.size
        errors.example = np.arange(labels.size)
        errors.v = np.zeros(labels.size)
        errors.fp = np.where(is_pos, 0.0, weight)
        errors.fn = np.where(is_pos, -weight, 0.0)
        errors._set_totals()
        return errors


def finite_column(values: ArrayLike, name: str, allowed: float = 0.0) -> np.ndarray:
    """Numbers in double precision without NaN or infinity, except for the value `allowed`."""
    array = check_1d(values, name).astype(np.float64)
    good = np.isfinite(array) | (array == allowed)
    if not good.all():
        where = int(good.argmin())
        raise ValueError(f"{name}[{where}] is {array[where]}; every row needs finite numbers")
    return array


def _check_example(example: ArrayLike, n_examples: int | None, size: int) -> np.ndarray:
    """The example of every row: integers from 0, without gaps unless `n_examples` is given."""
    index = check_1d(example, "example")
    if index.dtype.kind not in "iu":
        raise ValueError(f"example must hold integers from 0 but has type {index.dtype}; number the examples first")
    if index.size != size:
        raise ValueError(f"example has {index.size} rows but the other columns {size}; pass columns of one table")
    if index.min() < 0 or (n_examples is not None and index.max() >= n_examples):
        text = f"example holds {index.min()} .. {index.max()}"
        raise ValueError(f"{text}; it must be within 0 .. n_examples - 1 (n_examples={n_examples})")
    missing = np.flatnonzero(np.bincount(index) == 0)
    if n_examples is None and missing.size:
        hint = f"if they are always correct, pass n_examples={index.max() + 1}"
        raise ValueError(f"example {missing[0]} has no breakpoint ({missing.size} such); {hint}")
    return index.astype(np.intp)


def _sorted_and_merged(example, v, fp, fn):
    """Breakpoints sorted by example and v; breakpoints of one example at the same v are added up."""
    if fp.size != v.size or fn.size != v.size:
        raise ValueError(f"v, fp and fn have {v.size}, {fp.size} and {fn.size} rows; pass columns of one table")
    order = np.lexsort((v, example))
    example, v, fp, fn = example[order], v[order], fp[order], fn[order]
    is_new = np.r_[True, (np.diff(example) != 0) | (np.diff(v) != 0)]
    if is_new.all():
        return example, v, fp, fn
    starts = np.flatnonzero(is_new)
    return example[is_new], v[is_new], np.add.reduceat(fp, starts), np.add.reduceat(fn, starts)


def _refuse_negative(example, change, v, what):
    """Refuse examples whose running total of changes falls below zero by more than rounding."""
    running = np.cumsum(change)
    starts = np.flatnonzero(np.r_[True, np.diff(example) != 0])
    sizes = np.diff(np.r_[starts, example.size])
    running -= np.repeat(running[starts] - change[starts], sizes)
    slack = ROUNDING * np.abs(change).sum()
    where = int(running.argmin())
    if running[where] < -slack:
        text = f"example {example[where]} has {running[where]:g} {what} at v = {v[where]:g}"
        raise ValueError(f"{text}; a number of errors cannot be negative: check fp and fn")
