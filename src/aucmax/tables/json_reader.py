"""JSON lines: one object a line, read by pyarrow in blocks of complete lines.

A key that a line lacks is missing there. Where a key holds values of several types, all of them become strings; so do
numbers among which integers would be rounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from aucmax.tables.cells import as_column
from aucmax.tables.compression import open_text_bytes
from aucmax.tables.csv_reader import decode_utf8, read_block
from aucmax.tables.pyarrow_import import pa, pa_json
from aucmax.tables.read_limits import ReadLimits

_LONG_INTEGER = re.compile(rb"[:\s]-?[0-9]{16,}\s*[,}]")


def read_blocks(
    path: str | Path,
    *,
    limits: ReadLimits | None = None,
    encoding: str = "utf-8",
    columns: Collection[str] | None = None,
) -> Iterator[Any]:
    """Read a file as Arrow tables of some rows each; those that lack some of the `columns` have them without values.

    Examples
    --------
    >>> _ = Path("people.jsonl").write_text('{"age": 31, "name": "Ann"}\\n{"name": "Carl"}\\n')
    >>> [table.to_pydict() for table in read_blocks("people.jsonl")]
    [{'age': [31, None], 'name': ['Ann', 'Carl']}]
    """
    seen: set[str] = set()
    for text, n_lines in _blocks(path, limits, encoding):
        table = _parse(text, path, n_lines)
        seen.update(table.column_names)
        for name in set(columns or ()) - set(table.column_names):
            table = table.append_column(name, pa.nulls(len(table), pa.string()))
        yield table
    absent = sorted(set(columns or ()) - seen)
    if seen and absent:
        raise ValueError(f"{path} lacks the columns {absent}: no line has these keys")


def _blocks(path: str | Path, limits: ReadLimits | None, encoding: str) -> Iterator[tuple[bytes, int]]:
    """Complete lines, and the number of lines before them."""
    pending = b""
    n_lines = 0
    with open_text_bytes(path, limits, encoding) as stream:
        while block := read_block(stream, path):
            text = pending + block
            end = text.rfind(b"\n") + 1
            if text[:end].strip():
                yield text[:end], n_lines
            n_lines += text.count(b"\n", 0, end)
            pending = text[end:]
    if pending.strip():
        yield pending, n_lines


def _parse(text: bytes, path: str | Path, n_lines: int) -> Any:
    decode_utf8(text, path, n_lines)  # pyarrow does not look
    try:
        table = pa_json.read_json(
            pa.BufferReader(text),
            pa_json.ReadOptions(block_size=len(text) + 1),
            pa_json.ParseOptions(newlines_in_values=False),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _parse_lines(text, path, n_lines)
    complete = len(table) == _count_lines(text)
    return table if complete and not _may_be_rounded(table, text) else _parse_lines(text, path, n_lines)


def _may_be_rounded(table: Any, text: bytes) -> bool:
    """Whether integers of many digits, such as ids, may have become floating point."""
    return any(pa.types.is_floating(kind) for kind in table.schema.types) and _LONG_INTEGER.search(text) is not None


def _count_lines(text: bytes) -> int:
    """The lines that are not blank: pyarrow also reads an object on two lines, and two objects on a line."""
    return sum(not line.isspace() for line in text.splitlines(keepends=True))


def _parse_lines(text: bytes, path: str | Path, n_lines: int) -> Any:
    """As pyarrow, but line by line: values of several types become strings, and errors have their line."""
    rows = []
    for line, content in enumerate(text.split(b"\n"), n_lines + 1):
        if not content.strip():
            continue
        try:
            row = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {line}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise ValueError(f'{path}, line {line}: expected an object such as {{"age": 31}}')
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: as_column([row.get(name) for row in rows]) for name in names})
