"""`RowReader`: how a chunk of a partition becomes rows of numbers with labels and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.scale.folds import group_hashes, row_hashes
from aucmax.scale.numeric_columns import NumericColumns
from aucmax.scale.partitions import Partition
from aucmax.tables.cells import Scalar
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table
from aucmax.tables.table_encoder import TableEncoder
from aucmax.tables.target import encode_rows
from aucmax.tables.weights import read_weights
from aucmax.validation.inputs import LabeledData


class NumberedRows(NamedTuple):
    """Rows of positive weight, with their numbers and a hash of each."""

    data: LabeledData
    numbers: np.ndarray  # of the rows in the source, from 0
    hashes: np.ndarray  # of the row's number, the same whatever the partitions
    groups: np.ndarray  # of the row's group; that of its number if there are no groups

    def rows(self, index: np.ndarray) -> NumberedRows:
        """Some of the rows."""
        return NumberedRows(self.data.rows(index), self.numbers[index], self.hashes[index], self.groups[index])


@dataclass(frozen=True, eq=False)
class RowReader:
    """What the columns are used for.

    Parameters
    ----------
    target, weight, groups : str or None
        The columns of labels, weights and groups.
    classes : (negative, positive)
    rest : sequence
        Further labels of the negative class.
    encoder : TableEncoder, NumericColumns or None
        From columns to features; None for libsvm files.
    n_features : int
    seed : int
        Of the hashes.
    """

    target: str | None
    weight: str | None
    groups: str | None
    classes: tuple[Scalar, Scalar]
    rest: tuple[Scalar, ...]
    encoder: TableEncoder | NumericColumns | None
    n_features: int
    seed: int = 0

    @property
    def columns(self) -> set[str] | None:
        """The columns that are needed; None for a matrix."""
        if self.encoder is None:
            return None
        used = (self.target, self.weight, self.groups, *(column.name for column in self.encoder.columns_))
        return {name for name in used if name is not None}

    def rows(self, chunk: Table, start: int, by_columns: bool = False) -> NumberedRows:
        """The rows of a chunk whose first row has the number `start`; `by_columns` for contiguous columns."""
        if self.encoder is None:
            X = chunk.matrix(self.n_features)
        else:
            X = self.encoder.encode_columns(chunk) if by_columns else self.encoder.transform(chunk)
        y = np.where(encode_rows(chunk, self.target, self.classes, self.rest) == 1, 1.0, -1.0)
        weight = np.ones(y.size) if self.weight is None else read_weights(chunk, self.weight)
        numbers = np.arange(start, start + y.size)
        hashes = row_hashes(numbers, self.seed)
        groups = hashes if self.groups is None else group_hashes(chunk.column(self.groups), self.seed)
        data = LabeledData(X, y, weight)
        if weight.min(initial=1.0) > 0:
            return NumberedRows(data, numbers, hashes, groups)
        return NumberedRows(data, numbers, hashes, groups).rows(np.flatnonzero(weight > 0))

    def chunks(self, partition: Partition, first: int, size: int) -> Iterator[NumberedRows]:
        """The rows of a partition whose first row has the number `first`, at most `size` at a time."""
        start = first
        for chunk in partition.chunks(size, self.columns):
            with located(partition, start - first, len(chunk)):
                rows = self.rows(chunk, start)
            yield rows
            start += len(chunk)


@dataclass(frozen=True, eq=False)
class RowPass:
    """A pass over encoded rows: a function of the rows of a chunk, whose values add up.

    Parameters
    ----------
    reader : RowReader
    starts : array of int
        The number of the first row of every partition.
    chunk_rows : int
        Rows in a chunk.
    function : callable
        From `NumberedRows` to something that can be added. If it has a true attribute `by_columns`, the columns of
        the rows that it gets are contiguous in memory.
    """

    reader: RowReader
    starts: np.ndarray
    chunk_rows: int
    function: Callable[[NumberedRows], Any]

    def __call__(self, number: int, partition: Partition) -> Any:
        """The sum over the chunks of a partition."""
        total = None
        by_columns = getattr(self.function, "by_columns", False)
        start = int(self.starts[number])
        first = start
        for chunk in partition.chunks(self.chunk_rows, self.reader.columns):
            with located(partition, start - first, len(chunk)):
                value = self.function(self.reader.rows(chunk, start, by_columns))
            total = value if total is None else total + value
            start += len(chunk)
        return total


def read_ahead(chunks: Iterator[NumberedRows]) -> Iterator[NumberedRows]:
    """The same chunks, the next one read by a thread while one is used."""
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(next, chunks, None)
        while (chunk := pending.result()) is not None:
            pending = pool.submit(next, chunks, None)
            yield chunk


@contextmanager
def located(partition: Partition, start: int, rows: int) -> Iterator[None]:
    """Name the partition and its rows in an error about them; a row is counted from the first of the partition."""
    try:
        yield
    except ValueError as error:
        reason = error.moved(start) if isinstance(error, RowError) else error
        raise ValueError(f"{partition.name}, rows {start + 1} to {start + rows}: {reason}") from None
