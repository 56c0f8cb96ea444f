"""Error functions: false positives and false negatives of every example as its prediction grows.

    Hillman, Hocking. "Optimizing ROC Curves with a Sort-Based Surrogate Loss." JMLR 2023.

Where the prediction of example i passes the breakpoint v upwards, its false positives change by fp and its false
negatives by fn. FP is 0 far to the left, FN is 0 far to the right. A row with a negative label has one breakpoint
(v, fp, fn) = (0, +1, 0), a positive one (0, 0, -1); the label errors of a segmentation have several, up and down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucmax.metrics.inputs import binary_labels, check_1d, check_sample_weight

ROUNDING = 1e-12  # of the sum of all changes: what a sum of rates may fall short of zero


class ErrorFunctions:
    """Piecewise constant errors of n examples, stored as breakpoints.

    Parameters
    ----------
    example : array of int
        Which example a breakpoint belongs to: 0 .. n_examples - 1, in any order.
    v : array
        The predicted value at which the errors change.
    fp, fn : array
        By how much they change when the prediction passes v upwards. Counts or weights; AUM is in their unit.
    n_examples : int, optional
        By default the largest example plus one, and every example must have a breakpoint. If given, examples
        without any are taken as never wrong.

    Attributes
    ----------
    example, v, fp, fn : arrays
        The breakpoints, sorted by example and v, those of one example at one v merged.
    n_examples : int
    total_fp, total_fn : float
        False positives at +infinity, false negatives at -infinity.
    monotone : bool
        Whether no false positive disappears and no false negative appears as predictions grow. AUM is then convex.

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
        numbers = _example_numbers(example, n_examples, columns[0].size)
        self.n_examples = int(numbers.max()) + 1 if n_examples is None else n_examples
        self.example, self.v, self.fp, self.fn = _merged(numbers, *columns)
        _refuse_negative(self.example, self.fp, self.v, "false positives", "-infinity upwards")
        backwards = slice(None, None, -1)
        _refuse_negative(
            self.example[backwards], -self.fn[backwards], self.v[backwards], "false negatives", "+infinity downwards"
        )
        self._sum_up()

    def _sum_up(self) -> None:
        self.total_fp, self.total_fn = float(self.fp.sum()), float(-self.fn.sum())
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
        """Errors of a binary classifier that says yes to predictions above zero.

        Parameters
        ----------
        y : array of shape (n,)
            Labels of two values, the larger of which is positive.
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
        weight = np.ones(labels.size) if sample_weight is None else check_sample_weight(sample_weight, is_pos)
        errors = cls.__new__(cls)
        errors.n_examples, errors.example, errors.v = labels.size, np.arange(labels.size), np.zeros(labels.size)
        errors.fp, errors.fn = np.where(is_pos, 0.0, weight), np.where(is_pos, -weight, 0.0)
        errors._sum_up()
        return errors

    @classmethod
    def from_penalty_table(
        cls, example: ArrayLike, min_log_lambda: ArrayLike, fp: ArrayLike, fn: ArrayLike
    ) -> ErrorFunctions:
        """Errors of models chosen by a penalty lambda; the prediction is -log(lambda).

        Parameters
        ----------
        example : array of int
            Which example a row belongs to; every example 0 .. n - 1 has at least one row.
        min_log_lambda : array
            The row's model is chosen from this log penalty up to that of the next row of its example; the first
            is usually -inf. Of rows with equal ones the last is taken.
        fp, fn : array
            Errors of the model. Those that no penalty removes (false positives at lambda = infinity, false
            negatives at lambda = 0) are subtracted from all rows of the example (but none falls below zero), since
            AUM would be infinite.

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
        columns = penalty_columns(min_log_lambda, fp, fn)
        numbers = _example_numbers(example, None, columns[0].size)
        rows = chosen_rows(numbers, columns[0])
        number, low, all_fp, all_fn = (column[rows] for column in (numbers, *columns))
        sizes = np.bincount(number)
        last = np.cumsum(sizes) - 1
        curable_fp = np.maximum(all_fp - np.repeat(all_fp[last], sizes), 0.0)
        curable_fn = np.maximum(all_fn - np.repeat(all_fn[last - sizes + 1], sizes), 0.0)
        changes = [count[:-1] - count[1:] for count in (curable_fp, curable_fn)]
        is_breakpoint = (np.diff(number) == 0) & ((changes[0] != 0) | (changes[1] != 0))
        number, v, fp, fn = (part[is_breakpoint] for part in (number[1:], -low[1:], *changes))
        return cls(number, v, fp, fn, sizes.size)


