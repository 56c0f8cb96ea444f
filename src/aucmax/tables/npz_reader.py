"""NumPy's npz files: X and y, or the arrays of a CSR matrix and y. Pickled objects are never loaded."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy

from aucmax.numerics.sparse_structure import check_structure
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.table import Table

_CSR_ARRAYS = {"data", "indices", "indptr", "shape"}
_INVALID_VALUES = (ValueError, TypeError, OverflowError)


def read(path: str | Path, *, limits: ReadLimits | None = None) -> Table:
    """Read a dense matrix `X`, or a CSR matrix as `data`, `indices`, `indptr`, `shape`, with or without `y`.

    Files written by `scipy.sparse.save_npz` are read too, if the matrix is CSR.

    Examples
    --------
    >>> np.savez("rows.npz", X=np.eye(2), y=np.array([1, 0]))
    >>> table = read("rows.npz")
    >>> table.X.shape, table.y
    ((2, 2), array([1, 0]))
    """
    return as_table(read_arrays(path, limits), path)


def as_table(arrays: dict[str, np.ndarray], path: str | Path) -> Table:
    """The matrix and the labels among the arrays of a file, validated."""
    if "X" in arrays:
        X = arrays["X"]
    elif arrays.keys() >= _CSR_ARRAYS:
        X = _as_csr(arrays, path)
    else:
        raise ValueError(f"{path} holds {sorted(arrays)}; expected X, or data, indices, indptr and shape, and y")
    y = arrays.get("y")
    _check_arrays(X, y, path)
    return Table(X=X, y=y)


def read_arrays(path: str | Path, limits: ReadLimits | None = None) -> dict[str, np.ndarray]:
    """All arrays of a file."""
    with open(path, "rb") as stream:
        if zipfile.is_zipfile(stream):
            _check_size(path, limits or ReadLimits())
        stream.seek(0)
        try:
            return _load_arrays(stream)
        except MemoryError:
            raise
        except Exception as error:  # NumPy evaluates headers, so damaged ones raise almost anything
            message = str(error) or type(error).__name__
            raise ValueError(f"{path} is not an npz file of plain arrays: {message}") from None


def _load_arrays(stream: IO[bytes]) -> dict[str, np.ndarray]:
    with np.load(stream, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise ValueError("it holds something else")
    return arrays


def _check_size(path: str | Path, limits: ReadLimits) -> None:
    """Refuse an archive whose members are too large when decompressed; a damaged one is reported when it is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except Exception:
        return
    limits.check_decompressed(size, path)


def _as_csr(arrays: dict[str, np.ndarray], path: str | Path) -> Any:
    if "format" in arrays and arrays["format"].tolist() != b"csr":
        raise ValueError(f"{path} holds a sparse matrix that is not CSR; save X.tocsr()")
    try:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        X = scipy.sparse.csr_array(parts, shape=tuple(int(size) for size in arrays["shape"]))
        check_structure(X)
    except _INVALID_VALUES as error:
        raise ValueError(f"{path} holds an invalid CSR matrix: {error}") from None
    return X


def _check_arrays(X: Any, y: np.ndarray | None, path: str | Path) -> None:
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise ValueError(f"{path}: X must be a matrix of numbers, not {X.dtype} of shape {X.shape}")
    if X.shape[0] == 0:
        raise ValueError(f"{path} has no rows")
    if y is not None and y.shape != (X.shape[0],):
        raise ValueError(f"{path}: y has shape {y.shape}, but X has {X.shape[0]} rows")
    if y is not None and y.dtype.kind not in "fiubU":
        raise ValueError(f"{path}: y must hold numbers, booleans or strings, not {y.dtype}")
