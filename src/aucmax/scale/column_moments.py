"""Moments of every fold of a table whose columns are contiguous in memory, as those of Arrow are.

The rows are sorted by class and fold, column by column, while a column is in the cache; a fold is then a slice, and
its scatter one product. All folds together cost as much as one.
"""

from __future__ import annotations

import numpy as np

from aucmax.problem.moments import ClassMoments, Moments

_SAMPLE = 256  # rows of a class, at least, at whose mean all of them are centred


@np.errstate(invalid="ignore", over="ignore")  # `check_finite` reports NaN and infinity
def column_moments(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, fold: np.ndarray, n_folds: int
) -> tuple[Moments, ...]:
    """The moments of every fold; X has shape (n, dim) and contiguous columns, and is overwritten.

    Examples
    --------
    >>> X = np.asfortranarray([[0.0], [1.0], [4.0], [2.0]])
    >>> first, second = column_moments(X, np.array([-1, -1, 1, 1]), np.ones(4), np.array([0, 1, 0, 1]), 2)
    >>> first.delta, second.delta
    (array([4.]), array([1.]))
    """
    key = (fold + n_folds * (y < 0)).astype(np.uint16)  # of 16 bits, which NumPy sorts by radix
    order = np.argsort(key, kind="stable")
    stops = np.cumsum(np.bincount(key, minlength=2 * n_folds))
    starts = np.append(0, stops[:-1])
    roots = None if weight.min(initial=1.0) == weight.max(initial=1.0) == 1.0 else np.sqrt(weight[order])
    centres = _sort_columns(X, order, int(stops[n_folds - 1]), roots)
    parts = [
        _of_group(X.T[:, start:stop], None if roots is None else roots[start:stop], centres[k // n_folds])
        for k, (start, stop) in enumerate(zip(starts, stops))
    ]
    return tuple(map(Moments, parts[:n_folds], parts[n_folds:]))


def _sort_columns(X: np.ndarray, order: np.ndarray, n_pos: int, roots: np.ndarray | None) -> np.ndarray:
    """Put the rows in this order, positive ones first, centred in each class and scaled; return the two centres."""
    centres = np.zeros((2, X.shape[1]))
    buffer = np.empty(order.size)
    for j in range(X.shape[1]):
        np.take(X[:, j], order, out=buffer, mode="clip")  # with any other mode NumPy makes an intermediate copy
        for side, part in enumerate((slice(n_pos), slice(n_pos, None))):
            some = buffer[part]
            sample = some[:: max(some.size // _SAMPLE, 1)]
            centre = sample.sum() / max(sample.size, 1)
            np.subtract(some, centre, out=X[part, j])
            centres[side, j] = centre
        if roots is not None:
            X[:, j] *= roots
    return centres


def _of_group(rows: np.ndarray, roots: np.ndarray | None, centre: np.ndarray) -> ClassMoments:
    """The moments of centred rows, which are the columns of `rows`, times the roots of their weights."""
    count = float(rows.shape[1])
    weight = count if roots is None else float(roots @ roots)
    step = (rows.sum(axis=1) if roots is None else rows @ roots) / (weight or 1.0)
    scatter = rows @ rows.T - np.outer(weight * step, step)  # NumPy exploits the symmetry of the product
    np.fill_diagonal(scatter, np.maximum(scatter.diagonal(), 0.0))  # rounding
    return ClassMoments(count, weight, centre + step if count else np.zeros_like(centre), scatter)
