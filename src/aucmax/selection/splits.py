"""Splits: pairs of training and test rows, from a number, any scikit-learn splitter or times; their subsamples.

`forward_splits` trains on the past and tests on what follows (forward chaining). The rows are cut into K + 1 blocks
of consecutive times, and each fold tests a block after training on all before it:

    train  1       test 2
    train  1 2     test 3
    train  1 2 3   test 4

The first block is never tested. Blocks have equally many rows of the rarer class, on which the variance of an AUC
mostly depends, so that all folds are about equally precise. Rows of the same time are never separated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import check_consistent_length

from aucmax.numerics.chunked_matrix import ChunkedMatrix
from aucmax.validation.inputs import LabeledData
from aucmax.validation.messages import warn_caller
from aucmax.validation.params import Integer, Splitter, check_param

Fold = tuple[np.ndarray, np.ndarray]

CV = (Integer(2), Splitter())  # what the parameter `cv` may be


class Folds(Sequence[Fold]):
    """Folds that partition the rows, from the number of the fold that tests each row; -1 for rows of weight zero.

    Pairs of training and test rows are listed when they are asked for, which takes far less memory.

    Examples
    --------
    >>> folds = Folds(np.array([0, 1, -1, 1]), 2)
    >>> [(train.tolist(), test.tolist()) for train, test in folds]
    [([1, 3], [0]), ([0], [1, 3])]
    """

    def __init__(self, numbers: np.ndarray, count: int):
        self.numbers = numbers.astype(np.min_scalar_type(-count), copy=False)
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        if not 0 <= k < self._count:
            raise IndexError(k)
        is_test = self.numbers == k
        return np.flatnonzero(~is_test & (self.numbers >= 0)), np.flatnonzero(is_test)


class FewerFoldsWarning(UserWarning):
    """There are fewer rows of a class than folds."""


def make_splits(
    cv: Any, X: Any, y: np.ndarray, weight: np.ndarray, groups: Any, rng: np.random.Generator
) -> Sequence[Fold]:
    """Pairs of training and test rows, all of positive weight; an integer `cv` means shuffled stratified folds.

    With an integer, rows of one group stay together; other splitters may use groups or ignore them.
    """
    check_param("cv", cv, *CV)
    is_count = isinstance(cv, Integral)
    if is_count and groups is None:
        folds: Sequence[Fold] = _stratified(int(cv), y, weight > 0, rng)
    else:
        check_consistent_length(y, groups)
        if is_count:
            cv = StratifiedGroupKFold(int(cv), shuffle=True, random_state=int(rng.integers(2**31)))
        rows = np.zeros((y.size, 1)) if isinstance(X, ChunkedMatrix) else X  # which few splitters look at
        splits = check_cv(cv, y, classifier=True).split(rows, y, groups)
        folds = [(train[weight[train] > 0], test[weight[test] > 0]) for train, test in splits]
        folds = Folds(test_numbers(folds, y.size), len(folds)) if is_count else folds
    _check_both_classes(folds, y, "use fewer folds or a stratified splitter")
    return folds if isinstance(X, ChunkedMatrix) else list(folds)


def _check_both_classes(folds: Sequence[Fold], y: np.ndarray, remedy: str) -> None:
    for k, fold in enumerate(folds):
        for rows, what in zip(fold, ("training", "test"), strict=True):
            if rows.size == 0 or (y[rows] == y[rows[0]]).all():
                raise ValueError(f"the {what} rows of fold {k} are all of one class, so AUC is undefined; {remedy}")


def _stratified(n_splits: int, y: np.ndarray, counted: np.ndarray, rng: np.random.Generator) -> Folds:
    """Shuffle each class and deal its rows to the folds in turn, the second class starting where the first ended."""
    pos = np.flatnonzero((y > 0) & counted)
    neg = np.flatnonzero((y < 0) & counted)
    rarest = min(pos.size, neg.size)
    if rarest < 2:
        raise ValueError("one class has a single row; cross-validation needs at least two rows of each class")
    if rarest < n_splits:
        warn_caller(f"cv={n_splits}, but one class has only {rarest} rows; using {rarest} folds", FewerFoldsWarning)
    n_splits = min(n_splits, rarest)
    numbers = np.full(y.size, -1, dtype=np.min_scalar_type(-n_splits))
    turns = np.arange(n_splits, dtype=numbers.dtype)
    for members, first in ((pos, 0), (neg, pos.size % n_splits)):
        rng.shuffle(members)
        numbers[members] = np.resize(np.roll(turns, -first), members.size)
    return Folds(numbers, n_splits)


def is_partition(folds: Sequence[Fold], n: int) -> bool:
    """Whether each of the n rows of positive weight is in one test set, and in all other training sets."""
    if isinstance(folds, Folds):
        return True
    tests = []
    for train, test in folds:
        if train.size != n - test.size or np.isin(test, train, kind="table").any():
            return False
        tests.append(test)
    tested = np.concatenate(tests)
    return tested.size == n and int(np.bincount(tested).max()) == 1


def test_rows(folds: Sequence[Fold]) -> Iterator[np.ndarray]:
    """The test rows of each fold; the training rows of `Folds` are not listed."""
    if isinstance(folds, Folds):
        return (np.flatnonzero(folds.numbers == k) for k in range(len(folds)))
    return (test for _, test in folds)


def test_numbers(folds: Sequence[Fold], n: int) -> np.ndarray:
    """For each of n rows the number of the fold that tests it, the last one if there are several; -1 for none."""
    if isinstance(folds, Folds):
        return folds.numbers
    numbers = np.full(n, -1)
    for k, test in enumerate(test_rows(folds)):
        numbers[test] = k
    return numbers


def neighbouring_folds(count: int) -> list[tuple[int, int]]:
    """Pairs of folds at most two apart on a circle, so that each is in up to four pairs; none of fewer than three.

    Examples
    --------
    >>> neighbouring_folds(4)
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    >>> len(neighbouring_folds(10))
    20
    """
    if count < 3:
        return []
    return [(k, j) for k, j in combinations(range(count), 2) if min(j - k, count - (j - k)) <= 2]


def subsample(
    table: LabeledData, folds: Sequence[Fold], size: int, rng: np.random.Generator
) -> tuple[LabeledData, Sequence[Fold], np.ndarray]:
    """At most `size` rows, about half of them from each class, their folds, and their indices in the table."""
    if isinstance(table.X, ChunkedMatrix) and table.y.size <= size:
        table = table.in_memory(np.arange(table.y.size))
    counted = table.weight > 0
    if np.count_nonzero(counted) > size:
        kept = sample_of_classes(counted, table.y, size, rng)
        inner = folds_among(kept, folds, table.y.size)
        if all(np.unique(table.y[kept][rows]).size == 2 for fold in inner for rows in fold):
            return table.in_memory(kept), inner, kept
    return table, folds, np.arange(table.y.size)


def sample_of_classes(counted: np.ndarray, y: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """At most `size` of the rows that a mask selects, in ascending order, about half of them from each class."""
    pos = np.flatnonzero((y > 0) & counted)
    neg = np.flatnonzero((y < 0) & counted)
    n_pos = min(pos.size, max(size // 2, size - neg.size))
    rng.shuffle(pos)
    rng.shuffle(neg)
    return np.sort(np.concatenate([pos[:n_pos], neg[: size - n_pos]]))


def folds_among(kept: np.ndarray, folds: Sequence[Fold], n: int) -> list[Fold]:
    """The folds of n rows without those that are not kept, as indices into `kept`.

    Examples
    --------
    >>> folds_among(np.array([0, 2, 3]), [(np.array([0, 1, 2]), np.array([3, 4]))], 5)
    [(array([0, 1]), array([2]))]
    """
    if isinstance(folds, Folds):
        return list(Folds(folds.numbers[kept], len(folds)))
    place = np.full(n, -1)
    place[kept] = np.arange(kept.size)
    return [(place[train][place[train] >= 0], place[test][place[test] >= 0]) for train, test in folds]


def forward_splits(time: ArrayLike, y: ArrayLike, n_splits: int = 5) -> list[Fold]:
    """Pairs of training and test rows, the training rows all earlier than the test rows.

    Parameters
    ----------
    time : array of numbers or of datetime64
        The time of each row, in any unit and any order.
    y : array of two distinct labels
        Every block has as many rows of the rarer label, give or take one, unless many rows have the same time.
    n_splits : int
        Number of folds.

    Returns
    -------
    list of (train, test)
        Row numbers in the order of the table; pass it as `cv` to `aucmax.compare` or `AUCClassifierCV`.

    Examples
    --------
    >>> y = [0, 1, 0, 1, 0, 1, 0, 1]
    >>> [(train.tolist(), test.tolist()) for train, test in forward_splits(range(8), y, n_splits=3)]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5]), ([0, 1, 2, 3, 4, 5], [6, 7])]
    """
    times = np.asarray(time)
    labels = np.asarray(y)
    if times.shape != labels.shape or times.ndim != 1:
        raise ValueError(f"time has shape {times.shape} and y {labels.shape}; give one time for each label")
    if np.isnat(times).any() if times.dtype.kind in "mM" else np.isnan(times.astype(float)).any():
        raise ValueError("some times are missing; remove these rows")
    if n_splits < 2:
        raise ValueError(f"n_splits={n_splits}; give at least 2 folds")
    edges = _block_edges(times, labels, n_splits)
    block = np.searchsorted(edges, times, side="left")
    folds = [(np.flatnonzero(block < k), np.flatnonzero(block == k)) for k in range(1, n_splits + 1)]
    _check_both_classes(folds, labels, "use fewer folds")
    return folds


def _block_edges(times: np.ndarray, labels: np.ndarray, n_splits: int) -> np.ndarray:
    """The last time of each block but the last, so that blocks hold about equally many rows of the rarer class."""
    distinct, counts = np.unique(labels, return_counts=True)
    if distinct.size != 2:
        raise ValueError(f"y has {distinct.size} distinct labels; give two")
    rare = times[labels == distinct[0 if counts[0] < counts[1] else 1]]
    if rare.size <= n_splits:
        raise ValueError(f"the rarer class has {rare.size} rows, too few for {n_splits} folds by time; use fewer")
    ordered = np.unique(times)
    if ordered.size <= n_splits:
        raise ValueError(f"there are {ordered.size} distinct times, too few for {n_splits} folds by time")
    upto = np.searchsorted(np.sort(rare), ordered, side="right")  # rows of the rarer class up to each time
    edges: list[int] = []
    for k in range(1, n_splits + 1):
        first = edges[-1] + 1 if edges else 0
        stop = ordered.size - 1 - (n_splits - k)  # leaves a time for each block to come
        edges.append(first + int(np.abs(upto[first:stop] - rare.size * k / (n_splits + 1)).argmin()))
    return ordered[edges]
