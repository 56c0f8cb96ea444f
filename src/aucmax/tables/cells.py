"""What the cells of a column hold: numbers, strings or missing values.

A column is a `pyarrow.ChunkedArray` of strings, booleans, integers, float32, float64, dates or timestamps, which
`as_column` makes of anything else. A cell is missing if it is null, NaN, or a string such as `NA`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aucmax.tables.pyarrow_import import pa, pc

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "<NA>", "null", "NULL", "None", "?")
PLAIN_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_FIRST_CELLS = 64  # of a column of strings that are tried first
_DOUBLE_DIGITS = 15  # decimal digits that float64 always holds

Scalar = bool | int | float | str  # what JSON can hold: class labels and cells
Column = Any  # a pyarrow.ChunkedArray


def as_column(values: Any) -> Column:
    """Any one-dimensional array or sequence as a column.

    Integers and float32 stay what they are, other numbers become float64. Numbers that would be rounded
    (long decimals) and everything that is neither a number, a boolean, a date nor a timestamp become strings.

    Examples
    --------
    >>> as_column(np.array([1.5, np.nan])).to_pylist(), as_column(["a", 1]).to_pylist()
    ([1.5, None], ['a', '1'])
    """
    if not isinstance(values, pa.ChunkedArray):
        values = pa.chunked_array([values if isinstance(values, pa.Array) else _as_array(values)])
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    target = _column_type(values.type)
    if target is None:
        return pa.chunked_array([pa.array([_as_string(cell) for cell in values.to_pylist()], type=pa.string())])
    return values if values.type == target else values.cast(target, safe=False)


def _as_array(values: Any) -> Any:
    """An Arrow array of NumPy, pandas or Python values; strings if they are of several types."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "TUS":
        values = values.tolist()
    try:
        found = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.array([_as_string(cell) for cell in values], type=pa.string())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _as_string(cell: Any) -> str | None:
    return None if cell is None or cell != cell or str(cell) == "<NA>" else str(cell)


def _column_type(kind: Any) -> Any:
    """The type that a column of that type is cast to; None if its cells become strings one by one."""
    types = pa.types
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_date(kind) or types.is_timestamp(kind):
        return kind
    if types.is_float32(kind):
        return kind
    if types.is_floating(kind) or (types.is_decimal(kind) and kind.precision <= _DOUBLE_DIGITS):
        return pa.float64()
    castable = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return pa.string() if castable or types.is_null(kind) or types.is_decimal(kind) else None


def is_string(values: Column) -> bool:
    """Whether a column holds strings, which may stand for anything."""
    return pa.types.is_string(values.type)


def is_time(values: Column) -> bool:
    """Whether a column holds dates or timestamps."""
    return pa.types.is_date(values.type) or pa.types.is_timestamp(values.type)


def present_strings(values: Column) -> Column:
    """A column of strings without surrounding white space, null where they are missing.

    Examples
    --------
    >>> present_strings(as_column([" a ", "NA", None])).to_pylist()
    ['a', None, None]
    """
    stripped = pc.utf8_trim_whitespace(values)
    missing = pc.is_in(stripped, value_set=pa.array(MISSING))
    return pc.if_else(missing, pa.scalar(None, pa.string()), stripped) if pc.any(missing).as_py() else stripped


def is_missing(values: Column) -> np.ndarray:
    """Which cells of a column are missing: null, NaN, or a string such as `NA` or `null`.

    Examples
    --------
    >>> is_missing(as_column(["1", " NA ", ""]))
    array([False,  True,  True])
    """
    if is_string(values):
        values = present_strings(values)
    return pc.is_null(values, nan_is_null=True).to_numpy()


def as_numbers(values: Column) -> np.ndarray | None:
    """A column as float64 with NaN for missing values; None if a cell is not a number.

    Examples
    --------
    >>> as_numbers(as_column(["1e5", " 3 ", "NA"]))
    array([1.e+05, 3.e+00,    nan])
    >>> as_numbers(as_column(["1", "one"])) is None
    True
    """
    if is_string(values):
        return parse_numbers(present_strings(values))
    return None if is_time(values) else to_floats(values)


