"""Arrays in JSON: lists of numbers, and matrices that are dense or CSR."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from aucmax.numerics.matrix import is_sparse
from aucmax.numerics.sparse_structure import canonical, check_structure
from aucmax.tables.json_schema import Schema, check_schema, is_finite_number

_DENSE: Schema = {"rows": (list,)}
_SPARSE: Schema = {"shape": (list,), "data": (list,), "indices": (list,), "indptr": (list,)}


def array_from_json(content: Any, what: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """A list, or a list of lists, as an array of finite numbers of that shape; None stands for any length.

    Examples
    --------
    >>> array_from_json([1, 2], "weights", (2,))
    array([1., 2.])
    >>> array_from_json([[1, 2], [3]], "weights", (2, None))
    Traceback (most recent call last):
    ValueError: weights must hold finite numbers, in rows of equal length
    """
    rows = content if len(shape) == 2 else [content]
    if not all(type(row) is list and len(row) == len(rows[0]) and all(map(is_finite_number, row)) for row in rows):
        raise ValueError(f"{what} must hold finite numbers, in rows of equal length")
    array = np.array(rows, dtype=float) if rows else np.empty((0, 0))
    array = array if len(shape) == 2 else array[0]
    if any(expected not in (None, size) for expected, size in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{what} must have shape {shape}, not {array.shape}")
    return array


def integers_from_json(content: Any, what: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """The same for integers.

    Examples
    --------
    >>> integers_from_json([1.5], "roots", (1,))
    Traceback (most recent call last):
    ValueError: roots must hold integers
    """
    numbers = array_from_json(content, what, shape)
    integers = numbers.astype(np.int64)
    if (integers != numbers).any():
        raise ValueError(f"{what} must hold integers")
    return integers


def matrix_to_json(X: Any) -> dict[str, Any]:
    """A dense or CSR matrix as JSON values."""
    if not is_sparse(X):
        return {"rows": np.asarray(X, dtype=float).tolist()}
    return {
        "shape": list(X.shape),
        "data": X.data.tolist(),
        "indices": X.indices.tolist(),
        "indptr": X.indptr.tolist(),
    }


def matrix_from_json(content: Any, what: str) -> Any:
    """The matrix that `matrix_to_json` described, validated."""
    if set(content) != set(_DENSE):
        return _csr_from_json(content, what)
    check_schema(content, _DENSE, what)
    rows = array_from_json(content["rows"], f"rows of {what}", (None, None))
    if not rows.size:
        raise ValueError(f"{what} must have rows and columns")
    return rows


def _csr_from_json(content: Any, what: str) -> Any:
    check_schema(content, _SPARSE, what)
    arrays = {name: array_from_json(content[name], f"{name} of {what}", (None,)) for name in _SPARSE}
    integers = {name: arrays[name].astype(np.int64) for name in ("shape", "indices", "indptr")}
    if any((integers[name] != arrays[name]).any() for name in integers) or integers["shape"].size != 2:
        raise ValueError(f"shape, indices and indptr of {what} must be integers")
    parts = (arrays["data"], integers["indices"], integers["indptr"])
    try:
        return canonical(check_structure(scipy.sparse.csr_array(parts, shape=tuple(integers["shape"].tolist()))))
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
