"""Parquet and Arrow files, read by pyarrow in batches of rows; every batch is validated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aucmax.tables.pyarrow_import import ipc, pa, parquet
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.table import check_distinct_names, select_names

_BUFFER_BYTES = 1 << 16  # of a column; without it, a column of a row group, whatever its size, is read at once


def _open_parquet(path: str | Path) -> Any:
    """A file whose columns are read page by page."""
    return parquet.ParquetFile(path, buffer_size=_BUFFER_BYTES, pre_buffer=False)


def read_parquet(
    path: str | Path, *, rows: int, limits: ReadLimits | None = None, columns: Collection[str] | None = None
) -> Iterator[Any]:
    """Read a Parquet file, or some of its columns, as Arrow tables of at most `rows` rows."""
    with describe_errors(path, "Parquet"):
        file = _open_parquet(path)
        names = file.schema_arrow.names
        metadata = file.metadata
        stored = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    (limits or ReadLimits()).check_decompressed(stored, path, columnar=True)
    check_distinct_names(names, path)
    with file, describe_errors(path, "Parquet"):
        yield from _validated(file.iter_batches(batch_size=rows, columns=select_names(names, columns)), path, limits)


def read_row_groups(
    path: str | Path, groups: Sequence[int], *, rows: int, columns: Collection[str] | None = None
) -> Iterator[Any]:
    """Read some row groups of a Parquet file as Arrow tables of at most `rows` rows."""
    with describe_errors(path, "Parquet"), _open_parquet(path) as file:
        names = select_names(file.schema_arrow.names, columns)
        batches = file.iter_batches(batch_size=rows, row_groups=list(groups), columns=names, use_threads=False)
        yield from (pa.Table.from_batches([batch]) for batch in batches if len(batch))


def row_group_sizes(path: str | Path, limits: ReadLimits | None = None) -> list[int]:
    """The number of rows of every row group of a Parquet file, of which only the end is read."""
    with describe_errors(path, "Parquet"), parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    (limits or ReadLimits()).check_decompressed(sum(group.total_byte_size for group in groups), path, columnar=True)
    check_distinct_names(names, path)
    return [group.num_rows for group in groups]


def read_arrow(path: str | Path, *, rows: int, limits: ReadLimits | None = None) -> Iterator[Any]:
    """Read an Arrow file, in the file or the stream format, as Arrow tables of at most `rows` rows."""
    with open(path, "rb") as stream:
        opener = ipc.open_file if stream.read(6) == b"ARROW1" else ipc.open_stream
    with describe_errors(path, "Arrow"):
        file = opener(pa.memory_map(str(path)))
        names = file.schema.names
    check_distinct_names(names, path)
    with file, describe_errors(path, "Arrow"):
        for table in _validated(_batches(file), path, limits):
            yield from (table.slice(start, rows) for start in range(0, len(table), rows))


@contextmanager
def describe_errors(path: str | Path, format: str) -> Iterator[None]:
    """Turn whatever pyarrow raises for damaged files into a ValueError that names the file."""
    try:
        yield
    except Exception as error:
        described = isinstance(error, MemoryError | ImportError) or getattr(error, "errno", None) is not None
        if described or str(path) in str(error):
            raise  # by the caller, by the operating system, or already
        message = str(error) or type(error).__name__
        raise ValueError(f"{path} is not a valid {format} file: {message}") from None


def _batches(file: Any) -> Iterator[Any]:
    """Record batches of the file format, which is indexed, or of the stream format, which is iterated."""
    if hasattr(file, "num_record_batches"):
        return (file.get_batch(i) for i in range(file.num_record_batches))
    return iter(file)


def _validated(batches: Iterator[Any], path: str | Path, limits: ReadLimits | None) -> Iterator[Any]:
    """The batches that have rows as tables, as long as they are within the limits all together."""
    size = 0
    for batch in batches:
        batch.validate(full=True)  # offsets of a damaged file may point outside of it
        size += batch.nbytes
        (limits or ReadLimits()).check_decompressed(size, path, columnar=True)
        if len(batch):
            yield pa.Table.from_batches([batch])
