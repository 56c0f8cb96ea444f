"""The structure of sparse matrices, checked before compiled loops read it: these do not check bounds.

SciPy checks the arrays of a matrix only when the matrix is made, and little more than their lengths.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from aucmax.numerics.matrix import is_sparse


def check_structure(X: Any) -> Any:
    """Return a table whose index arrays are valid; raise ValueError if they are not.

    A matrix in a format without index arrays is returned as CSR; dense tables are returned as they are.

    Examples
    --------
    >>> X = scipy.sparse.csr_array(np.eye(3))
    >>> X.indices[1] = 7
    >>> check_structure(X)
    Traceback (most recent call last):
    ValueError: X is not a valid CSR matrix: it has column indices from 0 to 7, not all between 0 and 2; ...
    """
    if not is_sparse(X) or X.ndim != 2:
        return X
    if X.format not in ("coo", "csr", "csc", "bsr"):
        X = X.tocsr()
    try:
        if X.format == "coo":
            _check_coordinates(X)
        else:
            _check_compressed(X)
    except ValueError as error:
        hint = "build it from rows and columns, as in scipy.sparse.csr_array((data, (row, column)), shape=(n, d))"
        raise ValueError(f"X is not a valid {X.format.upper()} matrix: {error}; {hint}") from None
    return X


def canonical(X: Any) -> Any:
    """X, if it is sparse, as CSR with sorted columns in each row and without duplicates; X itself is not modified.

    Equal rows then have bitwise equal products, and entries can be squared. What X says about its own order is not
    trusted, since its arrays may have been edited.
    """
    if not is_sparse(X):
        return X
    X = X.tocsr()
    end = X.indptr[-1]
    fresh = scipy.sparse.csr_array((X.data[:end], X.indices[:end], X.indptr), shape=X.shape)
    return fresh if fresh.has_canonical_format else _without_duplicates(fresh.copy())


def _without_duplicates(X: Any) -> Any:
    """X, modified in place; duplicates are added in ascending order, so that the sum is the same in any order."""
    X.sort_indices()
    if not X.has_canonical_format:
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        X.data = X.data[np.lexsort((X.data, X.indices, row))]
        X.sum_duplicates()
    return X


def _check_compressed(X: Any) -> None:
    """Whether the arrays of a CSR, CSC or BSR matrix stay within their bounds."""
    rows, columns = np.array(X.shape) // (X.blocksize if X.format == "bsr" else 1)
    if X.format == "csc":
        rows, columns = columns, rows
    for name, array in (("indptr", X.indptr), ("indices", X.indices)):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"{name} is not a one-dimensional array of integers")
    if X.indptr.size != rows + 1 or X.indptr[0] != 0 or (X.indptr[1:] < X.indptr[:-1]).any():
        raise ValueError(f"indptr must have {rows + 1} numbers that begin with 0 and never decrease")
    if X.data.ndim != (3 if X.format == "bsr" else 1) or not X.indptr[-1] <= X.indices.size == len(X.data):
        sizes = f"{X.indices.size} indices and data of shape {X.data.shape}"
        raise ValueError(f"indptr ends with {X.indptr[-1]}, but there are {sizes}")
    _check_range("row" if X.format == "csc" else "column", X.indices[: X.indptr[-1]], columns)


def _check_coordinates(X: Any) -> None:
    """Whether a COO matrix has a valid row index and a valid column index for every value."""
    for name, indices, size in zip(("row", "column"), X.coords, X.shape):
        if indices.shape != X.data.shape:
            raise ValueError(f"it has {indices.size} {name} indices for {X.data.size} values")
        _check_range(name, indices, size)


def _check_range(name: str, indices: np.ndarray, size: int) -> None:
    if indices.size and not 0 <= indices.min() <= indices.max() < size:
        span = f"from {indices.min()} to {indices.max()}"
        raise ValueError(f"it has {name} indices {span}, not all between 0 and {size - 1}")