def penalty_columns(min_log_lambda: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> list[np.ndarray]:
    """Columns of one table, in double precision: log penalties, of which some are -inf, and numbers of errors."""
    low = _finite_column(min_log_lambda, "min_log_lambda", lowest=-np.inf)
    counts = [_finite_column(values, name) for values, name in ((fp, "fp"), (fn, "fn"))]
    for count, name in zip(counts, ("fp", "fn")):
        if count.size != low.size:
            raise ValueError(f"{name} has {count.size} rows but min_log_lambda {low.size}; pass columns of one table")
        if count.min() < 0:
            raise ValueError(f"{name}[{count.argmin()}] is {count.min():g}; a number of errors cannot be negative")
    return [low, *counts]


def chosen_rows(example: np.ndarray, min_log_lambda: np.ndarray) -> np.ndarray:
    """Rows of a penalty table that some penalty chooses, by example and log penalty: of equal ones the last."""
    order = np.lexsort((min_log_lambda, example))
    one, next_one = order[:-1], order[1:]
    is_chosen = (example[one] != example[next_one]) | (min_log_lambda[one] != min_log_lambda[next_one])
    return order[np.append(is_chosen, True)]


def _finite_column(values: ArrayLike, name: str, lowest: float | None = None) -> np.ndarray:
    """Numbers in double precision, none of them NaN or infinite, except `lowest` if it is given."""
    array = check_1d(values, name).astype(np.float64)
    good = np.isfinite(array) | (array == lowest if lowest is not None else False)
    if not good.all():
        where = int(good.argmin())
        raise ValueError(f"{name}[{where}] is {array[where]}; every row needs finite numbers")
    return array


def _example_numbers(example: ArrayLike, n_examples: int | None, size: int) -> np.ndarray:
    numbers = check_1d(example, "example")
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"example must hold integers from 0 but has type {numbers.dtype}; number the examples first")
    if numbers.size != size:
        raise ValueError(f"example has {numbers.size} rows but the other columns {size}; pass columns of one table")
    if numbers.min() < 0 or (n_examples is not None and numbers.max() >= n_examples):
        found = f"{numbers.min()} .. {numbers.max()}"
        raise ValueError(f"example holds {found}; it must be within 0 .. n_examples - 1 (n_examples={n_examples})")
    missing = np.flatnonzero(np.bincount(numbers) == 0)
    if n_examples is None and missing.size:
        hint = f"if they are never wrong, say n_examples={numbers.max() + 1}"
        raise ValueError(f"example {missing[0]} has no breakpoint ({missing.size} such); {hint}")
    return numbers.astype(np.intp)


def _merged(example, v, fp, fn):
    """Breakpoints sorted by example and v; two of one example at one v move together and become one."""
    if fp.size != v.size or fn.size != v.size:
        raise ValueError(f"v, fp and fn have {v.size}, {fp.size} and {fn.size} rows; pass columns of one table")
    order = np.lexsort((v, example))
    example, v, fp, fn = example[order], v[order], fp[order], fn[order]
    is_new = np.r_[True, (np.diff(example) != 0) | (np.diff(v) != 0)]
    if is_new.all():
        return example, v, fp, fn
    starts = np.flatnonzero(is_new)
    return example[is_new], v[is_new], np.add.reduceat(fp, starts), np.add.reduceat(fn, starts)


def _refuse_negative(example, change, v, what, way):
    """Every example's running total of changes must not fall below zero, up to rounding."""
    running = np.cumsum(change)
    starts = np.flatnonzero(np.r_[True, np.diff(example) != 0])
    sizes = np.diff(np.r_[starts, example.size])
    running -= np.repeat(running[starts] - change[starts], sizes)
    slack = ROUNDING * np.abs(change).sum()
    where = int(running.argmin())
    if running[where] < -slack:
        text = f"example {example[where]} has {running[where]:g} {what} at v = {v[where]:g}, counted from {way}"
        raise ValueError(f"{text}; a number of errors cannot be negative: check fp and fn")
