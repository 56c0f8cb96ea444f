"""Writing tables chunk by chunk, in the format that the file extension names: CSV, TSV, JSON lines, Parquet or Arrow.

CSV and JSON lines may be compressed (`.gz`, `.bz2`, `.xz`). Numbers are written with the fewest digits that restore
them to the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from aucmax.tables.atomic_write import atomic_write
from aucmax.tables.cells import is_string
from aucmax.tables.compression import OPENERS
from aucmax.tables.pyarrow_import import ipc, pa, parquet, pc
from aucmax.tables.read_table import infer_format

_ROWS = 1 << 16  # of a block of text

Write = Callable[[Any], None]  # takes a pyarrow.Table, each with the same columns


@contextmanager
def open_writer(path: str | Path) -> Iterator[Write]:
    """A function that appends Arrow tables to a file, which appears under its name only once it is complete.

    The format is that of the file extension, and CSV for any other; fields of a `.tsv` file are separated by tabs.

    Examples
    --------
    >>> with open_writer("scores.jsonl") as write:
    ...     write(pa.table({"id": ["a", "b"], "score": [0.5, 1e-7]}))
    >>> print(Path("scores.jsonl").read_text(), end="")
    {"id": "a", "score": 0.5}
    {"id": "b", "score": 1e-7}
    """
    opener = OPENERS.get(Path(path).suffix.lower())
    format = infer_format(path)
    if format in ("excel", "libsvm", "npz") or (format in ("parquet", "arrow") and opener is not None):
        choices = ".csv, .tsv, .jsonl, .parquet or .arrow, the first three also with .gz"
        raise ValueError(f"cannot write {path}; choose {choices}")
    text_format = "csv" if format is None else format
    delimiter = "\t" if _extension(path) == ".tsv" else ","
    with atomic_write(path, "wb") as file:
        if format in ("parquet", "arrow"):
            with _open_arrow(file, format) as write:
                yield write
        elif opener is None:
            yield text_writer(file, text_format, delimiter)
        else:
            with opener(file, "wb") as packed:
                yield text_writer(packed, text_format, delimiter)


def _extension(path: str | Path) -> str:
    """The file extension in small letters, without that of a compression."""
    path = Path(path)
    return Path(path.stem if path.suffix.lower() in OPENERS else path.name).suffix.lower()


def text_writer(file: IO[bytes], format: str = "csv", delimiter: str = ",") -> Write:
    """A function that appends Arrow tables as CSV, the first after a header, or as JSON lines."""
    encode = partial(_csv_lines, delimiter=delimiter) if format == "csv" else _json_lines
    header_written = format != "csv"

    def write(table: Any) -> None:
        nonlocal header_written
        if not header_written:
            names = (_quote_name(name, delimiter) for name in table.column_names)
            file.write((delimiter.join(names) + "\n").encode())
            header_written = True
        for start in range(0, len(table), _ROWS):
            lines = encode(table.slice(start, _ROWS).combine_chunks())
            file.write(memoryview(lines.buffers()[2])[: pc.sum(pc.binary_length(lines)).as_py()])

    return write


@contextmanager
def _open_arrow(file: IO[bytes], format: str) -> Iterator[Write]:
    """A function that appends to a Parquet or Arrow file; its columns are those of the first table."""
    writer = None

    def write(table: Any) -> None:
        nonlocal writer
        if writer is None:
            maker = parquet.ParquetWriter if format == "parquet" else ipc.new_file
            writer = maker(file, table.schema)
        writer.write_table(table.cast(writer.schema) if hasattr(writer, "schema") else table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _csv_lines(table: Any, delimiter: str) -> Any:
    """The rows as lines of CSV, newlines included, one after the other in one Arrow array."""
    cells = [_csv_cells(column, delimiter) for column in table.columns]
    return _join([cell for column in cells for cell in (column, delimiter)][:-1])


def _csv_cells(column: Any, delimiter: str) -> Any:
    """A column as CSV: fields are quoted where they have to be."""
    column = column.combine_chunks()
    text = pc.fill_null(column.cast(pa.string()), "")
    if not is_string(column):
        return text
    special = pc.match_substring_regex(text, f'["{delimiter}\r\n]')
    if not pc.any(special).as_py():
        return text
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
    return pc.if_else(special, quoted, text)


def _json_lines(table: Any) -> Any:
    """The rows as lines of JSON, newlines included, one after the other in one Arrow array."""
    parts: list[Any] = []
    for name, column in zip(table.column_names, table.columns):
        parts += [f"{', ' if parts else '{'}{json.dumps(name)}: ", _json_cells(column.combine_chunks())]
    return _join([*parts, "}"])


def _json_cells(column: Any) -> Any:
    """A column as JSON values."""
    if not is_string(column):
        return pc.fill_null(column.cast(pa.string()), "null")
    codes = column.dictionary_encode()
    values = pa.array([json.dumps(value, ensure_ascii=False) for value in codes.dictionary.to_pylist()], pa.string())
    return pc.fill_null(values.take(codes.indices), "null")


def _join(parts: list[Any]) -> Any:
    """Cells and strings between them as lines."""
    return pc.binary_join_element_wise(*parts, "\n", "")


def _quote_name(name: str, delimiter: str) -> str:
    special = any(character in name for character in f'"{delimiter}\r\n')
    return '"' + name.replace('"', '""') + '"' if special else name
