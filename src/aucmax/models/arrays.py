"""Arrays in JSON: lists of numbers, and tables that are dense or CSR."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from aucmax.numerics.matrix import is_sparse
from aucmax.tables.json_parts import check_parts, is_number

_SPARSE: dict[str, tuple[type | None, ...]] = {
    "shape": (list,),
    "data": (list,),
    "indices": (list,),
    "indptr": (list,),
}


def numbers(plain: Any, what: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """A list, or a list of lists, as an array of finite numbers of that shape; None stands for any length.

    Examples
    --------
    >>> numbers([1, 2], "weights", (2,))
    array([1., 2.])
    >>> numbers([[1, 2], [3]], "weights", (2, None))
    Traceback (most recent call last):
    ValueError: weights must be rows of finite numbers, all of one length
    """
    rows = plain if len(shape) == 2 else [plain]
    if not all(type(row) is list and len(row) == len(rows[0]) and all(map(is_number, row)) for row in rows):
        raise ValueError(f"{what} must be rows of finite numbers, all of one length")
    array = np.array(rows, dtype=float) if rows else np.empty((0, 0))
    array = array if len(shape) == 2 else array[0]
    if any(wanted not in (None, found) for wanted, found in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{what} must be of shape {shape}, not {array.shape}")
    return array


def table_to_dict(X: Any) -> dict[str, Any]:
    """A table as plain JSON values."""
    if not is_sparse(X):
        return {"rows": np.asarray(X, dtype=float).tolist()}
    parts = {name: getattr(X, name).tolist() for name in ("data", "indices", "indptr")}
    return {"shape": list(X.shape), **parts}


def table_from_dict(plain: Any, what: str) -> Any:
    """What `table_to_dict` returned, checked."""
    if set(plain) == {"rows"}:
        check_parts(plain, {"rows": (list,)}, what)
        rows = numbers(plain["rows"], f"rows of {what}", (None, None))
        if not rows.size:
            raise ValueError(f"{what} must have rows and columns")
        return rows
    check_parts(plain, _SPARSE, what)
    lists = {name: numbers(plain[name], f"{name} of {what}", (None,)) for name in _SPARSE}
    whole = {name: lists[name].astype(np.int64) for name in ("shape", "indices", "indptr")}
    if any((whole[name] != lists[name]).any() for name in whole) or whole["shape"].size != 2:
        raise ValueError(f"shape, indices and indptr of {what} must be whole numbers")
    X = sparse.csr_array((lists["data"], whole["indices"], whole["indptr"]), shape=tuple(whole["shape"].tolist()))
    X.check_format(full_check=True)
    return X
