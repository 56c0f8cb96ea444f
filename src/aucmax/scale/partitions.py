"""Partitions: parts of a source that are read one chunk at a time, as often as asked, here or on another machine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from aucmax.tables.arrow_reader import describe_errors, read_row_groups
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.read_table import read_chunks
from aucmax.tables.table import Table


@dataclass(frozen=True, eq=False)
class Partition:
    """A part of a source.

    Parameters
    ----------
    name : str
        What it is called in messages.
    read : callable
        Gives the rows in order, in tables of at most `rows` rows, with `columns`, or all of them if it is None.
    layout : dict, optional
        Of a libsvm file: its number of columns, `n_features`, and whether indices start at 0, `zero_based`.
    width : int, optional
        About how many numbers a row has, if the rows would take long to read.
    """

    name: str
    read: Callable[..., Iterator[Table]]
    layout: dict[str, Any] | None = None
    width: int | None = None

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows in order, in tables of at most `rows` rows; `columns` names those that are needed."""
        return self.read(rows=rows, columns=columns, **(self.layout or {}))

    def watched(self, report: Callable[[int], Any]) -> Partition:
        """The same rows; each chunk is reported when it has been used."""
        return replace(self, read=partial(_watched, self.read, report))

    @classmethod
    def of_file(
        cls, path: str, format: str | None, encoding: str = "utf-8", limits: ReadLimits | None = None
    ) -> Partition:
        """A file of any format that `aucmax.tables.read_chunks` reads."""
        read = partial(read_chunks, path, format=format, encoding=encoding, limits=limits)
        return cls(path, read, {"n_features": None, "zero_based": "auto"} if format == "libsvm" else None)

    @classmethod
    def of_row_groups(cls, path: str, row_groups: list[int]) -> Partition:
        """Consecutive row groups of a Parquet file."""
        return cls(f"{path} (row group {row_groups[0]})", partial(_of_row_groups, path, row_groups))

    @classmethod
    def of_table(cls, table: Any, number: int = 0, kind: str = "partition") -> Partition:
        """A `pyarrow.Table`, which messages call by its number."""
        return cls(f"{kind} {number}", partial(_of_table, table))

    @classmethod
    def of_fragment(cls, fragment: Any, schema: Any) -> Partition:
        """A fragment of a `pyarrow.dataset`, such as a file with its partition columns."""
        name = str(getattr(fragment, "path", "fragment"))
        return cls(name, partial(_of_fragment, name, fragment, schema))


def _watched(read: Any, report: Callable[[int], Any], **options: Any) -> Iterator[Table]:
    for chunk in read(**options):
        yield chunk
        report(len(chunk))


def _of_row_groups(path: str, row_groups: list[int], rows: int, columns: Any) -> Iterator[Table]:
    return map(as_chunk, read_row_groups(path, row_groups, rows=rows, columns=columns))


def _of_table(table: Any, rows: int, columns: Any) -> Iterator[Table]:
    if columns is not None:
        table = table.select([name for name in table.column_names if name in columns])
    return (as_chunk(table.slice(start, rows)) for start in range(0, len(table), rows))


def _of_fragment(name: str, fragment: Any, schema: Any, rows: int, columns: Any) -> Iterator[Table]:
    names = None if columns is None else [name for name in schema.names if name in columns]
    with describe_errors(name, "Arrow"):
        for batch in fragment.to_batches(schema=schema, columns=names, batch_size=rows):
            if len(batch):
                yield as_chunk(pa.Table.from_batches([batch]))


def as_chunk(block: Any) -> Table:
    """A `pyarrow.Table` as a table."""
    return Table(dict(zip(block.column_names, block.columns)))
