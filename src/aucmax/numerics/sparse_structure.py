"""The structure of sparse matrices, checked before compiled loops read it: these do not check bounds.

SciPy checks the arrays of a matrix only when it is made, and little more than their lengths.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy

from aucmax.numerics.matrix import is_sparse


def check_structure(X: Any) -> Any:
    """Return a table whose index arrays are valid; raise ValueError, naming the row and the index, if they are not.

    A matrix in a format without index arrays is returned as CSR; dense tables are returned as they are.

    Examples
    --------
    >>> X = scipy.sparse.csr_array(np.eye(3))
    >>> X.indices[1] = 7
    >>> check_structure(X)
    Traceback (most recent call last):
    ValueError: X is not a valid CSR matrix: row 1 has an entry with column index 7, but there are 3 columns; ...
    """
    if not is_sparse(X) or X.ndim != 2:
        return X
    if X.format == "coo":
        _check_coordinates(X)
        return X
    if X.format not in ("csr", "csc", "bsr"):
        X = X.tocsr()
    _check_arrays(X)
    _check_pointers(X)
    _check_indices(X)
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


def _check_arrays(X: Any) -> None:
    """Dimensions, types and lengths of the three arrays."""
    for name, array in (("indptr", X.indptr), ("indices", X.indices)):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
            _fail(X, f"{name} is not a one-dimensional array of integers")
    if X.data.ndim != (3 if X.format == "bsr" else 1) or len(X.data) != len(X.indices):
        _fail(X, f"data has shape {X.data.shape}, but there are {len(X.indices)} indices")


def _check_pointers(X: Any) -> None:
    """Whether `indptr` begins at 0, never decreases, and ends within the entries."""
    major, _, rows, _ = _axes(X)
    indptr = X.indptr
    if indptr.size != rows + 1:
        _fail(X, f"indptr has {indptr.size} numbers, but {rows} {major}s need {rows + 1}")
    if indptr[0] != 0:
        _fail(X, f"{major} 0 begins at entry {indptr[0]} instead of 0")
    decreases = indptr[1:] < indptr[:-1]
    if decreases.any():
        row = int(decreases.argmax())
        _fail(X, f"{major} {row} begins at entry {indptr[row]} and ends at entry {indptr[row + 1]}")
    if indptr[-1] > X.indices.size:
        row = int((indptr[1:] > X.indices.size).argmax())
        _fail(X, f"{major} {row} ends at entry {indptr[row + 1]}, but there are {X.indices.size} entries")


def _check_indices(X: Any) -> None:
    """Whether every index that is used is one of a column."""
    major, minor, _, columns = _axes(X)
    indices = X.indices[: X.indptr[-1]]
    place = _first_outside(indices, columns)
    if place is not None:
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        what = f"{minor} index {indices[place]}, but there are {columns} {minor}s"
        _fail(X, f"{major} {row} has an entry with {what}")


def _check_coordinates(X: Any) -> None:
    """Whether the rows and columns of a COO matrix are within its shape."""
    rows, columns = X.coords
    if not rows.shape == columns.shape == X.data.shape:
        sizes = f"{rows.size} row indices, {columns.size} column indices and {X.data.size} values"
        _fail(X, f"it has {sizes}")
    for name, indices, size in (("row", rows, X.shape[0]), ("column", columns, X.shape[1])):
        place = _first_outside(indices, size)
        if place is not None:
            entry = f"entry {place}, in row {rows[place]} and column {columns[place]},"
            _fail(X, f"{entry} is outside of its {size} {name}s")


def _axes(X: Any) -> tuple[str, str, int, int]:
    """What the two axes of the arrays are called, and their sizes."""
    if X.format == "csc":
        return "column", "row", X.shape[1], X.shape[0]
    if X.format == "bsr":
        return "block row", "block column", X.shape[0] // X.blocksize[0], X.shape[1] // X.blocksize[1]
    return "row", "column", X.shape[0], X.shape[1]


def _first_outside(indices: np.ndarray, size: int) -> int | None:
    """Where the first index is that is negative or not below `size`; as unsigned numbers, negative ones are large."""
    unsigned = indices.view(f"u{indices.dtype.itemsize}")
    if not indices.size or unsigned.max() < size:
        return None
    return int((unsigned >= size).argmax())


def _fail(X: Any, what: str) -> NoReturn:
    hint = "build it from rows and columns, as in scipy.sparse.csr_array((data, (row, column)), shape=(n, d))"
    raise ValueError(f"X is not a valid {X.format.upper()} matrix: {what}; {hint}")
