"""Engines: who reads the partitions of a source and works on their chunks.

Results come in the order of the partitions and chunks, whatever the order in which they are ready: the same chunks
give the same sums to the last bit with every engine, and with any number of threads or machines.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from aucmax.numerics.chunked_matrix import BLOCK, ChunkTask, Part
from aucmax.numerics.threads import SHARE, one_blas_thread, run_in_order, workers_for
from aucmax.scale.encoded_partition import EncodedPartition, picked_rows
from aucmax.scale.partitions import Partition
from aucmax.scale.progress import Report
from aucmax.scale.source import Source
from aucmax.scale.stored_chunks import ArrayFile, StoredChunk, StoredChunks

Map = Callable[[Partition], Any]
Kept = tuple[Sequence[Part], Sequence[np.ndarray]]  # the parts of a `ChunkedMatrix`, and the sizes of their chunks


class Engine(Protocol):
    """Whatever can apply a function to the partitions of a source, and keep what it gives."""

    @property
    def n_threads(self) -> int:
        """How many threads of a process read rows."""
        ...

    def map(self, source: Source, function: Map, report: Report) -> Iterator[Any]:
        """What a function gives for each partition, in their order; rows are reported as they are read."""
        ...

    def keep(self, partitions: Sequence[EncodedPartition], n_bytes: int, report: Report) -> Kept:
        """Encode all rows, which take as many bytes, and keep them near those that will work on them."""
        ...

    def run(self, tasks: Sequence[ChunkTask], description: str) -> Iterator[list[Any]]:
        """The results of tasks on what `keep` gave, in their order."""
        ...


@dataclass(frozen=True)
class LocalEngine:
    """Threads of this process; encoded chunks are kept in a temporary file if the disk has room for them.

    Parameters
    ----------
    threads : int, optional
        Number of threads; as many as cores by default, if BLAS may use as many.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = Source.of(pa.table({"a": range(10)}))
    >>> list(LocalEngine().map(source, lambda partition: sum(map(len, partition.chunks(4))), print))
    4
    4
    2
    [10]
    """

    threads: int | None = None

    @property
    def n_threads(self) -> int:
        """The number of threads."""
        return self.threads or workers_for(SHARE * (os.cpu_count() or 1))

    def map(self, source: Source, function: Map, report: Report) -> Iterator[Any]:
        """What a function gives for each partition, in their order.

        Parameters
        ----------
        source : Source
        function : callable
            Called with each partition.
        report : callable
            Called with the number of rows of each chunk that has been read.
        """
        watched = [partial(function, part.watched(report)) for part in source.partitions]
        return run_in_order(watched, self.n_threads)

    def keep(self, partitions: Sequence[EncodedPartition], n_bytes: int, report: Report) -> Kept:
        """Write the encoded rows to a temporary file; if the disk is too small, read the source in every pass.

        Parameters
        ----------
        partitions : sequence of EncodedPartition
        n_bytes : int
            What the encoded rows take on disk, about.
        report : callable
            Called with the number of rows of each chunk that has been written.
        """
        file = ArrayFile()
        if not file.has_room(n_bytes):
            return partitions, [partition.sizes for partition in partitions]
        tasks = [partial(_store, partition, file, report) for partition in partitions]
        parts = [part for stored in run_in_order(tasks, self.n_threads) for part in stored]
        return parts, [part.sizes for part in parts]

    def run(self, tasks: Sequence[ChunkTask], description: str) -> Iterator[list[Any]]:
        """The results of tasks on the chunks that `keep` gave, in their order.

        Parameters
        ----------
        tasks : sequence of ChunkTask
        description : str
            What the pass is for.
        """
        return run_in_order(tasks, self.n_threads)


def _store(partition: EncodedPartition, file: ArrayFile, report: Report) -> list[StoredChunks]:
    chunks = []
    for X in partition:
        chunks.append(StoredChunk.of(X, file))
        report(X.shape[0])
    return [StoredChunks(chunks[start : start + BLOCK]) for start in range(0, len(chunks), BLOCK)]


def counted(function: Map, partition: Partition) -> tuple[Any, int]:
    """The result of a function for a partition, and how many rows it read; called on the workers of a cluster."""
    counts: list[int] = []
    with one_blas_thread():
        return function(partition.watched(counts.append)), sum(counts)


def on_chunks(task: ChunkTask, chunks: Iterable[Any]) -> list[Any]:
    """The results of a task, given the chunks of its part; called on the workers of a cluster."""
    with one_blas_thread():
        return replace(task, part=partial(picked_rows, chunks))()
