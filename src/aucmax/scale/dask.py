"""The Dask engine: the workers of a client read the partitions, keep the encoded rows and run the tasks of a pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import dask
import distributed
import numpy as np

from aucmax.numerics.chunked_matrix import ChunkTask
from aucmax.numerics.threads import one_blas_thread
from aucmax.scale.encoded_partition import EncodedPartition, RowEncoder
from aucmax.scale.engines import Engine, Kept, LocalEngine, Map, counted, on_chunks
from aucmax.scale.partitions import Partition
from aucmax.scale.progress import Report
from aucmax.scale.source import Source
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.table import Table

_VECTOR_BYTES = "1 GiB"  # that a task may take along without a warning


@dataclass(frozen=True)
class DaskEngine:
    """Futures on the workers of a client.

    The encoded rows of a partition are the result of a future: Dask moves them to disk when memory is short, and if a
    worker is lost, another one computes them again. Partitions of Dask collections are computed on the workers.

    Parameters
    ----------
    client : distributed.Client, optional
        The current one if not given.
    in_flight : int
        Number of tasks per worker that are submitted and not yet added up.
    """

    client: Any = None
    in_flight: int = 4

    n_threads = 1  # of a worker, that read rows

    def map(self, source: Source, function: Map, report: Report) -> Iterator[Any]:
        """The results of a function for each partition."""
        client = self._client()
        calls = (partial(_submit, client, partial(counted, function), part) for part in source.partitions)
        for result, rows in self._in_order(client, calls):
            report(rows)
            yield result

    def keep(self, partitions: Sequence[EncodedPartition], n_bytes: int, report: Report) -> Kept:
        """Encode the rows of each partition on the worker that reads it, which keeps them."""
        client = self._client()
        futures = []
        for rows in partitions:
            futures.append(_submit(client, partial(_encoded, rows.encoder, rows.read_sizes), rows.partition))
        sizes = [rows.sizes for rows in partitions]
        for future, size in zip(futures, sizes, strict=True):
            error = future.exception()  # waits for the result, which stays on the worker
            if error is not None:
                raise error
            report(int(size.sum()))
        return futures, sizes

    def run(self, tasks: Sequence[ChunkTask], description: str) -> Iterator[list[Any]]:
        """The results of the tasks, each run by a worker that keeps the rows."""
        client = self._client()
        elsewhere: Any = None
        calls = (
            partial(client.submit, on_chunks, replace(task, part=elsewhere), task.part, pure=False) for task in tasks
        )
        return self._in_order(client, calls)

    def _in_order(self, client: Any, calls: Iterable[Callable[[], Any]]) -> Iterator[Any]:
        """The results of the futures that the calls submit; few of them wait at a time."""
        limit = self.in_flight * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        futures: deque[Any] = deque()
        for call in calls:
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": _VECTOR_BYTES}):
                futures.append(call())
            if len(futures) >= limit:
                yield futures.popleft().result()
        while futures:
            yield futures.popleft().result()

    def _client(self) -> Any:
        return self.client or distributed.default_client()


def current_engine() -> Engine:
    """The Dask engine, or threads of this process if there is no client."""
    try:
        return DaskEngine(distributed.default_client())
    except ValueError:
        return LocalEngine()


def _submit(client: Any, function: Callable[[Partition], Any], partition: Partition) -> Any:
    """The future of a function of a partition; those of Dask collections are computed by the workers."""
    rows = client.compute(partition.delayed) if isinstance(partition, LazyPartition) else partition
    return client.submit(function, rows, pure=False)


def _encoded(encoder: RowEncoder, read_sizes: Sequence[int], partition: Partition) -> list[Any]:
    with one_blas_thread():
        return list(encoder.chunks(partition, read_sizes))


@dataclass(frozen=True, eq=False, kw_only=True)
class LazyPartition(Partition):
    """A partition of Dask collections, which `read` computes here."""

    delayed: Any  # the Partition

    @classmethod
    def of(cls, delayed: Any, number: int, width: int) -> LazyPartition:
        """The partition of this number, with so many columns."""
        return cls(name=f"Dask partition {number}", read=partial(_computed, delayed), width=width, delayed=delayed)


def _computed(delayed: Any, rows: int, columns: Any) -> Iterator[Table]:
    return delayed.compute().chunks(rows, columns)


def lazy_source(X: Any, *others: tuple[str, Any]) -> Source:
    """Dask collections with the same partitions, side by side: X, and named vectors such as the labels."""
    vectors = {name: vector for name, vector in others if vector is not None}
    columns = map(str, X.columns) if hasattr(X, "columns") else (f"x{j}" for j in range(X.shape[1]))
    names = [*columns, *vectors]
    blocks = [_blocks(collection) for collection in (X, *vectors.values())]
    counts = sorted(set(map(len, blocks)))
    if len(counts) > 1:
        raise ValueError(f"X and y have different numbers of partitions: {counts}; rechunk or repartition one")
    rows = [dask.delayed(_side_by_side)(names, number, *pieces) for number, pieces in enumerate(zip(*blocks))]
    parts = [LazyPartition.of(delayed, number, len(names)) for number, delayed in enumerate(rows)]
    return Source(tuple(parts), "Dask collection")


def _blocks(collection: Any) -> list[Any]:
    """The partitions, each with all columns."""
    if hasattr(collection, "rechunk") and collection.ndim == 2:
        collection = collection.rechunk({1: -1})
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def _side_by_side(names: list[str], number: int, *blocks: Any) -> Partition:
    """Computed blocks with the same rows."""
    columns = [column for block in blocks for column in _columns(block)]
    return Partition.of_table(pa.table(columns, names), number, "Dask partition")


def _columns(block: Any) -> Iterator[Any]:
    """The columns of a data frame, a series or an array as Arrow arrays."""
    if hasattr(block, "iloc"):
        frame = block.to_frame() if block.ndim == 1 else block
        return (pa.array(frame.iloc[:, j], from_pandas=True) for j in range(frame.shape[1]))
    return (pa.array(np.ascontiguousarray(column)) for column in np.asarray(block).reshape(len(block), -1).T)
