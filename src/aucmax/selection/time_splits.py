"""Splits by time: train on the past, test on what follows (forward chaining).

The rows are cut into K + 1 blocks of consecutive times, and each fold tests a block after training on all before it:

    train  1       test 2
    train  1 2     test 3
    train  1 2 3   test 4

The first block is never tested. Blocks have equally many rows of the rarer class, on which the variance of an AUC
mostly depends, so that all folds are about equally precise. Rows of the same time are never separated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aucmax.selection.splits import Fold

__all__ = ["forward_splits"]


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
    for k, fold in enumerate(folds, 1):
        _check_both_classes(k, fold, labels)
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


def _check_both_classes(number: int, fold: Fold, labels: np.ndarray) -> None:
    for rows, what in zip(fold, ("training", "test"), strict=True):
        if np.unique(labels[rows]).size < 2:
            raise ValueError(
                f"the {what} rows of fold {number} by time are all of one class, so AUC is undefined; use fewer folds"
            )
