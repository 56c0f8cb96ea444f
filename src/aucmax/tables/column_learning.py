"""`learn_column`: how a column is to be encoded, inferred from a summary of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from aucmax.tables.cells import truncate
from aucmax.tables.column_encoder import ColumnEncoder, check_no_infinite
from aucmax.tables.column_summary import ColumnSummary
from aucmax.tables.findings.ids import id_reason
from aucmax.tables.number_format import BOOLEAN, PLAIN, NumberFormat
from aucmax.tables.number_summary import NumberSummary
from aucmax.tables.table import UNNAMED
from aucmax.tables.time_format import TimeFormat

_INDEX_PREFIXES = (UNNAMED, "__index_level_")  # of a CSV file, and of a Parquet file written by pandas
_MOSTLY = 0.9  # share of numbers from which the other strings are probably stray
_SEPARATOR_NAMES = {",": "comma", ".": "point", " ": "space", "'": "apostrophe"}

# How the reasons begin for which columns are left out.
IS_ID = "looks like an id: "
IS_CONSTANT = "constant: "
IS_EMPTY = "all values are missing"
IS_FREE_TEXT = "free text: "
IS_MIXED = "most of its values are numbers"  # stands in the reason or the note of a column of numbers and text

Learned = tuple[ColumnEncoder, np.ndarray | None]  # an encoder, and the numbers of the column if all are kept


def learn_column(
    name: str, summary: ColumnSummary, max_categories: int, decimal: str = ".", keep: bool = False
) -> Learned | str:
    """The encoder of a column and its numbers (None for categories), or the reason why the column is left out.

    `decimal` is the decimal separator where the cells are ambiguous, as `1,234` is. With `keep`, a column that looks
    like an id is used.
    """
    if name.startswith(_INDEX_PREFIXES) and not keep:
        return f"{IS_ID}it has no name, so it is probably an index"
    if summary.is_empty:
        return IS_EMPTY
    format = choose_format(summary, decimal)
    if format is None and summary.readings:
        return f"ambiguous dates, such as {_example(summary)!r}: day or month first? write 2026-01-31"
    if format is None:
        return _learn_categories(name, summary, max_categories)
    reading = summary.readings[format]
    facts = reading.facts
    check_no_infinite(facts.infinite, name)
    any_missing = summary.n_missing > 0
    is_id = None if keep or format.kind != "numeric" else _id_reason(name, summary, reading)
    if is_id is not None:
        return IS_ID + is_id
    low, high = facts.low, facts.high
    if low == high and not any_missing:
        return f"{IS_CONSTANT}all values are {_constant(summary, low)!r}"
    note = _note(format, summary)
    if isinstance(format, TimeFormat):
        format = replace(format, hour=facts.time_of_day)
    stored = format if isinstance(format, TimeFormat) or note or format not in (PLAIN, BOOLEAN) else None
    encoder = ColumnEncoder(name, format.kind, reading.median, (), any_missing, stored, low, high, note)
    return encoder, reading.numbers if reading.sketch is None else None


def _id_reason(name: str, summary: ColumnSummary, reading: NumberSummary) -> str | None:
    if summary.long_integers:
        return "integers of more than 15 digits"
    return id_reason(name, reading.present)


def choose_format(summary: ColumnSummary, decimal: str) -> Any:
    """The format in which the column is read; None if it holds categories, free text or ambiguous dates."""
    formats = list(summary.readings)
    numeric = [format for format in formats if isinstance(format, NumberFormat)]
    if numeric:
        wanted = next((format for format in numeric if format.decimal == decimal), numeric[0])
        return PLAIN if PLAIN in numeric and _agree(summary, [PLAIN, wanted]) else wanted
    times = [format for format in formats if isinstance(format, TimeFormat)]
    if times:
        return times[0] if _agree(summary, times) else None
    return BOOLEAN if BOOLEAN in formats else None


def _agree(summary: ColumnSummary, formats: list[Any]) -> bool:
    """Whether the formats give the same numbers."""
    first, *others = (summary.readings[format] for format in formats)
    return all(first.agrees_with(other) for other in others)


def decimal_separator(summaries: Iterable[ColumnSummary]) -> str:
    """The decimal separator of a table: a comma if a column can only be read with it, and none only with a point.

    Columns of plain numbers are not asked: they may have been written by a program, beside others that were not.
    """
    separators = [
        {format.decimal for format in summary.readings if isinstance(format, NumberFormat)}
        for summary in summaries
        if PLAIN not in summary.readings
    ]
    return "," if {","} in separators and {"."} not in separators else "."


def _constant(summary: ColumnSummary, value: float) -> str:
    if summary.categories:
        return min(summary.categories)
    return str(int(value)) if value.is_integer() else str(value)


def _note(format: Any, summary: ColumnSummary) -> str:
    """What was done to read the cells, in words; empty if they are plain numbers or booleans."""
    if isinstance(format, TimeFormat):
        return "times, as seconds since 1970 and weekday"
    if not isinstance(format, NumberFormat) or (format == PLAIN and summary.text is None):
        return ""
    example = f" such as {_example(summary)!r}" if summary.text else ""
    thousands = f", {_SEPARATOR_NAMES[format.thousands]} between thousands" if format.thousands else ""
    return f"numbers{example}, with a decimal {_SEPARATOR_NAMES[format.decimal]}{thousands}"


class MixedColumnWarning(UserWarning):
    """Text among numbers: the column is not used as numbers."""


def _learn_categories(name: str, summary: ColumnSummary, max_categories: int) -> Learned | str:
    categories = summary.categories
    count = "more than " + str(max_categories) if categories is None else str(len(categories))
    if categories is not None and len(categories) == 1 and not summary.n_missing:
        return f"{IS_CONSTANT}all values are {min(categories)!r}"
    limit = min(max_categories, max(2, summary.n_rows // 2))
    is_free_text = categories is None or len(categories) > limit
    outcome = "left out as free text" if is_free_text else f"encoded as {count} categories"
    mixed = _why_mixed(summary)
    note = f"{outcome}, but {mixed}" if mixed else ""
    if note:
        warnings.warn(MixedColumnWarning(f"column {name!r} is {note}"), stacklevel=2)
    if categories is None or is_free_text:
        return f"{IS_FREE_TEXT}{mixed or f'{count} distinct values, e.g. {_example(summary)!r}'}"
    return ColumnEncoder(name, "categorical", 0.0, tuple(sorted(categories)), summary.n_missing > 0, note=note), None


def _why_mixed(summary: ColumnSummary) -> str:
    """What to do about a column of numbers and text; empty if it is not one."""
    if summary.text is None or summary.head[0] < _MOSTLY * max(summary.head[1], 1):
        return ""
    text = f"such as {_example(summary)!r} in row {summary.text[1]}"
    return f"{IS_MIXED}; to use it as numbers, fix or empty the others, {text}"


def _example(summary: ColumnSummary) -> str:
    """The first cell that is not a plain number."""
    return truncate(summary.text[0], 30) if summary.text else ""
