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
        columns = [_finite_column(values, name) for values, name in ((v, "v"), (fp, "fp"), (fn, "fn"))]
        index = _check_example(example, n_examples, columns[0].size)
        self.n_examples = int(index.max()) + 1 if n_examples is None else n_examples
        self.example, self.v, self.fp, self.fn = _sorted_and_merged(index, *columns)
        _refuse_negative(self.example, self.fp, self.v, "false positives", "-infinity upwards")
        backwards = slice(None, None, -1)
        _refuse_negative(
            self.example[backwards], -self.fn[backwards], self.v[backwards], "false negatives", "+infinity downwards"
        )
        self._set_totals()

    def _set_totals(self) -> None:
        self.total_fp = float(self.fp.sum())
        self.total_fn = float(-self.fn.sum())
        self.monotone = bool(self.fp.min() >= 0 and self.fn.max() <= 0)
        for total, name, end in (
            (self.total_fp, "positives", "+infinity"),
            (self.total_fn, "negatives", "-infinity"),
        ):
            if not total > 0:
                hint = "pass examples of both classes"
                raise ValueError(f"there are {total:g} false {name} at predictions of {end}; {hint}")

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

    @classmethod
    def from_penalty_table(
        cls, example: ArrayLike, min_log_lambda: ArrayLike, fp: ArrayLike, fn: ArrayLike
    ) -> ErrorFunctions:
        """Errors of models selected by a penalty lambda; the prediction is -log(lambda).

        Parameters
        ----------
        example : array of int
            The example that a row belongs to; every example 0 .. n - 1 has at least one row.
        min_log_lambda : array
            The row's model is selected from this log penalty up to that of the next row of its example; the first
            is usually -inf. Of rows with equal values the last counts.
        fp, fn : array
            Errors of the model. Those that no penalty removes (false positives at lambda = infinity, false
            negatives at lambda = 0) are subtracted from all rows of the example (clipped at zero), since AUM would
            be infinite.

        Returns
        -------
        ErrorFunctions

        Examples
        --------
        >>> errors = ErrorFunctions.from_penalty_table([0, 0, 1, 1], [-np.inf, 2.0, -np.inf, 0.5], [1, 0, 2, 0],
        ...                                            [0, 0, 0, 1])
        >>> errors.v, errors.fp, errors.fn
        (array([-2. , -0.5]), array([1., 2.]), array([ 0., -1.]))
        """
        columns = check_penalty_columns(min_log_lambda, fp, fn)
        index = _check_example(example, None, columns[0].size)
        rows = selected_rows(index, columns[0])
        index, low, all_fp, all_fn = (column[rows] for column in (index, *columns))
        sizes = np.bincount(index)
        last = np.cumsum(sizes) - 1
        removable_fp = np.maximum(all_fp - np.repeat(all_fp[last], sizes), 0.0)
        removable_fn = np.maximum(all_fn - np.repeat(all_fn[last - sizes + 1], sizes), 0.0)
        changes = [count[:-1] - count[1:] for count in (removable_fp, removable_fn)]
        is_breakpoint = (np.diff(index) == 0) & ((changes[0] != 0) | (changes[1] != 0))
        index, v, fp, fn = (part[is_breakpoint] for part in (index[1:], -low[1:], *changes))
        return cls(index, v, fp, fn, sizes.size)


def check_penalty_columns(min_log_lambda: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> list[np.ndarray]:
    """Columns of a penalty table in double precision: log penalties (-inf is allowed) and error counts."""
    low = _finite_column(min_log_lambda, "min_log_lambda", allowed=-np.inf)
    counts = [_finite_column(values, name) for values, name in ((fp, "fp"), (fn, "fn"))]
    for count, name in zip(counts, ("fp", "fn")):
        if count.size != low.size:
            raise ValueError(f"{name} has {count.size} rows but min_log_lambda {low.size}; pass columns of one table")
        if count.min() < 0:
            raise ValueError(f"{name}[{count.argmin()}] is {count.min():g}; a number of errors cannot be negative")
    return [low, *counts]


def selected_rows(example: np.ndarray, min_log_lambda: np.ndarray) -> np.ndarray:
    """Rows of a penalty table that some penalty selects, by example and log penalty; the last of equal ones."""
    order = np.lexsort((min_log_lambda, example))
    row = order[:-1]
    next_row = order[1:]
    is_selected = (example[row] != example[next_row]) | (min_log_lambda[row] != min_log_lambda[next_row])
    return order[np.append(is_selected, True)]


def _finite_column(values: ArrayLike, name: str, allowed: float | None = None) -> np.ndarray:
    """Numbers in double precision without NaN or infinity, except for the value `allowed`."""
    array = check_1d(values, name).astype(np.float64)
    good = np.isfinite(array) | (array == allowed if allowed is not None else False)
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
        found = f"{index.min()} .. {index.max()}"
        raise ValueError(f"example holds {found}; it must be within 0 .. n_examples - 1 (n_examples={n_examples})")
    missing = np.flatnonzero(np.bincount(index) == 0)
    if n_examples is None and missing.size:
        hint = f"if they are always correct, pass n_examples={index.max() + 1}"
        raise ValueError(f"example {missing[0]} has no breakpoint ({missing.size} such); {hint}")
    return index.astype(np.intp)


def _sorted_and_merged(example, v, fp, fn):
    """Breakpoints sorted by example and v; those of one example at the same v move together and become one."""
    if fp.size != v.size or fn.size != v.size:
        raise ValueError(f"v, fp and fn have {v.size}, {fp.size} and {fn.size} rows; pass columns of one table")
    order = np.lexsort((v, example))
    example, v, fp, fn = example[order], v[order], fp[order], fn[order]
    is_new = np.r_[True, (np.diff(example) != 0) | (np.diff(v) != 0)]
    if is_new.all():
        return example, v, fp, fn
    starts = np.flatnonzero(is_new)
    return example[is_new], v[is_new], np.add.reduceat(fp, starts), np.add.reduceat(fn, starts)


def _refuse_negative(example, change, v, what, direction):
    """Refuse an example whose running total of changes falls below zero by more than rounding."""
    running = np.cumsum(change)
    starts = np.flatnonzero(np.r_[True, np.diff(example) != 0])
    sizes = np.diff(np.r_[starts, example.size])
    running -= np.repeat(running[starts] - change[starts], sizes)
    slack = ROUNDING * np.abs(change).sum()
    where = int(running.argmin())
    if running[where] < -slack:
        text = f"example {example[where]} has {running[where]:g} {what} at v = {v[where]:g}, counted from {direction}"
        raise ValueError(f"{text}; a number of errors cannot be negative: check fp and fn")
