"""`linear_scores`: X @ w for predictions; for dense X it needs NumPy only, so that scoring starts fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.numerics.matrix import dot, is_sparse

_BLOCK = 1 << 15  # numbers that are multiplied at a time, so that they stay in the cache


@np.errstate(over="ignore", invalid="ignore")  # as in compiled loops; callers check what must be finite
def linear_scores(X: Any, w: np.ndarray) -> np.ndarray:
    """X @ w in double precision, for dense or CSR rows.

    Equal rows get bitwise equal scores, whatever rows are scored with them: NumPy adds up every row by itself, in an
    order that depends on the number of columns only. BLAS does not guarantee that.

    Examples
    --------
    >>> linear_scores(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([1.0, -1.0]))
    array([ 1., -2.])
    """
    if is_sparse(X):
        return dot(X, w)
    if X.shape[1] != w.size:
        raise ValueError(f"shapes do not match: {w.size} weights for {X.shape[1]} columns; pass one per column")
    rows = max(1, _BLOCK // max(w.size, 1))
    scores = np.empty(X.shape[0])
    product = np.empty((min(rows, X.shape[0]), w.size))
    for start in range(0, X.shape[0], rows):
        block = X[start : start + rows]
        np.multiply(block, w, out=product[: len(block)])
        product[: len(block)].sum(axis=1, out=scores[start : start + rows])
    return scores
