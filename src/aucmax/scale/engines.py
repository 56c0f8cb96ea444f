"""Engines: who reads the partitions of a source. One verb, `map_reduce`.

Results are added in the order of the partitions, whatever the order in which they arrive: the same partitions give
the same sums to the last bit with every engine, and with any number of threads or machines.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from aucmax.numerics.threads import one_blas_thread
from aucmax.scale.partitions import Partition
from aucmax.scale.source import Source
from aucmax.tables.table import Table

Map = Callable[[int, Partition], Any]  # of the number of a partition, and the partition
Report = Callable[[int], None]  # called with the number of rows that were read


class Engine(Protocol):
    """Whatever can apply a function to the partitions of a source."""

    shared_disk: bool  # whether a partition may return the name of a file that it wrote

    def map_reduce(self, source: Source, map: Map, report: Report | None = None) -> Any:
        """map(0, first partition) + map(1, second) + ..., added in this order.

        Parameters
        ----------
        source : Source
            The rows, in partitions.
        map : callable
            What is computed from the number and the rows of a partition; results can be added.
        report : callable, optional
            Called after each partition.
        """
        ...


@dataclass(frozen=True)
class LocalEngine:
    """Threads of this process; at most one partition more than there are threads is under way or waits to be added.

    Parameters
    ----------
    n_threads : int, optional
        Number of threads; as many as cores by default.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = Source.of(pa.table({"a": range(10)}))
    >>> LocalEngine().map_reduce(source, lambda number, partition: sum(map(len, partition.chunks(4))))
    10
    """

    n_threads: int | None = None

    shared_disk = True

    def map_reduce(self, source: Source, map: Map, report: Report | None = None) -> Any:
        """The sum over the partitions.

        The parameters are those of `Engine.map_reduce`.
        """
        n_threads = min(self.n_threads or os.cpu_count() or 1, len(source))
        watched = [part if report is None else WatchedPartition(part, report) for part in source.partitions]
        with one_blas_thread():
            if n_threads <= 1:
                return add_up(map(number, part) for number, part in enumerate(watched))
            with ThreadPoolExecutor(n_threads) as pool:
                return add_up(in_order(pool, map, watched, n_threads + 1))


def add_up(values: Iterator[Any]) -> Any:
    """The sum of values that can be added, in their order; None is what a partition without rows gives."""
    total = None
    for value in values:
        total = value if total is None else total if value is None else total + value
    if total is None:
        raise ValueError("the source has no rows")
    return total


def in_order(pool: ThreadPoolExecutor, map: Map, parts: list[Partition], pending: int) -> Iterator[Any]:
    """The results in the order of the partitions, with few of them waiting."""
    futures: list[Future] = []
    started = 0
    try:
        for done in range(len(parts)):
            while started < len(parts) and started < done + pending:
                futures.append(pool.submit(map, started, parts[started]))
                started += 1
            yield futures[done].result()
            futures[done] = Future()  # let go of the result
    finally:
        for future in futures:
            future.cancel()


@dataclass(frozen=True)
class WatchedPartition:
    """A partition that reports the rows that are read from it."""

    partition: Partition
    report: Report

    @property
    def name(self) -> str:
        """That of the partition."""
        return self.partition.name

    def chunks(self, rows: int, columns: Collection[str] | None = None) -> Iterator[Table]:
        """The rows, each chunk reported when it has been used."""
        for chunk in self.partition.chunks(rows, columns):
            yield chunk
            self.report(len(chunk))
