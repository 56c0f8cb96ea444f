"""Check that a JSON object has exactly the parts it should have."""

from __future__ import annotations

import math
from typing import Any


def check_parts(value: Any, parts: dict[str, tuple[type | None, ...]], what: str) -> None:
    """Raise ValueError unless `value` is a dict with exactly these keys and values of these types.

    `float` stands for any finite number, None for null; a bool is never a number.

    Examples
    --------
    >>> check_parts({"slope": 2}, {"slope": (float,)}, "calibration")
    >>> check_parts({"slope": "2"}, {"slope": (float,)}, "calibration")
    Traceback (most recent call last):
    ValueError: slope of calibration must be a finite number, not '2'
    """
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object, not {_shown(value)}")
    if set(value) != set(parts):
        lacking, unknown = sorted(set(parts) - set(value)), sorted(set(value) - set(parts))
        raise ValueError(f"{what} lacks {lacking} and has the unknown {unknown}")
    for key, kinds in parts.items():
        if not any(_is(value[key], kind) for kind in kinds):
            names = " or ".join(_NAMES[kind] for kind in kinds)
            raise ValueError(f"{key} of {what} must be {names}, not {_shown(value[key])}")


_NAMES: dict[type | None, str] = {
    None: "null",
    bool: "true or false",
    float: "a finite number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def _is(value: Any, kind: type | None) -> bool:
    if kind is None:
        return value is None
    return is_number(value) if kind is float else type(value) is kind


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that a double can hold.

    Examples
    --------
    >>> is_number(1), is_number(True), is_number(float("nan")), is_number(10**400)
    (True, False, False, False)
    """
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        return False


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
