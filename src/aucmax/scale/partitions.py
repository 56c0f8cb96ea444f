"""Partitions: parts of a source that are read one chunk at a time, as often as asked, here or on another machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from aucmax.tables.arrow_reader import describe_errors, read_row_groups
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.read_table import read_chunks
from aucmax.tables.table import Table


class Partition(Protocol):
    """A part of a source."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        ...

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """Its rows in order, in tables of at most `rows` rows; `columns` names those that are needed."""
        ...


@dataclass(frozen=True)
class FilePartition:
    """A whole file of any format that `aucmax.tables.read_chunks` reads."""

    path: str
    format: str | None  # inferred from the file extension if it is None
    encoding: str = "utf-8"
    n_features: int | None = None  # of libsvm files, which are read once if it is known
    zero_based: bool | str = "auto"
    limits: ReadLimits | None = None

    @property
    def name(self) -> str:
        """The file."""
        return self.path

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows of the file."""
        options: dict[str, Any] = {"encoding": self.encoding, "limits": self.limits}
        if self.format == "libsvm":
            options |= {"n_features": self.n_features, "zero_based": self.zero_based}
        return read_chunks(self.path, rows=rows, format=self.format, columns=columns, **options)


@dataclass(frozen=True)
class ParquetPartition:
    """Some consecutive row groups of a Parquet file."""

    path: str
    row_groups: tuple[int, ...]
    limits: ReadLimits | None = None

    @property
    def name(self) -> str:
        """The file, and where in it."""
        return f"{self.path} (row group {self.row_groups[0]})"

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows of the row groups."""
        return map(as_chunk, read_row_groups(self.path, self.row_groups, rows=rows, columns=columns))


@dataclass(frozen=True, eq=False)
class ArrowPartition:
    """Some rows of a table in memory."""

    table: Any  # a pyarrow.Table
    number: int = 0
    kind: str = "partition"  # what it is called in messages, with its number

    @property
    def name(self) -> str:
        """Its number."""
        return f"{self.kind} {self.number}"

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """Slices of the table, which copy nothing."""
        wanted = (
            self.table if columns is None else self.table.select([n for n in self.table.column_names if n in columns])
        )
        return (as_chunk(wanted.slice(start, rows)) for start in range(0, len(wanted), rows))


@dataclass(frozen=True, eq=False)
class FragmentPartition:
    """A fragment of a `pyarrow.dataset`, such as a file with its partition columns."""

    fragment: Any
    schema: Any

    @property
    def name(self) -> str:
        """The file, if it is one."""
        return str(getattr(self.fragment, "path", "fragment"))

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows of the fragment."""
        names = None if columns is None else [name for name in self.schema.names if name in columns]
        with describe_errors(self.name, "Arrow"):
            for batch in self.fragment.to_batches(schema=self.schema, columns=names, batch_size=rows):
                if len(batch):
                    yield as_chunk(pa.Table.from_batches([batch]))


def as_chunk(block: Any) -> Table:
    """A `pyarrow.Table` as a table."""
    return Table(dict(zip(block.column_names, block.columns)))
