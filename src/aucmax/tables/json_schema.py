"""Check that a JSON object has exactly the keys and types it should have."""

from __future__ import annotations

import math
from typing import Any

from aucmax.tables.cells import truncate

Schema = dict[str, tuple[type | None, ...]]  # the types that the value of each key may have

_TYPE_NAMES: dict[type | None, str] = {
    None: "null",
    bool: "true or false",
    float: "a finite number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def check_schema(value: Any, schema: Schema, what: str) -> None:
    """Raise ValueError unless `value` is a dict with exactly the keys of the schema and values of its types.

    `float` stands for any finite number, None for null; booleans are not numbers.

    Examples
    --------
    >>> check_schema({"slope": 2}, {"slope": (float,)}, "calibration")
    >>> check_schema({"slope": "2"}, {"slope": (float,)}, "calibration")
    Traceback (most recent call last):
    ValueError: slope of calibration must be a finite number, not '2'
    """
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object, not {_show(value)}")
    if set(value) != set(schema):
        absent = sorted(set(schema) - set(value))
        unknown = sorted(set(value) - set(schema))
        raise ValueError(f"{what} lacks the keys {absent} and has the unknown keys {unknown}")
    for key, types in schema.items():
        if not any(_is_instance(value[key], kind) for kind in types):
            expected = " or ".join(_TYPE_NAMES[kind] for kind in types)
            raise ValueError(f"{key} of {what} must be {expected}, not {_show(value[key])}")


def _is_instance(value: Any, kind: type | None) -> bool:
    if kind is None:
        return value is None
    return is_finite_number(value) if kind is float else type(value) is kind


def is_finite_number(value: Any) -> bool:
    """Whether a JSON value is a number that fits in a double.

    Examples
    --------
    >>> is_finite_number(1), is_finite_number(True), is_finite_number(float("nan")), is_finite_number(10**400)
    (True, False, False, False)
    """
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        return False


def all_strings(values: Any) -> bool:
    """Whether every value is a string."""
    return all(isinstance(value, str) for value in values)


def _show(value: Any) -> str:
    return truncate(repr(value), 60)
