"""Spark data frames as sources: Spark hands the rows of a partition to Python as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from aucmax.scale.first_pass import located
from aucmax.scale.partitions import Partition, as_chunk
from aucmax.scale.source import Source
from aucmax.scale.vectors import VectorColumn
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.table import Table

_DENSE = 256  # numbers up to which vectors are rows of an array, even if they are sparse


def batch_partition(batches: Iterable[Any], number: int, vectors: VectorColumn | None = None) -> Partition:
    """Record batches that come one by one and are read once."""
    name = f"Spark partition {number}"
    return Partition(name, partial(_of_batches, name, batches, vectors))


def _of_batches(
    name: str, batches: Iterable[Any], vectors: VectorColumn | None, rows: int, columns: Any
) -> Iterator[Table]:
    """The rows, in chunks of equal size whatever the batches: the sums do not depend on Spark's settings."""
    start = 0
    for block in _of_size(batches, rows):
        if vectors is None:
            names = [name for name in block.column_names if columns is None or name in columns]
            yield as_chunk(block.select(names))
        else:
            with located(name, start, len(block)):
                chunk = vectors.table(block)
            yield chunk
        start += len(block)


def _of_size(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """The rows of the batches as tables of `rows` rows; the last may be shorter."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= rows:
            table = pa.Table.from_batches(waiting)
            end = len(table) - len(table) % rows
            yield from (table.slice(start, rows) for start in range(0, end, rows))
            waiting = table.slice(end).to_batches()
    if any(map(len, waiting)):
        yield pa.Table.from_batches(waiting)


@dataclass(frozen=True, eq=False, kw_only=True)
class FramePartition(Partition):
    """A partition of a Spark data frame, which `read` brings here."""

    frame: Any
    vectors: VectorColumn | None

    @classmethod
    def of(cls, frame: Any, number: int, width: int, vectors: VectorColumn | None) -> FramePartition:
        """The partition of this number, with about `width` numbers in a row."""
        read = partial(_brought, frame, number, vectors)
        return cls(name=f"Spark partition {number}", read=read, width=width, frame=frame, vectors=vectors)


def _brought(frame: Any, number: int, vectors: VectorColumn | None, rows: int, columns: Any) -> Iterator[Table]:
    from pyspark.sql.functions import spark_partition_id

    table = frame.where(spark_partition_id() == number).toArrow()
    return batch_partition(table.to_batches(), number, vectors).chunks(rows, columns)


def spark_source(frame: Any, features: str | None = None) -> Source:
    """A Spark data frame as a source, with its own partitions.

    The rows are numbered as they come, and their numbers decide their folds. If the same query may give them in
    another order, as after a shuffle, persist the data frame first.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    features : str, optional
        A column of vectors or of arrays of numbers, which are the features. By default all columns are.
    """
    width = len(frame.columns)
    vectors = None
    if features is not None:
        vector = _first_vector(frame, features)
        is_dense = len(vector) <= _DENSE or not hasattr(vector, "indices")
        width = len(vector if is_dense else vector.indices)
        vectors = VectorColumn(features, len(vector), is_dense)
        frame = _as_arrays(frame, vectors)
    parts = [FramePartition.of(frame, number, width, vectors) for number in range(frame.rdd.getNumPartitions())]
    return Source(tuple(parts), "Spark data frame")


def _first_vector(frame: Any, name: str) -> Any:
    """The first vector of a column, which decides how long the others are and whether they are rows of CSR."""
    first = frame.select(name).where(f"`{name}` is not null").first()
    if first is None:
        raise ValueError(f"column {name!r} has no vectors; give a data frame with rows")
    if not hasattr(first[0], "__len__") or isinstance(first[0], str):
        raise TypeError(f"column {name!r} holds {first[0]!r}; give a column of vectors or of arrays of numbers")
    return first[0]


def _as_arrays(frame: Any, vectors: VectorColumn) -> Any:
    """The data frame, with dense vectors of Spark ML as arrays, which it hands over several times as fast."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.ml.linalg import VectorUDT

    if not (vectors.dense and isinstance(frame.schema[vectors.name].dataType, VectorUDT)):
        return frame
    return frame.withColumn(vectors.name, vector_to_array(vectors.name))
