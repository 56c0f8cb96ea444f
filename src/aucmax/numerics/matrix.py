"""Tables as matrices, whether dense, CSR or in chunks: products, sums and copies that work for all three.

Only this file, rows.py and sparse_structure.py distinguish dense from CSR.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np
import scipy  # which imports scipy.sparse at the first use

from aucmax.numerics.chunked_matrix import ChunkedMatrix
from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import CSR, row_axpy, row_dot, row_dots, row_norm2, row_squares

_BLOCK = 1 << 15  # numbers that are multiplied at a time, so that they stay in the cache


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array; where SciPy has not been imported, there is none."""
    return "scipy.sparse" in sys.modules and scipy.sparse.issparse(X)


def nonzeros(X: Any) -> int:
    """Number of stored entries."""
    return X.nnz if is_sparse(X) else X.size


def as_rows(X: Any) -> Any:
    """X in the form that compiled loops take: a C-contiguous array, or the arrays of a CSR matrix."""
    if isinstance(X, ChunkedMatrix):
        raise ValueError(
            "this solver visits single rows or columns, but the table is read in chunks; choose 'exact', 'cg', "
            "'newton' or 'cutting_plane', or learn the chunks one after the other with partial_fit"
        )
    if not is_sparse(X):
        return np.ascontiguousarray(X)
    X = X.tocsr()
    return CSR(X.data, _unsigned(X.indices), _unsigned(X.indptr))


def _unsigned(numbers: np.ndarray) -> np.ndarray:
    return numbers.view(np.uint32 if numbers.dtype.itemsize == 4 else np.uint64)


def scaled_columns(X: Any, scale: np.ndarray) -> Any:
    """X with column j divided by scale[j], in double precision: single precision would change the problem."""
    if isinstance(X, ChunkedMatrix):
        return X.transformed(partial(scaled_columns, scale=scale), X.dim)
    if not is_sparse(X):
        return X / scale
    data = X.data / scale[X.indices]
    return scipy.sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def mostly_stored(X: Any) -> np.ndarray:
    """For each column, whether `shifted_columns` is cheap: at least half of its entries are stored."""
    if X.stored is None if isinstance(X, ChunkedMatrix) else not is_sparse(X):
        return np.ones(X.shape[1], dtype=bool)
    return 2 * _stored_by_column(X) >= X.shape[0]


def _stored_by_column(X: Any) -> np.ndarray:
    """The number of stored entries of each column of a sparse table."""
    if isinstance(X, ChunkedMatrix):
        return X.sum("stored entries", _stored_by_column, start=np.zeros(X.dim, dtype=np.int64))
    return np.bincount(X.indices, minlength=X.shape[1])


def shifted_columns(X: Any, shift: np.ndarray) -> Any:
    """X minus `shift` in double precision; a CSR matrix gets new entries only in columns with a nonzero shift."""
    if isinstance(X, ChunkedMatrix):
        return X.transformed(partial(shifted_columns, shift=shift), X.dim)
    if not is_sparse(X):
        return X - shift
    moved = scipy.sparse.csr_array((X.data - shift[X.indices], X.indices, X.indptr), shape=X.shape)
    columns = np.flatnonzero(shift)
    place = np.full(X.shape[1], -1)
    place[columns] = np.arange(columns.size)
    at = place[X.indices]
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    missing = np.ones((X.shape[0], columns.size), dtype=bool)
    missing[row[at >= 0], at[at >= 0]] = False
    i, j = np.nonzero(missing)
    return moved + scipy.sparse.csr_array((-shift[columns[j]], (i, columns[j])), shape=X.shape) if i.size else moved


def stacked(*tables: Any) -> Any:
    """Tables stacked vertically."""
    if any(map(is_sparse, tables)):
        return scipy.sparse.vstack(tables, format="csr")
    return np.vstack(tables)


def columns_added(X: Any, dim: int) -> Any:
    """X padded on the right with columns of zeros, to `dim` columns."""
    if is_sparse(X):
        return scipy.sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], dim))
    return np.pad(X, ((0, 0), (0, dim - X.shape[1])))


def dense(X: Any) -> np.ndarray:
    """X as a dense array in double precision."""
    X = X.in_memory() if isinstance(X, ChunkedMatrix) else X
    return X.toarray().astype(float) if is_sparse(X) else np.asarray(X, dtype=float)


def alike(X: Any, like: Any) -> Any:
    """X in the format of the other table, dense or CSR."""
    if is_sparse(X) == is_sparse(like):
        return X
    return X.toarray() if is_sparse(X) else scipy.sparse.csr_array(X)


def weighted_columns(X: Any, factor: np.ndarray) -> Any:
    """The columns of diag(factor) X, as rows for compiled loops."""
    if not is_sparse(X):
        return np.ascontiguousarray((X * factor[:, None]).T)
    return as_rows((scipy.sparse.diags_array(factor) @ X.tocsr()).tocsc().T)


def rows_in_memory(X: Any, index: np.ndarray) -> Any:
    """The rows in `index`, as an array or CSR."""
    return X[index].in_memory() if isinstance(X, ChunkedMatrix) else X[index]


