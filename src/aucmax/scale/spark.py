"""The Spark engine: partitions are read by Spark's Python workers; what they give is added up here.

Each partition is a job of one task, and as many jobs run at a time as there are cores: the results are added in the
order of the partitions, so that the same partitions give the same bits, and few of them wait in the driver. (A
`treeReduce` adds them in the order in which they arrive.)
"""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from aucmax.numerics.threads import one_blas_thread
from aucmax.scale.engines import Map, Report, WatchedPartition, add_up, in_order
from aucmax.scale.partitions import Partition, as_chunk
from aucmax.scale.row_reader import located
from aucmax.scale.source import Source
from aucmax.scale.vectors import VectorColumn
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.table import Table

_DENSE = 256  # numbers up to which vectors are rows of an array, even if they are sparse


@dataclass(frozen=True)
class SparkEngine:
    """Jobs on the executors of a Spark session, which must not be one of Spark Connect.

    A task that is lost with its worker is run again by Spark, as often as `spark.task.maxFailures` permits. The
    executors need aucmax.

    Parameters
    ----------
    session : pyspark.sql.SparkSession, optional
        The active one if not given.
    """

    session: Any = None

    shared_disk = False

    def map_reduce(self, source: Source, map: Map, report: Report | None = None) -> Any:
        """The sum over the partitions, in their order."""
        from pyspark import inheritable_thread_target

        session = current_session() if self.session is None else self.session
        context = session.sparkContext
        results = _lazy_results(context, source, map)
        n_threads = max(1, min(context.defaultParallelism, len(source)))

        def run(number: int, partition: Partition) -> Any:
            return context.runJob(results, list, [number])

        with ThreadPoolExecutor(n_threads) as pool:
            jobs = in_order(pool, inheritable_thread_target(session)(run), list(source.partitions), 2 * n_threads)
            return add_up(_values(jobs, report))


class _Result(NamedTuple):
    """What a task gives back."""

    value: Any
    rows: int
    error: str | None = None  # about the data: running the task again would not help


def _values(jobs: Iterable[list[Any]], report: Report | None) -> Iterator[Any]:
    """The values of finished jobs, with their rows reported."""
    for found in jobs:
        for content in found:
            result = _Result(*pickle.loads(content[0]))  # of our own task
            if result.error is not None:
                raise ValueError(result.error)
            if report is not None:
                report(result.rows)
            yield result.value


def _lazy_results(context: Any, source: Source, map: Map) -> Any:
    """An RDD with the pickled result of every partition."""
    frames = [part.frame for part in source.partitions if isinstance(part, SparkPartition)]
    if not frames:
        numbered = list(enumerate(source.partitions))
        return context.parallelize(numbered, len(numbered)).map(lambda item: (_run(map, *item),))
    first = source.partitions[0]
    assert isinstance(first, SparkPartition)
    results = first.frame.mapInArrow(_ArrowTask(map, first.vectors), "result binary").rdd
    if results.getNumPartitions() != len(source):
        raise ValueError(
            f"the Spark data frame has {results.getNumPartitions()} partitions, and had {len(source)} before; call "
            "persist() on it first, so that they stay the same"
        )
    return results


def _run(map: Map, number: int, partition: Partition) -> bytes:
    """The pickled result of a partition; on a worker."""
    rows = 0

    def count(more: int) -> None:
        nonlocal rows
        rows += more

    try:
        with one_blas_thread():
            value = map(number, WatchedPartition(partition, count))
    except ValueError as error:
        return pickle.dumps(tuple(_Result(None, rows, str(error))))
    return pickle.dumps(tuple(_Result(value, rows)), protocol=5)


@dataclass(frozen=True, eq=False)
class _ArrowTask:
    """The function that `mapInArrow` calls with the record batches of a partition."""

    map: Map
    vectors: VectorColumn | None

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        number = task.partitionId()
        result = _run(self.map, number, BatchPartition(batches, number, self.vectors))
        yield pa.record_batch({"result": pa.array([result], pa.binary())})


@dataclass(frozen=True, eq=False)
class BatchPartition:
    """Record batches that come one by one and are read once."""

    batches: Iterable[Any]
    number: int
    vectors: VectorColumn | None = None

    @property
    def name(self) -> str:
        """Its number."""
        return f"Spark partition {self.number}"

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
            waiting, n = [], 0
        if len(batch):
            waiting.append(batch)
            n += len(batch)
    if n:
        yield pa.Table.from_batches(waiting)


@dataclass(frozen=True, eq=False)
class SparkPartition:
    """A partition of a Spark data frame."""

    frame: Any
    number: int
    vectors: VectorColumn | None = None

    @property
    def name(self) -> str:
        """Its number."""
        return f"Spark partition {self.number}"

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows, brought here."""
        from pyspark.sql.functions import spark_partition_id

        table = self.frame.where(spark_partition_id() == self.number).toArrow()
        return BatchPartition(table.to_batches(), self.number, self.vectors).chunks(rows, columns)


def current_session() -> Any:
    """The active Spark session."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise RuntimeError("there is no active Spark session; create one with SparkSession.builder.getOrCreate()")
    return session


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
    vectors = None if features is None else vector_column(frame, features)
    parts = [SparkPartition(frame, k, vectors) for k in range(frame.rdd.getNumPartitions())]
    return Source(tuple(parts), "Spark data frame")


def vector_column(frame: Any, name: str) -> VectorColumn:
    """What the first vector says of a column: its size, and whether the rows are an array or CSR."""
    first = frame.select(name).where(f"`{name}` is not null").first()
    if first is None:
        raise ValueError(f"column {name!r} has no vectors; give a data frame with rows")
    vector = first[0]
    if not hasattr(vector, "__len__") or isinstance(vector, str):
        raise TypeError(f"column {name!r} holds {vector!r}; give a column of vectors or of arrays of numbers")
    return VectorColumn(name, len(vector), len(vector) <= _DENSE or not hasattr(vector, "indices"))