def to_floats(values: Column) -> np.ndarray:
    """A column of numbers or booleans as float64, NaN where it is null."""
    return values.cast("float64", safe=False).to_numpy()


def stored_floats(values: Column) -> np.ndarray | None:
    """A column of finite float32 or float64 numbers as it is stored; None for any other column.

    Examples
    --------
    >>> stored_floats(as_column(np.array([1.5, 2.0], dtype=np.float32)))
    array([1.5, 2. ], dtype=float32)
    >>> stored_floats(as_column([1.5, None])) is None
    True
    """
    if not pa.types.is_floating(values.type) or values.null_count:
        return None
    numbers = values.to_numpy()
    with np.errstate(over="ignore", invalid="ignore"):
        return numbers if np.isfinite(numbers.sum()) else None  # also if the sum overflows: look at every cell


def plain_numbers(values: Column) -> np.ndarray | None:
    """A column of strings as float64 if every cell is null or just a number, without white space; None otherwise.

    Such a column needs no `present_strings`: that would return it as it is.

    Examples
    --------
    >>> plain_numbers(as_column(["1", "2.5"])), plain_numbers(as_column(["1", "NA"]))
    (array([1. , 2.5]), None)
    """
    try:
        pc.cast(values.slice(0, _FIRST_CELLS), "float64")  # Arrow goes on to the end after a cell that fails
        numbers = pc.cast(values, "float64")
    except pa.ArrowInvalid:
        return None
    return None if pc.any(pc.is_nan(numbers)).as_py() else numbers.to_numpy()  # nan is missing, nan(1) no number


def parse_numbers(present: Column) -> np.ndarray | None:
    """What `present_strings` gave as float64, every number to the last bit; None if a cell is not a number."""
    numbers = plain_numbers(present)
    return _parse_cells(present) if numbers is None else numbers


def _parse_cells(present: Column) -> np.ndarray | None:
    """As `parse_numbers`, where some cells hold numbers that only Python reads, such as digits of other scripts."""
    plain = pc.fill_null(pc.match_substring_regex(present, PLAIN_NUMBER), True).to_numpy()
    others = [parse_number(cell) for cell in present.filter(pa.array(~plain)).slice(0, 1).to_pylist()]
    if None in others or not others:
        return None
    others = [parse_number(cell) for cell in present.filter(pa.array(~plain)).to_pylist()]
    if None in others:
        return None
    numbers = np.full(len(present), np.nan)
    numbers[plain] = pc.cast(present.filter(pa.array(plain)), "float64").to_numpy()
    numbers[~plain] = others
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


def as_strings(values: Column) -> Column:
    """A column as strings without surrounding white space, empty where it is null; integral numbers have no point.

    Examples
    --------
    >>> as_strings(as_column([1.0, 2.5])).to_pylist()
    ['1', '2.5']
    """
    if is_string(values):
        return pc.fill_null(pc.utf8_trim_whitespace(values), "")
    if pa.types.is_floating(values.type):
        codes = values.combine_chunks().dictionary_encode()
        names = pa.array([_number_as_string(number) for number in codes.dictionary.to_pylist()], type=pa.string())
        return pa.chunked_array([pc.fill_null(names.take(codes.indices), "")])
    if pa.types.is_boolean(values.type):
        return pc.fill_null(pc.if_else(values, "True", "False"), "")
    return pc.fill_null(values.cast(pa.string()), "")


def _number_as_string(number: float | None) -> str:
    return "" if number is None or math.isnan(number) else str(as_scalar(number))


def as_scalar(value: Any) -> Scalar:
    """A NumPy value as a Python scalar; an integral number as an int, if that has at most 63 bits.

    Examples
    --------
    >>> as_scalar(np.float64(2.0)), as_scalar(np.bool_(True)), as_scalar("a")
    (2, True, 'a')
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    return int(value) if float(value).is_integer() and abs(value) < 2**63 else float(value)


def truncate(text: str, length: int) -> str:
    """At most so many characters of a string, for error messages.

    Examples
    --------
    >>> truncate("abcdefgh", 6)
    'abc...'
    """
    return text if len(text) <= length else text[: length - 3] + "..."
