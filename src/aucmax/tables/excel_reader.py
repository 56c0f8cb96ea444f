"""Excel workbooks (`.xlsx`), read by openpyxl: the first sheet, whose first row is the header."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from aucmax.tables.arrow_reader import describe_errors
from aucmax.tables.cells import as_column
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.table import UNNAMED, check_distinct_names


def read_blocks(path: str | Path, *, rows: int, limits: ReadLimits | None = None) -> Iterator[Any]:
    """Read a workbook as Arrow tables of at most `rows` rows."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError("Excel files need openpyxl; from a clone of aucmax: pip install '.[excel]'") from None
    with describe_errors(path, "Excel"):
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        (limits or ReadLimits()).check_decompressed(size, path)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            yield from _read_sheet(book.worksheets[0], path, rows)
        finally:
            book.close()


def _read_sheet(sheet: Any, path: str | Path, rows: int) -> Iterator[Any]:
    records = (record for record in sheet.iter_rows(values_only=True) if any(cell is not None for cell in record))
    header = next(records, None)
    if header is None:
        raise ValueError(f"{path} is empty")
    names = ["" if name is None else str(name).strip() for name in header]
    names = [name or f"{UNNAMED} {i}" for i, name in enumerate(names, 1)]
    check_distinct_names(names, path)
    while chunk := list(islice(records, rows)):
        padded = [(*record, *[None] * (len(names) - len(record))) for record in chunk]
        yield pa.table({name: as_column(list(cells)) for name, cells in zip(names, zip(*padded))})
