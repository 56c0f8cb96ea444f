"""The Dask engine: partitions are read by the workers of the current client; what they give is added up here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.numerics.threads import one_blas_thread
from aucmax.scale.engines import Map, Report, WatchedPartition, add_up
from aucmax.scale.partitions import ArrowPartition, Partition
from aucmax.scale.source import Source
from aucmax.tables.pyarrow_import import pa


@dataclass(frozen=True)
class DaskEngine:
    """Futures on the workers of a client.

    A task that is lost with its worker is run again by Dask, on another one. Partitions that are delayed Dask objects
    are computed by the worker that reads them.

    Parameters
    ----------
    client : distributed.Client, optional
        The current one if not given; if there is none, workers in this process, for one pass.
    in_flight : int
        Partitions per worker that are under way or wait to be added.
    """

    client: Any = None
    in_flight: int = 4

    shared_disk = False

    def map_reduce(self, source: Source, map: Map, report: Report | None = None) -> Any:
        """The sum over the partitions, in their order."""
        with nullcontext(self.client) if self.client is not None else current_client() as client:
            return add_up(self._results(client, source, map, report))

    def _results(self, client: Any, source: Source, map: Map, report: Report | None) -> Iterator[Any]:
        """The results in the order of the partitions; few of them wait at a time."""
        shared = client.submit(_identity, map, pure=False)  # unlike scattered data, it can be computed again
        limit = self.in_flight * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        parts = source.partitions
        futures: dict[int, Any] = {}
        for number in range(len(parts)):
            for later in range(number + len(futures), min(number + limit, len(parts))):
                futures[later] = _submit(client, shared, later, parts[later])
            value, rows = futures.pop(number).result()
            if report is not None:
                report(rows)
            yield value


def _identity(map: Map) -> Map:
    return map


def _submit(client: Any, map: Any, number: int, partition: Partition) -> Any:
    if isinstance(partition, LazyPartition):
        return client.submit(_run_on_lazy, map, number, *partition.futures(client), partition.names, pure=False)
    return client.submit(_run, map, number, partition, pure=False)


def _run(map: Map, number: int, partition: Partition) -> tuple[Any, int]:
    """The result of a partition, and its number of rows; on a worker."""
    rows = 0

    def count(more: int) -> None:
        nonlocal rows
        rows += more

    with one_blas_thread():
        return map(number, WatchedPartition(partition, count)), rows


def _run_on_lazy(map: Map, number: int, *pieces_and_names: Any) -> tuple[Any, int]:
    """The same, of blocks that Dask has computed."""
    *pieces, names = pieces_and_names
    return _run(map, number, ArrowPartition(_joined(pieces, names), number, "Dask partition"))


@dataclass(frozen=True, eq=False)
class LazyPartition:
    """Blocks of Dask collections with the same rows, side by side: data frames, or arrays with the names of columns.

    Parameters
    ----------
    pieces : tuple of delayed
    names : tuple of tuple of str
        The names of the columns of each piece.
    number : int
    """

    pieces: tuple[Any, ...]
    names: tuple[tuple[str, ...], ...]
    number: int

    @property
    def name(self) -> str:
        """Its number."""
        return f"Dask partition {self.number}"

    def futures(self, client: Any) -> list[Any]:
        """The blocks, computed on the cluster."""
        return client.compute(list(self.pieces))

    def chunks(self, rows: int, columns: Any = None) -> Iterator[Any]:
        """The rows, computed here."""
        import dask

        blocks = dask.compute(*self.pieces)
        return ArrowPartition(_joined(list(blocks), self.names), self.number, "Dask partition").chunks(rows, columns)


def _joined(pieces: list[Any], names: tuple[tuple[str, ...], ...]) -> Any:
    """The blocks side by side as an Arrow table."""
    columns: dict[str, Any] = {}
    for piece, given in zip(pieces, names):
        if hasattr(piece, "iloc"):
            frame = piece.to_frame() if piece.ndim == 1 else piece
            for j, name in enumerate(given):
                columns[name] = pa.array(frame.iloc[:, j], from_pandas=True)
        else:
            matrix = np.asarray(piece).reshape(len(piece), -1)
            for j, name in enumerate(given):
                columns[name] = pa.array(np.ascontiguousarray(matrix[:, j]))
    return pa.table(columns)


@contextmanager
def current_client() -> Iterator[Any]:
    """The current client; if there is none, one with workers in this process, which is closed in the end."""
    import distributed

    try:
        client = distributed.default_client()
    except ValueError:
        with distributed.Client(processes=False, dashboard_address=None, set_as_default=False) as client:
            yield client
    else:
        yield client


def lazy_source(X: Any, *others: tuple[str, Any]) -> Source:
    """Dask collections with the same partitions, side by side: X, and named vectors such as the labels."""
    collections = [X, *(vector for _, vector in others if vector is not None)]
    names = [_column_names(X), *((name,) for name, vector in others if vector is not None)]
    blocks = [_blocks(collection) for collection in collections]
    counts = {len(some) for some in blocks}
    if len(counts) > 1:
        raise ValueError(
            f"X and y have different numbers of partitions: {sorted(counts)}; rechunk or repartition one"
        )
    parts = [LazyPartition(tuple(row), tuple(names), k) for k, row in enumerate(zip(*blocks))]
    return Source(tuple(parts), "Dask collection")


def _column_names(X: Any) -> tuple[str, ...]:
    """Names of the columns; x0, x1, ... of an array."""
    if hasattr(X, "columns"):
        return tuple(map(str, X.columns))
    return tuple(f"x{j}" for j in range(X.shape[1]))


def _blocks(collection: Any) -> list[Any]:
    """The partitions, each with all columns."""
    if hasattr(collection, "rechunk") and collection.ndim == 2 and len(collection.chunks[1]) > 1:
        collection = collection.rechunk({1: -1})
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))
