"""CSV files: text columns, read in chunks of rows.

UTF-8 with or without a byte-order mark, the delimiter one of comma, semicolon and tab, fields quoted or not,
the first line a header. A blank line is skipped, unless there is one column only: there its cell is missing. Files
may be compressed (`.gz`, `.bz2`, `.xz`). Nothing is guessed about types here.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from aucmax.tables.compressed import open_text
from aucmax.tables.table import TEXT, Table

_DELIMITERS = ",;\t"
NO_NAME = "unnamed column"


def read_chunks(path: str | Path, *, rows: int) -> Iterator[Table]:
    """Read a CSV file as tables of at most `rows` rows, all columns as text.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write('age;name\\n31;"Ann; B."\\n42;Carl\\n')
    ...     file.flush()
    ...     for table in read_chunks(file.name, rows=10):
    ...         print(table.names, table.columns["name"].tolist())
    ('age', 'name') ['Ann; B.', 'Carl']
    """
    with open_text(path) as stream:
        yield from _tables(stream, path, rows)


def _tables(stream: IO[str], path: str | Path, rows: int) -> Iterator[Table]:
    top = _up_to_header(stream, path)
    delimiter = max(_DELIMITERS, key=lambda mark: len(next(csv.reader(top[-1:], delimiter=mark))))
    reader = csv.reader(chain(top, stream), delimiter=delimiter, strict=True)
    lines = _checked(reader, path)
    names = _names(next(lines), path)
    n_read = 0
    while chunk := list(islice(lines, rows)):
        yield Table({name: np.array(column, dtype=TEXT) for name, column in zip(names, zip(*chunk))})
        n_read += len(chunk)
    if not n_read:
        raise ValueError(f"{path} has a header but no rows")


def _up_to_header(stream: IO[str], path: str | Path) -> list[str]:
    """Blank lines, and the first one that is not."""
    top = []
    for line in stream:
        top.append(line)
        if line.strip():
            return top
    raise ValueError(f"{path} is empty")


def _checked(reader: Any, path: str | Path) -> Iterator[list[str]]:
    """The rows, all as long as the first; a blank line is none, or a missing cell where there is one column."""
    width = 0
    try:
        for row in reader:
            width = width or len(row)
            row = row or [""] * (width == 1)
            if row and len(row) == width:
                yield row
            elif row:
                raise ValueError(f"{path}, line {reader.line_num}: {len(row)} fields, but the header has {width}")
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}; is a quote left open?") from None


def _names(header: list[str], path: str | Path) -> list[str]:
    names = [name.strip() or f"{NO_NAME} {i}" for i, name in enumerate(header, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{path} has several columns named {twice}; give every column its own name")
    return names
