"""Splits: pairs of training and test rows, from a number or from any scikit-learn splitter."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import check_consistent_length

Fold = tuple[np.ndarray, np.ndarray]


def make_splits(
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
