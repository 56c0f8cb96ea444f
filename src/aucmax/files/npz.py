"""NumPy's npz files: X and y, or the arrays of a CSR matrix and y. Pickled objects are never loaded."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from aucmax.files.table import Table

_CSR = {"data", "indices", "indptr", "shape"}


def read(path: str | Path) -> Table:
    """Read a dense matrix `X`, or a CSR matrix as `data`, `indices`, `indptr`, `shape`, with or without `y`.

    Files of `scipy.sparse.save_npz` in the CSR format are read too.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".npz") as file:
    ...     np.savez(file, X=np.eye(2), y=np.array([1, 0]))
    ...     file.flush()
    ...     table = read(file.name)
    >>> table.X.shape, table.y
    ((2, 2), array([1, 0]))
    """
    return as_table(arrays(path), path)


def as_table(arrays: dict[str, np.ndarray], path: str | Path) -> Table:
    """The matrix and the labels among the arrays of a file, checked."""
    if "X" in arrays:
        X = arrays["X"]
    elif arrays.keys() >= _CSR:
        X = _csr(arrays, path)
    else:
        raise ValueError(f"{path} holds {sorted(arrays)}; expected X, or data, indices, indptr and shape, and y")
    _check(X, arrays.get("y"), path)
    return Table(X=X, y=arrays.get("y"))


def arrays(path: str | Path) -> dict[str, np.ndarray]:
    """All arrays of a file."""
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not an npz file of plain arrays: {error}") from None


def _csr(arrays: dict[str, np.ndarray], path: str | Path) -> sparse.csr_array:
    if "format" in arrays and arrays["format"].item() != b"csr":
        raise ValueError(f"{path} holds a sparse matrix that is not CSR; save X.tocsr()")
    try:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        X = sparse.csr_array(parts, shape=tuple(int(size) for size in arrays["shape"]))
        X.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} holds a damaged CSR matrix: {error}") from None
    return X


def _check(X: np.ndarray | sparse.csr_array, y: np.ndarray | None, path: str | Path) -> None:
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise ValueError(f"{path}: X must be a matrix of numbers, not {X.dtype} of shape {X.shape}")
    if X.shape[0] == 0:
        raise ValueError(f"{path} has no rows")
    if y is not None and y.shape != (X.shape[0],):
        raise ValueError(f"{path}: y has shape {y.shape}, but X has {X.shape[0]} rows")
