"""Folds: any scikit-learn splitter, the moments of every training set for the price of one pass, the choice of alpha.

Where the test sets make up the table, the moments of a training set are the sum of those of the other test sets.
(Total minus fold would do too, but where a fold holds all the spread of a column, only rounding would be left of it.)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import check_consistent_length

from aucmax.moments import Moments

Fold = tuple[np.ndarray, np.ndarray]
ROUNDING = 1e-12  # of a mean AUC: what differs by less is equal


def make_folds(
    cv: Any, X: Any, y: np.ndarray, weight: np.ndarray, groups: Any, rng: np.random.Generator
) -> list[Fold]:
    """Pairs of training and test rows, all of positive weight; a number means shuffled stratified folds.

    With a number, rows of one group stay together; other splitters heed groups or do not.
    """
    weighted, is_number = np.flatnonzero(weight > 0), isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)
    if is_number and groups is None:
        number = _stratified(int(cv), y[weighted], rng)
        folds = [(weighted[number != k], weighted[number == k]) for k in range(number.max() + 1)]
    else:
        check_consistent_length(y, groups)
        if is_number:
            cv = StratifiedGroupKFold(int(cv), shuffle=True, random_state=int(rng.integers(2**31)))
        splits = check_cv(cv, y, classifier=True).split(X, y, groups)
        folds = [(train[weight[train] > 0], test[weight[test] > 0]) for train, test in splits]
    for k, fold in enumerate(folds):
        for rows, what in zip(fold, ("training", "test"), strict=True):
            if (y[rows] > 0).all() or (y[rows] < 0).all():
                raise ValueError(
                    f"the {what} rows of fold {k} are of one class only, so that no AUC can be had; use fewer "
                    "folds or a stratified splitter"
                )
    return folds


def _stratified(n_splits: int, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A test fold for every row: each class is shuffled and dealt out, the second going on where the first ended."""
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    rarest = min(pos.size, neg.size)
    if n_splits < 2:
        raise ValueError(f"cv={n_splits}; give at least 2 folds")
    if rarest < 2:
        raise ValueError("one class has a single row; cross-validation needs two rows of each class")
    if rarest < n_splits:
        warnings.warn(f"cv={n_splits}, but one class has only {rarest} rows: {rarest} folds are used", stacklevel=4)
    number = np.empty(y.size, dtype=int)
    number[np.concatenate([rng.permutation(pos), rng.permutation(neg)])] = np.arange(y.size) % min(n_splits, rarest)
    return number


def training_moments(
    X: Any, y: np.ndarray, weight: np.ndarray, folds: list[Fold]
) -> tuple[Moments, Iterator[Moments]]:
    """Full moments of all rows, and of the training rows of each fold."""
    if _is_partition(folds, int(np.count_nonzero(weight))):
        parts = [Moments.of(X, y, weight, index=test) for _, test in folds]
        before = list(accumulate(parts))
        after = list(accumulate(parts[::-1]))[::-1]
        middle = [left + right for left, right in zip(before[:-2], after[2:], strict=True)]
        return before[-1], iter([after[1], *middle, before[-2]])
    return Moments.of(X, y, weight), (Moments.of(X, y, weight, index=train) for train, _ in folds)


def _is_partition(folds: list[Fold], n: int) -> bool:
    """Whether each of the n weighted rows is in one test set, and in the training sets of all other folds."""
    times = np.bincount(np.concatenate([test for _, test in folds]))
    if np.count_nonzero(times) != n or times.max() > 1:
        return False
    return all(train.size == n - test.size and not np.isin(test, train, kind="table").any() for train, test in folds)


def choose(auc: np.ndarray, choice: str) -> int:
    """Row of the best mean AUC (of the larger alpha, if equal), or of the largest alpha one error below it."""
    mean = auc.mean(axis=1)
    best = int(np.flatnonzero(mean >= mean.max() - ROUNDING)[0])
    if choice == "best" or auc.shape[1] < 2:
        return best
    error = auc[best].std(ddof=1) / np.sqrt(auc.shape[1])
    return int(np.flatnonzero(mean >= mean[best] - error)[0])
