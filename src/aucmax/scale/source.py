"""`Source`: rows that need not fit in memory, as an ordered list of partitions."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.scale.partitions import Partition
from aucmax.tables.arrow_reader import row_group_sizes
from aucmax.tables.pyarrow_import import pa, parquet
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.read_table import infer_format

PARTITION_ROWS = 2**20  # of a table in memory, and about of a partition of a Parquet file
_SPOOL_ROWS = 2**17  # rows in a row group of a temporary file
_COLLECTIONS = {
    "dask": ("aucmax.scale.dask", "lazy_source"),
    "pyspark": ("aucmax.scale.spark_frames", "spark_source"),
}
_FORMATS = ("parquet", "arrow", "csv", "jsonl", "libsvm")


@dataclass(frozen=True, eq=False)
class Source:
    """An ordered list of partitions, each of which gives its rows as often as asked.

    Parameters
    ----------
    partitions : tuple of Partition
    name : str
        What the source is called in messages.
    folder : TemporaryFolder, optional
        Where a stream was written; removed with the source.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = Source.of(pa.table({"a": [1, 2, 3]}))
    >>> len(source), [len(chunk) for chunk in source.partitions[0].chunks(2)]
    (1, [2, 1])
    """

    partitions: tuple[Partition, ...]
    name: str = "source"
    folder: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.partitions)

    @classmethod
    def of(
        cls, data: Any, *, format: str | None = None, encoding: str = "utf-8", limits: ReadLimits | None = None
    ) -> Source:
        """Files, a data set or a table as a source.

        Parameters
        ----------
        data : str, Path, list of them, or anything Arrow
            A file or a glob such as `events/*.parquet` (Parquet, Arrow, CSV, JSON lines, libsvm), a list of them,
            a `pyarrow.dataset`, or anything with `__arrow_c_stream__`: data frames of pandas and polars, relations
            of DuckDB, a `RecordBatchReader`; data frames of Dask and Spark, with their own partitions. A
            stream, which is not a table, is written to a temporary Parquet file first, since it is read more than
            once.
        format, encoding, limits
            As for `aucmax.tables.read`.
        """
        if isinstance(data, Source):
            return data
        if (maker := _COLLECTIONS.get(type(data).__module__.partition(".")[0])) is not None:
            return getattr(import_module(maker[0]), maker[1])(data)
        if isinstance(data, str | os.PathLike) or _is_list_of_paths(data):
            paths = find_files([data] if isinstance(data, str | os.PathLike) else data)
            parts = [part for path in paths for part in _file_partitions(path, format, encoding, limits)]
            return cls(tuple(parts), str(data))
        if _is_dataset(data):
            return cls(tuple(Partition.of_fragment(part, data.schema) for part in data.get_fragments()), "data set")
        if hasattr(data, "iloc") or isinstance(data, pa.Table) or type(data).__name__ == "DataFrame":
            return cls(tuple(_slices(data if isinstance(data, pa.Table) else pa.table(data))), "table")
        if hasattr(data, "__arrow_c_stream__"):
            return spooled(data)
        raise TypeError(
            f"{type(data).__name__} cannot be a source; give file names, a pyarrow.dataset, or something with "
            "__arrow_c_stream__, such as a data frame or a RecordBatchReader"
        )


def spooled(stream: Any) -> Source:
    """A stream, which can be read once, written to a temporary Parquet file that is removed with the source."""
    reader = pa.RecordBatchReader.from_stream(stream)
    folder = TemporaryFolder()
    path = os.path.join(folder.path, "stream.parquet")
    with parquet.ParquetWriter(path, reader.schema, compression="lz4") as writer:
        for batch in reader:
            if len(batch):
                writer.write_batch(batch, row_group_size=_SPOOL_ROWS)
    return Source(tuple(_parquet_partitions(path, None)), "stream (in a temporary file)", folder)


class TemporaryFolder:
    """A folder that is removed with the last object that refers to it, or when the process ends."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="aucmax-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def is_glob(name: str | os.PathLike) -> bool:
    """Whether a name stands for several files.

    Examples
    --------
    >>> is_glob("events/*.parquet"), is_glob("events.parquet")
    (True, False)
    """
    return glob.has_magic(os.fspath(name)) and not Path(name).exists()


def find_files(names: Sequence[str | os.PathLike]) -> list[str]:
    """The files that the names and globs stand for, each glob in alphabetical order."""
    files: list[str] = []
    for name in [os.fspath(name) for name in names]:
        matches = sorted(glob.glob(name, recursive=True)) if is_glob(name) else [name]
        if not matches:
            raise FileNotFoundError(f"no file matches {name!r}")
        files += matches
    for name in files:
        if Path(name).is_dir():
            raise IsADirectoryError(
                f"{name!r} is a folder; name its files, as in {os.path.join(name, '*.parquet')!r}"
            )
        if not Path(name).is_file():
            raise FileNotFoundError(f"there is no file {name!r}")
    return files


def _is_list_of_paths(data: Any) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(part, str | os.PathLike) for part in data)


def _is_dataset(data: Any) -> bool:
    return hasattr(data, "get_fragments") and hasattr(data, "schema")


def _slices(table: Any) -> Iterator[Partition]:
    for number, start in enumerate(range(0, len(table), PARTITION_ROWS)):
        yield Partition.of_table(table.slice(start, PARTITION_ROWS), number)


def _file_partitions(path: str, format: str | None, encoding: str, limits: ReadLimits | None) -> Iterable[Partition]:
    format = format or infer_format(path)
    if format not in _FORMATS:
        raise ValueError(
            f"{path} has the format {format}; a source has one of {_FORMATS}: convert it, or give a format"
        )
    if format == "parquet":
        return _parquet_partitions(path, limits)
    return [Partition.of_file(path, format, encoding, limits)]


def _parquet_partitions(path: str, limits: ReadLimits | None) -> Iterator[Partition]:
    """Consecutive row groups of about `PARTITION_ROWS` rows together."""
    sizes = row_group_sizes(path, limits)
    count = min(-(-sum(sizes) // PARTITION_ROWS), len(sizes))
    for groups in np.array_split(np.arange(len(sizes)), max(count, 1)):
        yield Partition.of_row_groups(path, groups.tolist())
