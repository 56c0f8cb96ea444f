"""Moments of every training set of a cross-validation, in one pass over the data.

If the test sets partition the table, the moments of a training set are the sum of those of the other test sets.
(Total minus fold would do too, but if one fold has all the spread of a column, only rounding error would be left of
it.) The same sums without two folds are the training sets of an inner cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np

from aucmax.problem.moments import Moments
from aucmax.selection.splits import Fold, is_partition


class PartMoments:
    """Moments of disjoint parts of a table, summed over all of them but up to two.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [4.0], [6.0]]), np.array([-1, 1, -1, 1])
    >>> sums = PartMoments([Moments.of(X, y, index=np.array([k])) for k in range(4)])
    >>> sums.without(0, 1).delta == Moments.of(X[2:], y[2:]).delta
    array([ True])
    """

    def __init__(self, parts: Sequence[Moments]):
        self._parts = list(parts)
        self._first = list(accumulate(parts))  # sums of the parts up to each
        self._last = list(accumulate(parts[::-1]))[::-1]  # sums of the parts from each on

    def without(self, *left_out: int) -> Moments:
        """The sum of all parts but these, none, one or two; at least one other part is left."""
        if not left_out:
            return self._first[-1]
        low = min(left_out)
        high = max(left_out)
        before = self._first[low - 1 : low] if low else []
        return reduce(add, [*before, *self._parts[low + 1 : high], *self._last[high + 1 : high + 2]])


def moments_by_fold(X: Any, y: np.ndarray, weight: np.ndarray, folds: Sequence[Fold]) -> PartMoments:
    """Full moments of the test rows of each fold."""
    return PartMoments([Moments.of(X, y, weight, index=test) for _, test in folds])


def training_moments(
    X: Any, y: np.ndarray, weight: np.ndarray, folds: list[Fold]
) -> tuple[Moments, Iterator[Moments]]:
    """Full moments of all rows, and of the training rows of each fold."""
    if is_partition(folds, int(np.count_nonzero(weight))):
        sums = moments_by_fold(X, y, weight, folds)
        return sums.without(), map(sums.without, range(len(folds)))
    return Moments.of(X, y, weight), (Moments.of(X, y, weight, index=train) for train, _ in folds)
