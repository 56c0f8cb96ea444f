"""Moments of every training set of a cross-validation, in one pass over the data.

If the test sets partition the table, the moments of a training set are the sum of those of the other test sets.
(Total minus fold would do too, but if one fold has all the spread of a column, only rounding error would be left of
it.)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np

from aucmax.problem.moments import Moments
from aucmax.selection.splits import Fold


def training_moments(
    X: Any, y: np.ndarray, weight: np.ndarray, folds: list[Fold]
) -> tuple[Moments, Iterator[Moments]]:
    """Full moments of all rows, and of the training rows of each fold."""
    if _is_partition(folds, int(np.count_nonzero(weight))):
        parts = []
        for _, test in folds:
            parts.append(Moments.of(X, y, weight, index=test))
        before = list(accumulate(parts))
        after = list(accumulate(parts[::-1]))[::-1]
        middle = map(add, before[:-2], after[2:])
        return before[-1], iter([after[1], *middle, before[-2]])
    return Moments.of(X, y, weight), (Moments.of(X, y, weight, index=train) for train, _ in folds)


def _is_partition(folds: list[Fold], n: int) -> bool:
    """Whether each of the n rows of positive weight is in one test set, and in all other training sets."""
    tests = []
    for train, test in folds:
        if train.size != n - test.size or np.isin(test, train, kind="table").any():
            return False
        tests.append(test)
    tested = np.concatenate(tests)
    return tested.size == n and int(np.bincount(tested).max()) == 1
