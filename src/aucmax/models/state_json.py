"""The state of a solver in JSON: any record of arrays, numbers and further records, restored to the last bit.

One mechanism for all streaming solvers: a state is read against an initial state of the same solver, which has the
fields, types and shapes that the file must have. An axis of length zero there may have any length. Numbers that are
not finite, which JSON does not have, are the strings "inf", "-inf" and "nan".
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from aucmax.models.json_arrays import matrix_from_json, matrix_to_json
from aucmax.numerics.matrix import is_sparse
from aucmax.tables.json_schema import check_schema, is_finite_number

_NOT_FINITE = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}
_LARGEST = 2**63  # integers below this fit in 64 bits


def state_to_json(value: Any) -> Any:
    """A record, array or number as JSON values.

    Examples
    --------
    >>> state_to_json((np.array([0.5, np.inf]), 3))
    [{'shape': [2], 'values': [0.5, 'inf']}, 3]
    """
    if _is_record(value):
        return {name: state_to_json(getattr(value, name)) for name in _field_names(value)}
    if is_sparse(value):
        return matrix_to_json(value)
    if isinstance(value, np.ndarray):
        return {"shape": list(value.shape), "values": [_number_to_json(number) for number in value.ravel().tolist()]}
    if isinstance(value, tuple):
        return [state_to_json(part) for part in value]
    return _number_to_json(value.item() if isinstance(value, np.generic) else value)


def state_from_json(content: Any, like: Any, what: str) -> Any:
    """What `state_to_json` described, validated against a value of the same kind.

    Examples
    --------
    >>> state_from_json({"shape": [2], "values": [1, "inf"]}, np.zeros(2), "w")
    array([ 1., inf])
    >>> state_from_json({"shape": [3], "values": [1, 2, 3]}, np.zeros(2), "w")
    Traceback (most recent call last):
    ValueError: w must have shape (2,), not [3]
    """
    if _is_record(like):
        return _record_from_json(content, like, what)
    if isinstance(like, np.ndarray):
        return _array_from_json(content, like, what)
    if isinstance(like, tuple):
        return _tuple_from_json(content, like, what)
    if like is None:
        return None if content is None else _integer_from_json(content, 0, what)
    if isinstance(like, (int, np.integer)):
        return _integer_from_json(content, min(int(like), 0), what)
    return _float_from_json(content, what)


def integer_of(content: dict[str, Any], name: str, low: int) -> int:
    """An integer of the stream, of at least `low`."""
    return _integer_from_json(content[name], low, f"{name} of the stream")


def _is_record(value: Any) -> bool:
    return hasattr(value, "_fields") or is_dataclass(value)


def _field_names(record: Any) -> tuple[str, ...]:
    return getattr(record, "_fields", None) or tuple(field.name for field in fields(record))


def _record_from_json(content: Any, like: Any, what: str) -> Any:
    names = _field_names(like)
    kinds = (dict, list, str, bool, float, None)  # the fields themselves are checked one by one
    check_schema(content, dict.fromkeys(names, kinds), what)
    parts = {name: state_from_json(content[name], getattr(like, name), f"{name} of {what}") for name in names}
    return like._replace(**parts) if hasattr(like, "_replace") else replace(like, **parts)


def _array_from_json(content: Any, like: np.ndarray, what: str) -> Any:
    if isinstance(content, dict) and "indptr" in content:
        matrix = matrix_from_json(content, what)
        _check_shape(list(matrix.shape), like, what)
        return matrix
    check_schema(content, {"shape": (list,), "values": (list,)}, what)
    shape = content["shape"]
    _check_shape(shape, like, what)
    if len(content["values"]) != int(np.prod(shape)):
        raise ValueError(f"{what} has {len(content['values'])} values for the shape {shape}")
    if like.dtype.kind in "iu":
        values: list[Any] = [_integer_from_json(value, 0, what) for value in content["values"]]
    else:
        values = [_float_from_json(value, what) for value in content["values"]]
    return np.array(values, dtype=like.dtype).reshape(shape)


def _check_shape(shape: list[Any], like: np.ndarray, what: str) -> None:
    fits = len(shape) == like.ndim and all(
        type(size) is int and size >= 0 and expected in (0, size)
        for size, expected in zip(shape, like.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{what} must have shape {like.shape}, not {shape}")


def _tuple_from_json(content: Any, like: tuple, what: str) -> tuple:
    if type(content) is not list or (like and len(content) != len(like)):
        raise ValueError(f"{what} must be a list" + (f" of {len(like)} values" if like else ""))
    if not like:
        return tuple(_integer_from_json(part, 0, what) for part in content)
    return tuple(state_from_json(part, old, what) for part, old in zip(content, like, strict=True))


def _integer_from_json(content: Any, low: int, what: str) -> int:
    if type(content) is not int or not low <= content < _LARGEST:
        raise ValueError(f"{what} must be an integer from {low} to 2^63 - 1, not {str(content)[:60]!r}")
    return content


def _float_from_json(content: Any, what: str) -> float:
    if isinstance(content, str) and content in _NOT_FINITE:
        return _NOT_FINITE[content]
    if not is_finite_number(content):
        raise ValueError(f"{what} must be a number, not {str(content)[:60]!r}")
    return float(content)


def _number_to_json(number: Any) -> Any:
    """A number, None, or the name of a number that is not finite."""
    return str(number) if isinstance(number, float) and not np.isfinite(number) else number