def copy_rows(X: Any, index: np.ndarray, out: np.ndarray) -> None:
    """Copy the rows in `index` into a dense array in double precision."""
    if is_sparse(X) or isinstance(X, ChunkedMatrix):
        out[...] = dense(X[index])
    elif X.dtype == out.dtype:
        np.take(X, index, axis=0, out=out, mode="clip")  # with any other mode NumPy makes an intermediate copy
    else:
        out[...] = X[index]


def copy_shifted(X: Any, index: np.ndarray, weight: np.ndarray, centre: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Write sqrt(weight) (x - centre) for the rows in `index` into `out`; return the sum of weight (x - centre)."""
    if is_sparse(X):
        X = X[index].toarray()
        index = np.arange(index.size)
    sums = np.zeros(centre.size)
    _copy_shifted(X, index, weight, centre, out, sums)
    return sums


def weighted_sums(X: Any, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Sum of weight[i] x_i over the rows in `index`."""
    out = np.zeros(X.shape[1])
    _weighted_sums(as_rows(X), index, weight, out)
    return out


@np.errstate(invalid="ignore", over="ignore")  # `check_finite` reports NaN and infinity
def weighted_squares(X: Any, index: np.ndarray, weight: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Sum of weight[i] (x_ij - centre_j)^2 over the rows in `index`, the zeros of CSR rows included."""
    dim = X.shape[1]
    squares = np.zeros(dim)
    stored = np.zeros(dim)  # weight of the stored entries of each column
    count = np.zeros(dim, dtype=np.int64)  # and their number
    _weighted_squares(as_rows(X), index, weight, centre, squares, stored, count)
    if is_sparse(X):  # in a column without zeros, weight minus `stored` would be nothing but rounding error
        squares += np.where(count == index.size, 0.0, weight[index].sum() - stored) * centre**2
    return squares


def dot(X: Any, w: np.ndarray, index: np.ndarray | None = None) -> np.ndarray:
    """X @ w, or X[index] @ w, in double precision without copying X; w is a vector or a matrix.

    Equal rows get bitwise equal products, so that ties stay ties; BLAS does not guarantee that.
    """
    if w.ndim == 1:
        return dot(X, w[:, None], index)[:, 0]
    if w.shape[0] != X.shape[1]:  # compiled loops do not check array bounds
        raise ValueError(f"shapes do not match: {w.shape[0]} weights for {X.shape[1]} columns; pass one per column")
    if isinstance(X, ChunkedMatrix):
        X = X if index is None else X[index]
        products = np.empty((X.shape[0], w.shape[1]))
        for place, part in X.map("scores", partial(dot, w=w)):
            products[place] = part
        return products
    index = np.arange(X.shape[0]) if index is None else index
    out = np.empty((index.size, w.shape[1]))
    _dot(as_rows(X), index, np.ascontiguousarray(w.T, dtype=float), out)
    return out


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
    if is_sparse(X) or isinstance(X, ChunkedMatrix):
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


def transposed_dot(X: Any, c: np.ndarray) -> np.ndarray:
    """X.T @ c in double precision, without copying X."""
    if c.size != X.shape[0]:
        raise ValueError(f"shapes do not match: {c.size} coefficients for {X.shape[0]} rows; pass one per row")
    if isinstance(X, ChunkedMatrix):
        return X.sum("gradient", transposed_dot, c, start=np.zeros(X.dim))
    out = np.zeros(X.shape[1])
    _transposed_dot(as_rows(X), c, out)
    return out


def squared_norms(rows: Any, n: int) -> np.ndarray:
    """|x|^2 of the n rows returned by `as_rows`."""
    out = np.empty(n)
    _squared_norms(rows, out)
    return out


@compiled
def _dot(X, index, W, out):
    fours = W.shape[0] // 4 * 4
    for i in range(out.shape[0]):
        for k in range(0, fours, 4):
            out[i, k], out[i, k + 1], out[i, k + 2], out[i, k + 3] = row_dots(X, index[i], W, k)
        for k in range(fours, W.shape[0]):
            out[i, k] = row_dot(X, index[i], W[k])


@compiled
def _copy_shifted(X, index, weight, centre, out, sums):
    for k in range(index.size):
        root = np.sqrt(weight[k])
        row = X[index[k]]  # views of one row: indexing the matrix in the loop below made it half as fast
        shifted = out[k]
        for j in range(centre.size):
            value = root * (row[j] - centre[j])
            shifted[j] = value
            sums[j] += root * value


@compiled
def _weighted_sums(X, index, weight, out):
    for i in index:
        row_axpy(X, i, weight[i], out)


@compiled
def _weighted_squares(X, index, weight, centre, squares, stored, count):
    for i in index:
        row_squares(X, i, weight[i], centre, squares, stored, count)


@compiled
def _transposed_dot(X, c, out):
    for i in range(c.size):
        row_axpy(X, i, c[i], out)


@compiled
def _squared_norms(X, out):
    for i in range(out.size):
        out[i] = row_norm2(X, i)
