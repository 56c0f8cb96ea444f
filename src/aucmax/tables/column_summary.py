"""`ColumnSummary`: what a column may hold, from some of its rows; summaries of parts add up to that of the whole.

Every format in which all cells can be read is kept with what was read, so that a part with integers only and a part
with decimal commas agree on the latter. So are the units of the cells, since cells in euros and cells in dollars are
no column of numbers, even if they are in different parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.tables.cells import PLAIN_NUMBER, Column, is_missing, is_string, is_time, plain_numbers, present_strings
from aucmax.tables.number_format import BOOLEAN, NUMBER_FORMATS, PLAIN, NumberFormat, Units, find_units
from aucmax.tables.number_summary import NumberSummary
from aucmax.tables.pyarrow_import import pa, pc
from aucmax.tables.time_format import TIME_FORMATS

NO_UNITS = Units()
_FORMATS: tuple[Any, ...] = (*NUMBER_FORMATS, *TIME_FORMATS, BOOLEAN)
_FIRST_CELLS = 200  # in which a format must fit before all cells are tried
_LONG = 1e15  # an integer beyond it has more than 15 digits
_HEAD = 1000  # cells that decide whether a column is mostly numbers


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What a column may hold.

    Parameters
    ----------
    n_rows, n_missing : int
        Number of cells, and of missing ones.
    readings : dict of format to NumberSummary
        By format, the numbers of all cells. Empty if all are missing: any format will do.
    categories : frozenset of str or None
        The distinct strings; None if there are more than may be categories, or the column holds no strings.
    max_categories : int
        How many distinct strings may be categories.
    text : (str, int) or None
        The first cell that is not a plain number, and its row, counted from 1.
    head : (int, int)
        How many cells at the beginning are plain numbers, and how many were looked at.
    long_integers : bool
        Whether all cells are integers of so many digits that float64 does not hold them exactly.
    units : Units
        The currencies and per cent signs of the cells.
    """

    n_rows: int
    n_missing: int
    readings: dict[Any, NumberSummary]
    categories: frozenset[str] | None
    max_categories: int
    text: tuple[str, int] | None = None
    head: tuple[int, int] = (0, 0)
    long_integers: bool = False
    units: Units = NO_UNITS

    @property
    def is_empty(self) -> bool:
        """Whether all cells are missing."""
        return self.n_missing == self.n_rows

    def __add__(self, other: ColumnSummary) -> ColumnSummary:
        """The summary of the rows of this one, then those of the other."""
        return ColumnSummary(
            self.n_rows + other.n_rows,
            self.n_missing + other.n_missing,
            _joined_readings(self, other),
            self._joined_categories(other),
            self.max_categories,
            self.text or (other.text and (other.text[0], other.text[1] + self.n_rows)),
            (self.head[0] + other.head[0], self.head[1] + other.head[1]),
            (self.long_integers or self.is_empty) and (other.long_integers or other.is_empty),
            self.units + other.units,
        )

    def _joined_categories(self, other: ColumnSummary) -> frozenset[str] | None:
        if self.categories is None or other.categories is None:
            return None
        joined = self.categories | other.categories
        return joined if len(joined) <= self.max_categories else None


def summarize(values: Column, max_categories: int) -> ColumnSummary:
    """The summary of a column.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column
    >>> part, rest = (summarize(as_column(cells), 100) for cells in (["1", "2"], ["1.234,5", ""]))
    >>> {(format.decimal, format.thousands): x.numbers.tolist() for format, x in (part + rest).readings.items()}
    {(',', '.'): [1.0, 2.0, 1234.5, nan]}
    """
    if not is_string(values):
        return _summarize_typed(values, max_categories)
    plain = plain_numbers(values)
    present = present_strings(values) if plain is None else values
    if present.null_count == len(present):
        return ColumnSummary(len(values), len(values), {}, frozenset(), max_categories)
    readings = _read_strings(present, plain)
    text = None if PLAIN in readings and _begin_plain(present) else _first_text(present)
    head = (
        pc.match_substring_regex(present.slice(0, 2 * _HEAD).drop_null().slice(0, _HEAD), PLAIN_NUMBER)
        if text
        else None
    )
    return ColumnSummary(
        len(values),
        present.null_count,
        _as_summaries(readings),
        _distinct(present, max_categories),
        max_categories,
        text,
        (0, 0) if head is None else (pc.sum(head).as_py(), len(head)),
        PLAIN in readings and _are_long_integers(present),
        _units(present, readings),
    )


def _units(present: Column, readings: dict[Any, np.ndarray]) -> Units:
    """The units of the cells; those of plain numbers, and of what is no number, need not be looked for."""
    if PLAIN in readings or not any(isinstance(format, NumberFormat) for format in readings):
        return Units(bare=True)
    return find_units(present)


