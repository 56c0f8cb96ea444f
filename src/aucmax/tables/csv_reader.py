"""CSV files: columns of strings, read by pyarrow in blocks of complete records.

UTF-8 with or without a byte-order mark, or any other encoding that is named; delimited by commas, semicolons or tabs
(whichever splits the header into the most fields), fields quoted or not, the first line a header. Blank lines are
skipped, except in a file of one column, where they are missing values. Files may be compressed (`.gz`, `.bz2`,
`.xz`). Types are inferred later, by `TableEncoder`, so that they do not depend on the block.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.cells import MISSING
from aucmax.tables.compression import open_text_bytes
from aucmax.tables.csv_records import quotes_are_regular, scan_records
from aucmax.tables.pyarrow_import import pa, pa_csv, pc
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.table import UNNAMED, check_distinct_names, select_names

DELIMITERS = ",;\t"
BLOCK_BYTES = 1 << 22
_LINE_END = re.compile(rb"[\r\n]")
_NOT_BLANK = re.compile(rb"[^\r\n]")


def read_blocks(
    path: str | Path,
    *,
    limits: ReadLimits | None = None,
    encoding: str = "utf-8",
    columns: Collection[str] | None = None,
    numbers: Collection[str] = (),
) -> Iterator[Any]:
    """Read a CSV file, or some of its columns, as Arrow tables of some rows each, all columns as strings.

    The columns in `numbers` are float64 as long as every cell is a plain number or missing, which is faster; from the
    first block on where one is not, they are strings as well.

    Examples
    --------
    >>> _ = Path("people.csv").write_text('age;name\\n31;"Ann; B."\\n42;Carl\\n')
    >>> [table["name"].to_pylist() for table in read_blocks("people.csv")]
    [['Ann; B.', 'Carl']]
    """
    limits = limits or ReadLimits()
    with open_text_bytes(path, limits, encoding) as stream:
        header, rest, n_lines = _read_header(stream, path, limits)
        delimiter = _delimiter(header.splitlines()[0])
        names = _column_names(header, delimiter, path, n_lines)
        parser = _BlockParser(
            path, delimiter, names, n_lines, select_names(names, columns), set(numbers) & set(names)
        )
        n_rows = 0
        for block, at_end in _blocks(stream, path, rest):
            table = parser.parse(block, at_end, limits)
            if table is not None:
                n_rows += len(table)
                yield table
    if not n_rows:
        raise ValueError(f"{path} has a header but no rows")


def _blocks(stream: IO[bytes], path: str | Path, first: bytes) -> Iterator[tuple[bytes, bool]]:
    """The bytes after the header as they come, and whether they are the last."""
    block = first or read_block(stream, path)
    while block:
        yield block, False
        block = read_block(stream, path)
    yield b"", True


def read_block(stream: Any, path: str | Path) -> bytes:
    """The next bytes: of a pipe as many as there are, of a file a whole block; none at the end."""
    return stream.read1(BLOCK_BYTES) if is_pipe_or_device(path) else stream.read(BLOCK_BYTES)


def _read_header(stream: IO[bytes], path: str | Path, limits: ReadLimits) -> tuple[str, bytes, int]:
    """The header, the bytes read after it, and the number of lines up to its end."""
    text = b""
    n_lines = 0
    at_end = False
    while not at_end:
        block = read_block(stream, path)
        at_end = not block
        text += block
        blank = _end_of_blank_lines(text)
        n_lines += _count_lines(text[:blank])
        text = text[blank:]
        end, n_header = _end_of_header(text, at_end, path, n_lines) if text.strip() else (0, 0)
        if end:
            return decode_utf8(text[:end], path, n_lines), text[end:], n_lines + n_header
        limits.check_record(len(text), path)
    raise ValueError(f"{path} is empty")


def _end_of_blank_lines(text: bytes) -> int:
    """Where the blank lines at the beginning end."""
    space = text[: len(text) - len(text.lstrip(b" \t\r\n"))]
    return max(space.rfind(b"\n"), space.rfind(b"\r")) + 1


def _end_of_header(text: bytes, at_end: bool, path: str | Path, n_lines: int) -> tuple[int, int]:
    """Where the first record ends, 0 if more bytes are needed, and its number of lines."""
    first_line = _LINE_END.split(text, maxsplit=1)
    if len(first_line) == 1 and not at_end:
        return 0, 0
    delimiter = _delimiter(first_line[0].decode(errors="replace"))
    scan = scan_records(text, delimiter, 0, at_end=at_end, one=True)
    if scan.error:
        raise ValueError(f"{path}, line {n_lines + scan.line}: {scan.error}")
    return scan.end, scan.n_lines


@dataclass
class _BlockParser:
    """Parses the blocks of a file one after the other, and knows the line."""

    path: str | Path
    delimiter: str
    names: list[str]
    n_lines: int  # before the next block
    columns: list[str] | None = None  # to be read; None for all
    numbers: Collection[str] = ()  # those to be read as numbers
    pending: bytes = b""  # the beginning of a record whose end has not been read

    def parse(self, block: bytes, at_end: bool, limits: ReadLimits) -> Any:
        """The complete records so far as an Arrow table; None if there are none."""
        text = self.pending + block
        end, n_lines = self._end_of_records(text, at_end)
        self.pending = text[end:]
        limits.check_record(len(self.pending), self.path)
        records = text[:end]
        has_rows = bool(records) and (len(self.names) == 1 or _NOT_BLANK.search(records) is not None)
        table = self._read(records) if has_rows else None
        self.n_lines += n_lines
        return table

    def _end_of_records(self, text: bytes, at_end: bool) -> tuple[int, int]:
        """Where the last complete record ends, and the number of lines up to there."""
        newline = text.rfind(b"\n") + 1
        whole = text if at_end else text[:newline]
        if b'"' in text and not (whole and quotes_are_regular(whole, self.delimiter)):
            scan = scan_records(text, self.delimiter, len(self.names), at_end=at_end)
            if scan.error:
                raise ValueError(f"{self.path}, line {self.n_lines + scan.line}: {scan.error}")
            return scan.end, scan.n_lines
        end = len(text) if at_end else newline or text.rfind(b"\r", 0, len(text) - 1) + 1
        return end, _count_lines(text if end == len(text) else text[:end])

    def _read(self, text: bytes) -> Any:
        try:
            table = self._convert(text)
            if not any(pc.any(pc.is_nan(table[name])).as_py() for name in self.numbers):  # such as nan(1)
                return table
        except pa.ArrowInvalid:
            pass  # a cell that is not a number, or a record that is not valid
        self.numbers = ()
        try:
            return self._convert(text)
        except pa.ArrowInvalid as error:
            decode_utf8(text, self.path, self.n_lines)
            scan = scan_records(text, self.delimiter, len(self.names), at_end=True)
            where = f", line {self.n_lines + scan.line}: {scan.error}" if scan.error else f": {error}"
            raise ValueError(f"{self.path}{where}") from None

    def _convert(self, text: bytes) -> Any:
        """The records, of which the columns in `numbers` are float64 and the others strings."""
        types = dict.fromkeys(self.names, pa.string()) | dict.fromkeys(self.numbers, pa.float64())
        return pa_csv.read_csv(
            pa.BufferReader(text),
            pa_csv.ReadOptions(column_names=self.names, block_size=len(text) + 1),
            pa_csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True, ignore_empty_lines=len(self.names) > 1
            ),
            pa_csv.ConvertOptions(
                column_types=types,
                null_values=list(MISSING),
                strings_can_be_null=False,
                include_columns=self.columns or [],
            ),
        )


def decode_utf8(text: bytes, path: str | Path, n_lines: int) -> str:
    """The text, or an error that names the line of the first byte that is not UTF-8."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = n_lines + 1 + _count_lines(text[: error.start])
        if text.startswith((b"\xff\xfe", b"\xfe\xff")):
            encoding = "utf-16"
        else:
            encoding = "latin-1"
        raise ValueError(
            f"{path}, line {line}: byte 0x{text[error.start]:02x} is not UTF-8 text; name the encoding of the file, "
            f"such as --encoding {encoding}, or save it as UTF-8"
        ) from None


def _count_lines(text: bytes) -> int:
    return text.count(b"\n") or text.count(b"\r")


def _delimiter(header: str) -> str:
    """The delimiter that splits the header into the most fields.

    Not counted by `csv.reader`, which refuses fields of more than 131,072 characters, as a wide header is when it is
    not split.
    """

    def count(delimiter: str) -> int:
        quoted_field = rf'(^|{delimiter})"(?:[^"]|"")*"'
        return re.sub(quoted_field, r"\1", header).count(delimiter)

    return max(DELIMITERS, key=count)


def _column_names(header: str, delimiter: str, path: str | Path, n_lines: int) -> list[str]:
    try:
        fields = next(csv.reader(io.StringIO(header, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ValueError(f"{path}, line {n_lines}: {error}; is a quotation mark not closed?") from None
    names = [name.strip() or f"{UNNAMED} {i}" for i, name in enumerate(fields, 1)]
    check_distinct_names(names, path)
    return names
