"""Spark data frames as sources: as they are, or packed into blocks that every pass after the first reads fast.

Spark hands its rows to Python as Arrow batches. Converting them takes longer than what a pass does with them, above
all for vectors of Spark ML; estimators that pass over a data frame several times have Spark keep the batches.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aucmax.scale.partitions import Partition, as_chunk
from aucmax.scale.row_reader import located
from aucmax.scale.source import Source
from aucmax.scale.vectors import VectorColumn
from aucmax.tables.pyarrow_import import ipc, pa
from aucmax.tables.table import Table

ChunkTask = Callable[[int, Partition], bytes]  # the pickled result of a partition, given its number

_DENSE = 256  # numbers up to which vectors are rows of an array, even if they are sparse
_BLOCK_BYTES = 2**22  # of a packed block, about


class _SparkNamed:
    """A partition that is called by its number in messages."""

    number: int

    @property
    def name(self) -> str:
        """Its number."""
        return f"Spark partition {self.number}"


@dataclass(frozen=True, eq=False)
class BatchPartition(_SparkNamed):
    """Record batches that come one by one and are read once."""

    batches: Iterable[Any]
    number: int
    vectors: VectorColumn | None = None

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows, in chunks of equal size whatever the batches: the sums do not depend on Spark's settings."""
        start = 0
        for block in _of_size(self.batches, rows):
            if self.vectors is None:
                names = [name for name in block.column_names if columns is None or name in columns]
                chunk = as_chunk(block.select(names))
            else:
                with located(self, start, len(block)):
                    chunk = self.vectors.table(block)
            yield chunk
            start += len(block)


def _of_size(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """The rows of the batches as tables of `rows` rows; the last may be shorter."""
    waiting: list[Any] = []
    n = 0
    for batch in batches:
        while n + len(batch) >= rows:
            waiting.append(batch.slice(0, rows - n))
            yield pa.Table.from_batches(waiting)
            batch = batch.slice(rows - n)
            waiting = []
            n = 0
        if len(batch):
            waiting.append(batch)
            n += len(batch)
    if n:
        yield pa.Table.from_batches(waiting)


@dataclass(frozen=True, eq=False)
class FramePartition(_SparkNamed):
    """A partition of a Spark data frame."""

    frame: Any
    number: int
    vectors: VectorColumn | None = None

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows, brought here."""
        from pyspark.sql.functions import spark_partition_id

        table = self.frame.where(spark_partition_id() == self.number).toArrow()
        return BatchPartition(table.to_batches(), self.number, self.vectors).chunks(rows, columns)

    def results(self, task: ChunkTask) -> Any:
        """An RDD with the result of every partition of the data frame."""
        return self.frame.mapInArrow(_ArrowTask(task, self.vectors), "result binary").rdd


@dataclass(frozen=True, eq=False)
class PackedPartition(_SparkNamed):
    """A partition of a data frame that Spark keeps in packed blocks."""

    blocks: Any  # an RDD of bytes
    number: int
    vectors: VectorColumn | None = None

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows, brought here."""
        packed = self.blocks.context.runJob(self.blocks, list, [self.number])
        return BatchPartition(_unpacked(packed), self.number, self.vectors).chunks(rows, columns)

    def results(self, task: ChunkTask) -> Any:
        """An RDD with the result of every partition of the data frame."""
        vectors = self.vectors

        def run(number: int, packed: Iterable[bytes]) -> Iterator[tuple[bytes]]:
            yield (task(number, BatchPartition(_unpacked(packed), number, vectors)),)

        return self.blocks.mapPartitionsWithIndex(run)


@dataclass(frozen=True, eq=False)
class _ArrowTask:
    """The function that `mapInArrow` calls with the record batches of a partition."""

    task: ChunkTask
    vectors: VectorColumn | None

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        number = context.partitionId()
        result = self.task(number, BatchPartition(batches, number, self.vectors))
        yield pa.record_batch({"result": pa.array([result], pa.binary())})


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
    vectors = None
    if features is not None:
        vectors = vector_column(frame, features)
        frame = _as_arrays(frame, vectors)
    parts = [FramePartition(frame, k, vectors) for k in range(frame.rdd.getNumPartitions())]
    return Source(tuple(parts), "Spark data frame")


@contextmanager
def packed_source(frame: Any, features: str) -> Iterator[Source]:
    """A data frame with a column of vectors as a source, which Spark keeps packed until the context ends."""
    from pyspark import StorageLevel

    vectors = vector_column(frame, features)
    blocks = _as_arrays(frame, vectors).mapInArrow(_packed, "block binary").rdd.map(lambda row: bytes(row[0]))
    blocks.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        parts = [PackedPartition(blocks, k, vectors) for k in range(blocks.getNumPartitions())]
        yield Source(tuple(parts), "Spark data frame")
    finally:
        blocks.unpersist()


def _packed(batches: Iterable[Any]) -> Iterator[Any]:
    """Each batch as bytes, in blocks of moderate size; on a worker."""
    for batch in batches:
        rows = max(1, _BLOCK_BYTES * len(batch) // max(1, batch.nbytes))
        for start in range(0, len(batch), rows):
            part = batch.slice(start, rows)
            sink = pa.BufferOutputStream()
            with ipc.new_stream(sink, part.schema) as stream:
                stream.write_batch(part)
            yield pa.record_batch({"block": pa.array([sink.getvalue().to_pybytes()], pa.binary())})


def _unpacked(blocks: Iterable[bytes]) -> Iterator[Any]:
    """The batches of packed blocks."""
    for block in blocks:
        yield from ipc.open_stream(block)


def _as_arrays(frame: Any, vectors: VectorColumn) -> Any:
    """The data frame, with dense vectors of Spark ML as arrays, which it hands over several times as fast."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.ml.linalg import VectorUDT

    if not (vectors.dense and isinstance(frame.schema[vectors.name].dataType, VectorUDT)):
        return frame
    return frame.withColumn(vectors.name, vector_to_array(vectors.name))


def vector_column(frame: Any, name: str) -> VectorColumn:
    """What the first vector says of a column: its size, and whether the rows are an array or CSR."""
    first = frame.select(name).where(f"`{name}` is not null").first()
    if first is None:
        raise ValueError(f"column {name!r} has no vectors; give a data frame with rows")
    vector = first[0]
    if not hasattr(vector, "__len__") or isinstance(vector, str):
        raise TypeError(f"column {name!r} holds {vector!r}; give a column of vectors or of arrays of numbers")
    return VectorColumn(name, len(vector), len(vector) <= _DENSE or not hasattr(vector, "indices"))
