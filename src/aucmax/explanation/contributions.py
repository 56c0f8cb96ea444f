"""What each column adds to the score of a row: exact for linear models, Shapley values by sampling for others.

    Strumbelj, Kononenko. "Explaining prediction models and individual predictions with feature contributions." 2014.

A linear model adds w_c.(x_c - mean_c). For another model, the columns of a background row are replaced by those of x
one after the other, in random order, and each is credited with the change of the score. The changes along an order
telescope: contributions of a row sum to its score minus the mean score of the background exactly, not on average.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def linear_contributions(X: np.ndarray, mean: np.ndarray, coef: np.ndarray, columns: list[list[int]]) -> np.ndarray:
    """Contributions of the columns to the scores of rows, of shape (n, n_columns)."""
    added = (X - mean) * coef
    return np.column_stack([added[:, features].sum(axis=1) for features in columns])


def sampled_contributions(
    score: Callable[[np.ndarray], np.ndarray],
    X: np.ndarray,
    background: np.ndarray,
    columns: list[list[int]],
    rng: np.random.Generator,
) -> np.ndarray:
    """Contributions of the columns to the scores of rows, of shape (n, n_columns)."""
    orders = [rng.permutation(len(columns)) for _ in background[::2]]
    orders = [order for pair in zip(orders, [order[::-1] for order in orders]) for order in pair][: len(background)]
    out = np.zeros((X.shape[0], len(columns)))
    for row, total in zip(X, out):
        steps = np.stack([_replaced(start, row, columns, order) for start, order in zip(background, orders)])
        scores = score(steps.reshape(-1, X.shape[1])).reshape(steps.shape[:2])
        for order, changes in zip(orders, np.diff(scores, axis=1)):
            total[order] += changes / len(orders)
    return out


def _replaced(start: np.ndarray, row: np.ndarray, columns: list[list[int]], order: np.ndarray) -> np.ndarray:
    """The rows on the way from `start` to `row`, one column after the other."""
    steps = np.repeat(start[None, :], len(order) + 1, axis=0)
    for k, column in enumerate(order, 1):
        steps[k:, columns[column]] = row[columns[column]]
    return steps
