"""Rows of a table, dense or CSR: the only file that knows one from the other.

Kernels call `row_dot`, `row_axpy` and `row_norm2` on what `for_kernels` returns, and are written once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from aucmax.jit import kernel, row_operation
from aucmax.mapped import Mapped


class CSR(NamedTuple):
    """The arrays of a CSR matrix for kernels; unsigned numbers need no check for negative ones: 1.4 times faster."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array."""
    return sparse.issparse(X)


def canonical(X: Any) -> Any:
    """X with no entry stored twice; only then do squares of entries mean anything."""
    if is_sparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def nonzeros(X: Any) -> int:
    """Number of entries that a product with X has to touch."""
    return X.nnz if is_sparse(X) else X.size


def for_kernels(X: Any) -> Any:
    """X as kernels take it: a C-contiguous array, or the arrays of a CSR matrix."""
    if not is_sparse(X):
        return np.ascontiguousarray(X)
    X = X.tocsr()
    return CSR(X.data, _unsigned(X.indices), _unsigned(X.indptr))


def _unsigned(numbers: np.ndarray) -> np.ndarray:
    return numbers.view(np.uint32 if numbers.dtype.itemsize == 4 else np.uint64)


def scaled_columns(X: Any, scale: np.ndarray) -> Any:
    """X with column j divided by scale[j], in double precision: rounded, it would be another problem."""
    if not is_sparse(X):
        return X / scale
    data = X.data / scale[X.indices]
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def stacked(above: Any, below: Any) -> Any:
    """The rows of two tables of one kind, one below the other."""
    if is_sparse(above) or is_sparse(below):
        return sparse.vstack([above, below], format="csr")
    return np.vstack([above, below])


def columns_added(X: Any, dim: int) -> Any:
    """X with columns of zeros at its right, `dim` in all."""
    if is_sparse(X):
        return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], dim))
    return np.pad(X, ((0, 0), (0, dim - X.shape[1])))


def dense(X: Any) -> np.ndarray:
    """X as a plain array of double precision."""
    return X.toarray().astype(float) if is_sparse(X) else np.asarray(X, dtype=float)


def alike(X: Any, like: Any) -> Any:
    """X as dense or CSR rows, whichever the other table is."""
    if is_sparse(X) == is_sparse(like):
        return X
    return X.toarray() if is_sparse(X) else sparse.csr_array(X)


def weighted_columns(X: Any, factor: np.ndarray) -> Any:
    """The columns of X, row i times factor[i], as rows for kernels."""
    if not is_sparse(X):
        return np.ascontiguousarray((X * factor[:, None]).T)
    return for_kernels((sparse.diags_array(factor) @ X.tocsr()).tocsc().T)


def copy_rows(X: Any, index: np.ndarray, out: np.ndarray) -> None:
    """Write the rows in `index` into a dense array of double precision."""
    if is_sparse(X):
        out[...] = X[index].toarray()
    elif X.dtype == out.dtype:
        np.take(X, index, axis=0, out=out, mode="clip")  # with any other mode NumPy makes a copy in between
    else:
        out[...] = X[index]