def _as_summaries(readings: dict[Any, np.ndarray]) -> dict[Any, NumberSummary]:
    """The readings with their summaries; formats that share an array share its summary."""
    summaries = {id(numbers): NumberSummary.of(numbers) for numbers in readings.values()}
    return {format: summaries[id(numbers)] for format, numbers in readings.items()}


def _summarize_typed(values: Column, max_categories: int) -> ColumnSummary:
    n_missing = int(is_missing(values).sum())
    if n_missing == len(values):
        return ColumnSummary(len(values), n_missing, {}, None, max_categories)
    if pa.types.is_boolean(values.type):
        formats: tuple = (BOOLEAN,)
    else:
        formats = TIME_FORMATS if is_time(values) else NUMBER_FORMATS
    numbers = formats[0].read(values)
    long_integers = pa.types.is_integer(values.type) and bool(np.nanmin(np.abs(numbers)) > _LONG)
    readings = dict.fromkeys(formats, NumberSummary.of(numbers))
    settings: dict[str, Any] = {"long_integers": long_integers, "units": Units(bare=True)}
    return ColumnSummary(len(values), n_missing, readings, None, max_categories, **settings)


def _begin_plain(present: Column) -> bool:
    """Whether the first cells are plain numbers, without a currency or a per cent sign."""
    return pc.all(pc.match_substring_regex(present.slice(0, _FIRST_CELLS), PLAIN_NUMBER), min_count=0).as_py()


def _are_long_integers(present: Column) -> bool:
    """Whether all cells are integers of more than 15 digits, and not larger than 64 bits."""
    pattern = "^[+-]?[0-9]{16,20}$"
    first = present.slice(0, _FIRST_CELLS)
    return all(pc.all(pc.match_substring_regex(some, pattern), min_count=0).as_py() for some in (first, present))


def _read_strings(present: Column, plain: np.ndarray | None) -> dict[Any, np.ndarray]:
    """By format, the numbers of all cells, of which those of the plain format may be known."""
    first = present.slice(0, 20 * _FIRST_CELLS).drop_null().slice(0, _FIRST_CELLS)
    possible = _possible_formats(first)
    if plain is None and PLAIN in possible:
        plain = PLAIN.read(present)
    if plain is None or PLAIN not in possible:
        found = {format: format.read(present) for format in possible if format != PLAIN}
    elif not _has_points(present):
        found = {format: plain for format in NUMBER_FORMATS if format in possible}
    else:
        found = {format: plain if format.decimal == "." else format.read(present) for format in possible}
    return {format: numbers for format, numbers in found.items() if numbers is not None}


def _has_points(present: Column) -> bool:
    """Whether a cell has a point; mostly the first chunk tells."""
    return any(pc.any(pc.match_substring(chunk, "."), min_count=0).as_py() for chunk in present.chunks)


def _possible_formats(first: Column) -> list[Any]:
    """The formats in which the first cells can be read; few regular expressions are tried on plain numbers."""
    if not _begin_plain(first):
        return [format for format in _FORMATS if format.read(first) is not None]
    if not _has_points(first):
        return list(NUMBER_FORMATS)
    grouped = NumberFormat(",", ".")  # the only other one with points, such as 1.234
    return [format for format in NUMBER_FORMATS if format.decimal == "."] + [grouped] * (
        grouped.read(first) is not None
    )


def _distinct(present: Column, limit: int) -> frozenset[str] | None:
    """The distinct strings; None if there are more than the limit."""
    first = pc.unique(present.slice(0, 4 * limit))
    if len(first) > limit + 1:
        return None
    distinct = pc.unique(present).drop_null()
    return None if len(distinct) > limit else frozenset(distinct.to_pylist())


def _first_text(present: Column) -> tuple[str, int]:
    """The first cell that is not a plain number, and its row."""
    plain = pc.fill_null(pc.match_substring_regex(present, PLAIN_NUMBER), True).to_numpy()
    row = int(np.argmin(plain))
    return present[row].as_py(), row + 1


def _joined_readings(a: ColumnSummary, b: ColumnSummary) -> dict[Any, NumberSummary]:
    """The readings in the formats of both; a part without any cell has all formats."""
    if a.is_empty and b.is_empty:
        return {}
    common = [format for format in (b if a.is_empty else a).readings if b.is_empty or format in b.readings]
    if not (a.units + b.units).agree:
        common = [format for format in common if not isinstance(format, NumberFormat)]
    blank_a, blank_b = NumberSummary.missing(a.n_rows), NumberSummary.missing(b.n_rows)
    pairs = {format: (a.readings.get(format, blank_a), b.readings.get(format, blank_b)) for format in common}
    joined = {tuple(map(id, pair)): pair[0] + pair[1] for pair in dict.fromkeys(pairs.values())}
    return {format: joined[tuple(map(id, pair))] for format, pair in pairs.items()}
