"""CSV files: columns of strings, read in chunks of rows.

UTF-8 with or without a byte-order mark, delimited by commas, semicolons or tabs (whichever splits the header into the
most fields), fields quoted or not, the first line a header. Blank lines are skipped, except in a file of one column,
where they are missing values. Files may be compressed (`.gz`, `.bz2`, `.xz`). Types are inferred later, by
`TableEncoder`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from aucmax.tables.cells import STRING_DTYPE
from aucmax.tables.compression import open_text
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.table import Table, check_distinct_names

DELIMITERS = ",;\t"
UNNAMED = "unnamed column"


def read_chunks(path: str | Path, *, rows: int, limits: ReadLimits | None = None) -> Iterator[Table]:
    """Read a CSV file as tables of at most `rows` rows, all columns as strings.

    Examples
    --------
    >>> _ = Path("people.csv").write_text('age;name\\n31;"Ann; B."\\n42;Carl\\n')
    >>> [table.columns["name"].tolist() for table in read_chunks("people.csv", rows=10)]
    [['Ann; B.', 'Carl']]
    """
    with open_text(path, limits) as stream:
        yield from _read_tables(stream, path, rows)


def _read_tables(stream: IO[str], path: str | Path, rows: int) -> Iterator[Table]:
    header, n_blank = _read_header(stream, path)
    reader = csv.reader(chain([header], stream), delimiter=_delimiter(header), strict=True)
    records = _check_records(reader, n_blank, path)
    names = _column_names(next(records), path)
    n_read = 0
    while chunk := list(islice(records, rows)):
        yield Table({name: np.array(column, dtype=STRING_DTYPE) for name, column in zip(names, zip(*chunk))})
        n_read += len(chunk)
    if not n_read:
        raise ValueError(f"{path} has a header but no rows")


def _delimiter(header: str) -> str:
    """The delimiter that splits the header into the most fields.

    Not counted by `csv.reader`, which refuses fields of more than 131,072 characters, as a wide header is when it is
    not split.
    """

    def count(delimiter: str) -> int:
        quoted_field = rf'(^|{delimiter})"(?:[^"]|"")*"'
        return re.sub(quoted_field, r"\1", header).count(delimiter)

    return max(DELIMITERS, key=count)


def _read_header(stream: IO[str], path: str | Path) -> tuple[str, int]:
    """The header, and the number of blank lines before it."""
    for n_blank, line in enumerate(stream):
        if line.strip():
            return line, n_blank
    raise ValueError(f"{path} is empty")


def _check_records(reader: Any, n_blank: int, path: str | Path) -> Iterator[list[str]]:
    """The records, all of the same length; a blank line counts as a missing value if there is one column."""
    width = 0
    try:
        for record in reader:
            width = width or len(record)
            record = record or [""] * (width == 1)
            if record and len(record) == width:
                yield record
            elif record:
                line = n_blank + reader.line_num
                raise ValueError(f"{path}, line {line}: {len(record)} fields, but the header has {width}")
    except csv.Error as error:
        line = n_blank + reader.line_num
        raise ValueError(f"{path}, line {line}: {error}; is a quotation mark not closed?") from None


def _column_names(header: list[str], path: str | Path) -> list[str]:
    names = [name.strip() or f"{UNNAMED} {i}" for i, name in enumerate(header, 1)]
    check_distinct_names(names, path)
    return names
