"""The Spark engine: partitions are read by Spark's Python workers; what they give is added up here.

Each partition is a job of one task, and as many jobs run at a time as there are cores: the results are added in the
order of the partitions, so that the same partitions give the same bits, and few of them wait in the driver. (A
`treeReduce` adds them in the order in which they arrive.)
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from aucmax.numerics.threads import one_blas_thread
from aucmax.scale.engines import Map, Report, WatchedPartition, add_up, in_order
from aucmax.scale.partitions import Partition
from aucmax.scale.source import Source
from aucmax.scale.spark_frames import FramePartition, PackedPartition


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
    first = source.partitions[0]
    if not isinstance(first, FramePartition | PackedPartition):
        numbered = list(enumerate(source.partitions))
        return context.parallelize(numbered, len(numbered)).map(lambda item: (_run(map, *item),))
    results = first.results(partial(_run, map))
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


def current_session() -> Any:
    """The active Spark session."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        raise RuntimeError("there is no active Spark session; create one with SparkSession.builder.getOrCreate()")
    return session
