"""The Spark engine: Spark's Python workers read the partitions, and Spark keeps the encoded rows; a pass is one job.

The driver adds up the results in the order of the partitions: the same partitions give the same bits as in one
process. (`treeReduce` adds them in the order in which they arrive.)
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from pyspark import StorageLevel, TaskContext, cloudpickle
from pyspark.sql import SparkSession

from aucmax.numerics.chunked_matrix import ChunkTask
from aucmax.numerics.threads import one_blas_thread
from aucmax.scale.encoded_partition import EncodedPartition
from aucmax.scale.engines import Kept, Map, counted, on_chunks
from aucmax.scale.partitions import Partition
from aucmax.scale.progress import Report
from aucmax.scale.source import Source
from aucmax.scale.spark_frames import FramePartition, batch_partition
from aucmax.scale.vectors import VectorColumn
from aucmax.tables.pyarrow_import import pa

# pickled results for a partition, which has this number, one by one
_Function = Callable[[int, Partition], Iterable[Any]]


@dataclass(frozen=True)
class SparkEngine:
    """Jobs on the executors of a Spark session, which must not be one of Spark Connect.

    If a task is lost with its worker, Spark runs it again, up to `spark.task.maxFailures` times. The executors need
    aucmax.

    Parameters
    ----------
    session : pyspark.sql.SparkSession, optional
        The active one if not given.
    """

    session: Any = None

    n_threads = 1  # of a worker, that read rows

    def map(self, source: Source, function: Map, report: Report) -> Iterator[Any]:
        """The results of a function for each partition, from one job."""
        results = self._results(source.partitions, lambda number, partition: [counted(function, partition)])
        for result, rows in _unpickled(results.collect()):
            report(rows)
            yield result

    def keep(self, partitions: Sequence[EncodedPartition], n_bytes: int, report: Report) -> Kept:
        """Encode all rows in one job; Spark keeps them in memory, or on disk if memory is short."""
        encoders = [partial(rows.encoder.chunks, read_sizes=rows.read_sizes) for rows in partitions]
        originals = [rows.partition for rows in partitions]
        chunks = self._results(originals, lambda number, partition: encoders[number](partition))
        chunks.persist(StorageLevel.MEMORY_AND_DISK)
        weakref.finalize(chunks, _unpersist, chunks.context, chunks._jrdd).atexit = False
        errors = chunks.filter(lambda chunk: isinstance(chunk, str))
        list(_unpickled(errors.collect()))
        sizes = [rows.sizes for rows in partitions]
        report(sum(int(size.sum()) for size in sizes))
        parts: Any = [_KeptPart(chunks, number) for number in range(len(partitions))]
        return parts, sizes

    def run(self, tasks: Sequence[ChunkTask], description: str) -> Iterator[list[Any]]:
        """The results of the tasks, from one job on the partitions that they need."""
        if not tasks:
            return
        parts: Any = [task.part for task in tasks]
        chunks = parts[0].chunks
        numbers = [part.number for part in parts]
        elsewhere: Any = None
        pickled = [cloudpickle.dumps(replace(task, part=elsewhere)) for task in tasks]
        sent = chunks.context.broadcast(dict(zip(numbers, pickled, strict=True)))

        def results(number: int, kept: Iterable[bytes]) -> Iterator[bytes | str]:
            task = pickle.loads(sent.value[number])  # of `run`, as the chunks are of `keep`: never of a file
            return _pickled(lambda: [on_chunks(task, map(pickle.loads, kept))])

        try:
            yield from _unpickled(chunks.context.runJob(chunks.mapPartitionsWithIndex(results), list, numbers))
        finally:
            sent.destroy()

    def _results(self, partitions: Sequence[Partition], function: _Function) -> Any:
        """An RDD with the pickled results of a function for every partition, in as many partitions of its own."""
        first = partitions[0]
        if not isinstance(first, FramePartition):
            context = (self.session or SparkSession.active()).sparkContext
            numbered = list(enumerate(partitions))
            rdd = context.parallelize(numbered, len(numbered))
            return rdd.flatMap(lambda item: _pickled(lambda: function(*item)))
        on_batches = partial(_of_batches, function, first.vectors)
        results = first.frame.mapInArrow(on_batches, "result binary, error string").rdd
        n = results.getNumPartitions()
        if n != len(partitions):
            raise ValueError(
                f"the Spark data frame has {n} partitions, and had {len(partitions)} before; call persist() on it "
                "first, so that they stay the same"
            )
        return results.map(lambda row: bytes(row.result) if row.error is None else row.error)


class _KeptPart(NamedTuple):
    """The encoded rows of one partition."""

    chunks: Any  # an RDD of the pickled chunks of all partitions, which Spark keeps as long as this object exists
    number: int  # of the partition


def _unpersist(context: Any, chunks: Any) -> None:
    if context._jsc is not None:  # otherwise it was stopped
        chunks.unpersist(False)


def _pickled(function: Callable[[], Iterable[Any]]) -> Iterator[bytes | str]:
    """Pickled results, or the message of a ValueError, for which Spark need not run the task again; on a worker."""
    try:
        with one_blas_thread():
            for result in function():
                yield pickle.dumps(result, protocol=5)
    except ValueError as error:
        yield str(error)


def _unpickled(results: Iterable[bytes | str]) -> Iterator[Any]:
    """The results of our own tasks, or a ValueError."""
    for result in results:
        if isinstance(result, str):
            raise ValueError(result)
        yield pickle.loads(result)


def _of_batches(function: _Function, vectors: VectorColumn | None, batches: Iterable[Any]) -> Iterator[Any]:
    """The pickled results of a partition of a data frame, which `mapInArrow` takes; on a worker."""
    number = TaskContext.get().partitionId()
    for result in _pickled(lambda: function(number, batch_partition(batches, number, vectors))):
        value, error = (None, result) if isinstance(result, str) else (result, None)
        yield pa.record_batch({"result": pa.array([value], pa.binary()), "error": pa.array([error], pa.string())})
