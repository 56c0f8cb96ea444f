"""What the cells of a column hold: numbers, strings or missing values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aucmax.tables.float_parsing import parse_cells

STRING_DTYPE = np.dtypes.StringDType()
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "<NA>", "null", "NULL", "None", "?")

Scalar = bool | int | float | str  # what JSON can hold: class labels and cells


def is_missing(values: np.ndarray) -> np.ndarray:
    """Which cells of a column are missing: NaN, or a string such as `NA` or `null`.

    Examples
    --------
    >>> is_missing(np.array(["1", " NA ", ""], dtype=STRING_DTYPE))
    array([False,  True,  True])
    """
    if values.dtype.kind == "T":
        return np.isin(np.strings.strip(values), np.array(MISSING, dtype=STRING_DTYPE))
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def as_numbers(values: np.ndarray) -> np.ndarray | None:
    """A column as float64 with NaN for missing values; None if a cell is not a number.

    Examples
    --------
    >>> as_numbers(np.array(["1e5", " 3 ", "NA"], dtype=STRING_DTYPE))
    array([1.e+05, 3.e+00,    nan])
    >>> as_numbers(np.array(["1", "one"], dtype=STRING_DTYPE)) is None
    True
    """
    if values.dtype.kind != "T":
        return values.astype(float)
    cells = values.tolist()
    text = "\0".join(cells).encode()
    if text.count(b"\0") != max(len(cells) - 1, 0):
        return None
    numbers = np.empty(len(cells))
    parsed = np.zeros(len(cells), dtype=bool)
    parse_cells(np.frombuffer(text, dtype=np.uint8), numbers.view(np.uint64), parsed)
    for i in np.flatnonzero(~parsed):
        number = parse_number(cells[i])
        if number is None:
            return None
        numbers[i] = number
    return numbers


def parse_number(cell: str) -> float | None:
    """The number in a cell: NaN if it is missing, None if it is any other string.

    Examples
    --------
    >>> parse_number(" 1e2 "), parse_number("NA"), parse_number("one")
    (100.0, nan, None)
    """
    cell = cell.strip()
    if cell in MISSING:
        return np.nan
    try:
        number = float(cell)
    except ValueError:
        return None
    return None if "_" in cell or math.isnan(number) else number  # float("1_0") is 10, but no table means that


def as_strings(values: np.ndarray) -> np.ndarray:
    """A column as strings without surrounding white space; integral numbers have no decimal point.

    Examples
    --------
    >>> as_strings(np.array([1.0, 2.5])).tolist()
    ['1', '2.5']
    """
    if values.dtype.kind == "T":
        return np.strings.strip(values)
    distinct, inverse = np.unique(values, return_inverse=True)
    return np.array([str(as_scalar(value)) for value in distinct], dtype=STRING_DTYPE)[inverse]


def as_scalar(value: Any) -> Scalar:
    """A NumPy value as a Python scalar; an integral number as an int.

    Examples
    --------
    >>> as_scalar(np.float64(2.0)), as_scalar(np.bool_(True)), as_scalar("a")
    (2, True, 'a')
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    return int(value) if float(value).is_integer() else float(value)


def truncate(text: str, length: int) -> str:
    """At most so many characters of a string, for error messages.

    Examples
    --------
    >>> truncate("abcdefgh", 6)
    'abc...'
    """
    return text if len(text) <= length else text[: length - 3] + "..."
