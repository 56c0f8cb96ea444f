"""ChunkedMatrix: a table that need not fit in memory, whose rows are read or computed in chunks, as often as asked.

What a fit needs of its rows are products with vectors, moments and sampled rows: functions of the rows of each chunk,
whose results are added up or put in their places. Vectors with one entry a row (labels, weights, scores) are in
memory.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import scipy

from aucmax.numerics.threads import run_in_order

CHUNK = 2**20  # numbers in a chunk of computed rows
MOST_ROWS = 2048  # in such a chunk
FEWEST_ROWS = 256  # in such a chunk
BLOCK = 8  # chunks whose results are added where they are computed


class Pick(NamedTuple):
    """What a chunk contributes to a matrix."""

    part: int  # the number of the part that holds the chunk
    chunk: int  # the number of the chunk in its part
    rows: np.ndarray | None  # positions in the chunk; None for all rows
    place: Any  # places in the matrix, a slice or an array

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.place.stop - self.place.start if isinstance(self.place, slice) else self.place.size


# the rows of some chunks of a part, given their picks in ascending order: arrays or CSR
Part = Callable[[Sequence[Pick]], Iterator[Any]]


@dataclass(frozen=True, eq=False)
class ChunkTask:
    """A function of the rows of each of some chunks of a part, and of their entries of some vectors."""

    part: Part
    picks: list[Pick]
    transform: Callable[[Any], Any] | None  # what is computed of the rows first
    dim: int  # number of columns of the result
    function: Callable[..., Any]
    vectors: list[list[np.ndarray]]  # for each pick
    add: Callable[[Any, Any], Any] | None  # adds two results; None if they are not added

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(pick.n_rows for pick in self.picks)

    def __call__(self) -> list[Any]:
        """The results, one for each chunk, or one for each `BLOCK` of chunks if they are added."""
        results = map(self._apply, self.part(self.picks), self.vectors)
        if self.add is None:
            return list(results)
        blocks = groupby(zip(self.picks, results, strict=True), lambda pair: pair[0].chunk // BLOCK)
        return [reduce(self.add, (result for _, result in block)) for _, block in blocks]

    def _apply(self, chunk: Any, entries: list[np.ndarray]) -> Any:
        """The function of a chunk; what is computed of a long chunk is computed in shorter ones."""
        if self.transform is not None and chunk.shape[0] <= _rows_at_a_time(self.dim):
            chunk = self.transform(chunk)
        elif self.transform is not None:
            chunk = replace(computed_rows(chunk, self.transform, self.dim), run=_run_serially)
        return self.function(chunk, *entries)


# runs the tasks of a pass, which is described in words, and yields their results in the order of the tasks
Runner = Callable[[Sequence[ChunkTask], str], Iterator[list[Any]]]


def run_here(tasks: Sequence[ChunkTask], description: str) -> Iterator[list[Any]]:
    """Run the tasks on threads of this process."""
    return run_in_order(tasks)


def _run_serially(tasks: Sequence[ChunkTask], description: str) -> Iterator[list[Any]]:
    return (task() for task in tasks)


@dataclass(frozen=True, eq=False)
class ChunkedMatrix:
    """Rows in chunks, or some of these rows.

    Parameters
    ----------
    parts : sequence of callables
        Each gives the rows of some of its chunks, which are consecutive.
    sizes : sequence of array of int
        Number of rows of each chunk of each part.
    dim : int
        Number of columns.
    run : callable
        Runs tasks, on threads or on other machines, and yields their results in the order of the tasks.
    transform : callable, optional
        Computes the rows of this matrix from those of a chunk.
    index : array of int, optional
        The numbers of the rows that make up this matrix, in their order; all rows if not given.
    stored : int, optional
        Number of stored entries; all of them if not given.

    Examples
    --------
    >>> squares = computed_rows(np.array([[1.0], [2.0], [3.0]]), np.square, 1)
    >>> squares.shape, squares[np.array([2, 0])].in_memory().tolist()
    ((3, 1), [[9.0], [1.0]])
    """

    parts: Sequence[Part]
    sizes: Sequence[np.ndarray]
    dim: int
    run: Runner = run_here
    transform: Callable[[Any], Any] | None = None
    index: np.ndarray | None = None
    stored: int | None = None

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return (int(sum(map(np.sum, self.sizes))) if self.index is None else self.index.size, self.dim)

    @property
    def size(self) -> int:
        """Number of stored entries."""
        return self.shape[0] * self.shape[1] if self.stored is None else self.stored

    @cached_property
    def is_ordered(self) -> bool:
        """Whether the rows are in the order in which they are stored."""
        return self.index is None or bool((self.index[1:] >= self.index[:-1]).all())

    def __getitem__(self, index: np.ndarray) -> ChunkedMatrix:
        stored = None if self.stored is None else self.stored * index.size // max(self.shape[0], 1)
        return replace(self, index=index if self.index is None else self.index[index], stored=stored)

    def transformed(self, function: Callable[[Any], Any], dim: int) -> ChunkedMatrix:
        """The matrix of the rows that a function makes of the rows of each chunk."""
        transform = function if self.transform is None else _Composed(self.transform, function)
        return replace(self, transform=transform, dim=dim)

    def map(self, description: str, function: Callable[..., Any], *vectors: np.ndarray) -> Iterator[tuple[Any, Any]]:
        """Apply a function to the rows of each chunk and their entries of the vectors, in one pass over the rows.

        Yields the places of the rows in this matrix, as a slice or an array, and the result.
        """
        tasks = self._tasks(function, vectors, None)
        for task, results in zip(tasks, self.run(tasks, description), strict=True):
            for pick, result in zip(task.picks, results, strict=True):
                yield pick.place, result

    def sum(
        self,
        description: str,
        function: Callable[..., Any],
        *vectors: np.ndarray,
        start: Any,
        add: Callable[[Any, Any], Any] = operator.add,
    ) -> Any:
        """The sum, from `start` on, of a function of the rows of each chunk and their entries of the vectors.

        Results of up to `BLOCK` consecutive chunks of a part are added first, those of all blocks in their order.
        """
        by_part = self.run(self._tasks(function, vectors, add), description)
        return reduce(add, (result for results in by_part for result in results), start)

    def _tasks(self, function: Any, vectors: Sequence[np.ndarray], add: Any) -> list[ChunkTask]:
        tasks = []
        for part, group in groupby(self._picks(), attrgetter("part")):
            picks = list(group)
            entries = [[vector[pick.place] for vector in vectors] for pick in picks]
            tasks.append(ChunkTask(self.parts[part], picks, self.transform, self.dim, function, entries, add))
        return tasks

    def in_memory(self) -> Any:
        """All rows as an array, or as CSR if the chunks are."""
        places = []
        chunks = []
        out = None
        for place, rows in self.map("sampled rows", _in_memory):
            if isinstance(rows, np.ndarray):
                out = np.empty(self.shape) if out is None else out
                out[place] = rows
            else:
                places.append(np.arange(self.shape[0])[place])
                chunks.append(rows)
        if not chunks:
            return np.empty(self.shape) if out is None else out
        return scipy.sparse.vstack(chunks, format="csr")[np.argsort(np.concatenate(places))]

    def _picks(self) -> Iterator[Pick]:
        """The rows that each chunk contributes, and their places in this matrix."""
        parts = np.repeat(np.arange(len(self.sizes)), list(map(len, self.sizes)))
        numbers = np.concatenate([np.arange(len(sizes)) for sizes in self.sizes])
        ends = np.cumsum(np.concatenate(self.sizes))
        starts = np.append(0, ends[:-1])
        if self.index is None:
            for k in np.flatnonzero(starts < ends):
                yield Pick(int(parts[k]), int(numbers[k]), None, slice(starts[k], ends[k]))
            return
        order = None if self.is_ordered else np.argsort(self.index, kind="stable")
        ascending = self.index if order is None else self.index[order]
        firsts = np.searchsorted(ascending, starts)
        lasts = np.searchsorted(ascending, ends)
        for k in np.flatnonzero(firsts < lasts):
            place = slice(firsts[k], lasts[k])
            rows = ascending[place] - starts[k]
            yield Pick(int(parts[k]), int(numbers[k]), rows, place if order is None else order[place])


@dataclass(frozen=True)
class _Composed:
    """A function of what another one makes of the rows."""

    first: Callable[[Any], Any]
    second: Callable[[Any], Any]

    def __call__(self, rows: Any) -> Any:
        return self.second(self.first(rows))


@dataclass(frozen=True, eq=False)
class _Slice:
    """Consecutive rows of a table in memory, which are one chunk."""

    X: Any
    start: int
    end: int

    def __call__(self, picks: Sequence[Pick]) -> Iterator[Any]:
        for pick in picks:
            yield self.X[self.start : self.end] if pick.rows is None else self.X[self.start + pick.rows]


def computed_rows(X: Any, transform: Callable[[Any], np.ndarray], dim: int) -> ChunkedMatrix:
    """The rows that a function makes of those of a table, which may be a `ChunkedMatrix` itself."""
    if isinstance(X, ChunkedMatrix):
        return replace(X.transformed(transform, dim), stored=None)
    rows = _rows_at_a_time(dim)
    starts = np.arange(0, max(X.shape[0], 1), rows)
    ends = np.minimum(starts + rows, X.shape[0])
    slices = [_Slice(X, start, end) for start, end in zip(starts, ends)]
    return ChunkedMatrix(slices, [np.array([size]) for size in ends - starts], X.shape[1]).transformed(transform, dim)


def _rows_at_a_time(dim: int) -> int:
    """How many rows of so many columns are computed at a time."""
    return min(max(CHUNK // max(dim, 1), FEWEST_ROWS), MOST_ROWS)


def _in_memory(rows: Any) -> Any:
    return rows.in_memory() if isinstance(rows, ChunkedMatrix) else rows
