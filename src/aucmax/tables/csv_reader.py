"""CSV files: columns of strings, read in chunks of rows.

UTF-8 with or without a byte-order mark, delimited by commas, semicolons or tabs (whichever splits the header into the
most fields), fields quoted or not, the first line a header. Blank lines are skipped, except in a file of one column,
where they are missing values. Files may be compressed (`.gz`, `.bz2`, `.xz`). Types are inferred later, by
`TableEncoder`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from aucmax.tables.cells import STRING_DTYPE
from aucmax.tables.compression import open_text
from aucmax.tables.table import Table, check_distinct_names

DELIMITERS = ",;\t"
UNNAMED = "unnamed column"


def read_chunks(path: str | Path, *, rows: int) -> Iterator[Table]:
    """Read a CSV file as tables of at most `rows` rows, all columns as strings.

    Examples
    --------
    >>> _ = Path("people.csv").write_text('age;name\\n31;"Ann; B."\\n42;Carl\\n')
    >>> [table.columns["name"].tolist() for table in read_chunks("people.csv", rows=10)]
    [['Ann; B.', 'Carl']]
    """
    with open_text(path) as stream:
        yield from _read_tables(stream, path, rows)


def _read_tables(stream: IO[str], path: str | Path, rows: int) -> Iterator[Table]:
    first_lines = _read_up_to_header(stream, path)
    reader = csv.reader(chain(first_lines, stream), delimiter=_delimiter(first_lines[-1]), strict=True)
    records = _check_records(reader, path)
    names = _column_names(next(records), path)
    n_read = 0
    while chunk := list(islice(records, rows)):
        yield Table({name: np.array(column, dtype=STRING_DTYPE) for name, column in zip(names, zip(*chunk))})
        n_read += len(chunk)
    if not n_read:
        raise ValueError(f"{path} has a header but no rows")


def _delimiter(header: str) -> str:
    """The delimiter that splits the header into the most fields."""
    return max(DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter))))


def _read_up_to_header(stream: IO[str], path: str | Path) -> list[str]:
    """Leading blank lines, and the header."""
    lines = []
    for line in stream:
        lines.append(line)
        if line.strip():
            return lines
    raise ValueError(f"{path} is empty")


def _check_records(reader: Any, path: str | Path) -> Iterator[list[str]]:
    """The records, all of the same length; a blank line counts as a missing value if there is one column."""
    width = 0
    try:
        for record in reader:
            width = width or len(record)
            record = record or [""] * (width == 1)
            if record and len(record) == width:
                yield record
            elif record:
                raise ValueError(f"{path}, line {reader.line_num}: {len(record)} fields, but the header has {width}")
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}; is a quotation mark not closed?") from None


def _column_names(header: list[str], path: str | Path) -> list[str]:
    names = [name.strip() or f"{UNNAMED} {i}" for i, name in enumerate(header, 1)]
    check_distinct_names(names, path)
    return names