def copy_shifted(X: Any, index: np.ndarray, weight: np.ndarray, centre: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Write sqrt(weight) (x - centre) of the rows in `index` into `out`; return the sum of weight (x - centre)."""
    rows = X[index].toarray() if is_sparse(X) else X[index] if isinstance(X, Mapped) else X
    index = index if rows is X else np.arange(index.size)
    sums = np.zeros(centre.size)
    _copy_shifted(rows, index, weight, centre, out, sums)
    return sums


def weighted_sums(X: Any, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Sum of weight[i] x_i over the rows in `index`."""
    out = np.zeros(X.shape[1])
    if isinstance(X, Mapped):
        for place, rows in X.parts(index):
            out += weight[index[place]] @ rows
        return out
    _weighted_sums(for_kernels(X), index, weight, out)
    return out


@np.errstate(invalid="ignore", over="ignore")  # NaN and infinity are for the door to see
def weighted_squares(X: Any, index: np.ndarray, weight: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Sum of weight[i] (x_ij - centre_j)^2 over the rows in `index`, the zeros of CSR rows included."""
    squares, stored, count = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1], dtype=np.int64)
    if isinstance(X, Mapped):
        for place, rows in X.parts(index):
            squares += weight[index[place]] @ (rows - centre) ** 2
        return squares
    _weighted_squares(for_kernels(X), index, weight, centre, squares, stored, count)
    if is_sparse(X):  # the count tells a column without zeros from one whose weights add up by rounding only
        squares += np.where(count == index.size, 0.0, weight[index].sum() - stored) * centre**2
    return squares


def dot(X: Any, w: np.ndarray, index: np.ndarray | None = None) -> np.ndarray:
    """X @ w, or X[index] @ w, in double precision and without a copy of X; w a vector or a matrix of columns.

    Equal rows get equal products to the last bit, so that ties stay ties; BLAS does not promise that.
    """
    if w.ndim == 1:
        return dot(X, w[:, None], index)[:, 0]
    _check_size(w.shape[0], X.shape[1])
    index = np.arange(X.shape[0]) if index is None else index
    out = np.empty((index.size, w.shape[1]))
    if isinstance(X, Mapped):
        for place, rows in X.parts(index):
            out[place] = dot(rows, w)
        return out
    _dot(for_kernels(X), index, np.ascontiguousarray(w.T, dtype=float), out)
    return out


def transposed_dot(X: Any, c: np.ndarray) -> np.ndarray:
    """X.T @ c in double precision, without a double copy of X."""
    _check_size(c.size, X.shape[0])
    out = np.zeros(X.shape[1])
    if isinstance(X, Mapped):
        for place, rows in X.parts(np.arange(X.shape[0])):
            out += c[place] @ rows
        return out
    _transposed_dot(for_kernels(X), c, out)
    return out


def _check_size(given: int, size: int) -> None:
    """Kernels do not look whether they read beyond an array."""
    if given != size:
        raise ValueError(f"a product of {size} numbers with {given}; pass as many")


def squared_norms(rows: Any, n: int) -> np.ndarray:
    """|x|^2 of the n rows that `for_kernels` returned."""
    out = np.empty(n)
    _squared_norms(rows, out)
    return out


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
    """Inner products of row i with the rows k, k+1, k+2, k+3 of W: an entry of X is read once for all four."""
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
    """Add weight (x_ij - centre_j)^2 of the stored entries of row i to squares, and note what was stored."""
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


def _is_csr(kind):
    return kind is CSR


row_dot = row_operation(_is_csr, _dense_dot, _csr_dot)
_row_dots = row_operation(_is_csr, _dense_dots, _csr_dots)
row_axpy = row_operation(_is_csr, _dense_axpy, _csr_axpy)
row_norm2 = row_operation(_is_csr, _dense_norm2, _csr_norm2)
row_size = row_operation(_is_csr, _dense_size, _csr_size)
row_entry = row_operation(_is_csr, _dense_entry, _csr_entry)
_row_squares = row_operation(_is_csr, _dense_squares, _csr_squares)


@kernel
def _dot(X, index, W, out):
    fours = W.shape[0] // 4 * 4
    for i in range(out.shape[0]):
        for k in range(0, fours, 4):
            out[i, k], out[i, k + 1], out[i, k + 2], out[i, k + 3] = _row_dots(X, index[i], W, k)
        for k in range(fours, W.shape[0]):
            out[i, k] = row_dot(X, index[i], W[k])


@kernel
def _copy_shifted(X, index, weight, centre, out, sums):
    for k in range(index.size):
        root = np.sqrt(weight[k])
        for j in range(centre.size):
            out[k, j] = root * (X[index[k], j] - centre[j])
            sums[j] += root * out[k, j]


@kernel
def _weighted_sums(X, index, weight, out):
    for i in index:
        row_axpy(X, i, weight[i], out)


@kernel
def _weighted_squares(X, index, weight, centre, squares, stored, count):
    for i in index:
        _row_squares(X, i, weight[i], centre, squares, stored, count)


@kernel
def _transposed_dot(X, c, out):
    for i in range(c.size):
        row_axpy(X, i, c[i], out)


@kernel
def _squared_norms(X, out):
    for i in range(out.size):
        out[i] = row_norm2(X, i)
