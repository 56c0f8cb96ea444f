"""ChunkedMatrix: a table that need not fit in memory, whose rows are read or computed in chunks, as often as asked.

What a fit needs of its rows are products with vectors, moments and sampled rows: functions of the rows of each chunk,
whose results are added up or put in their places. Vectors with one entry a row (labels, weights, scores) are in
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from aucmax.numerics.threads import run_in_order

CHUNK = 2**20  # numbers in a chunk of computed rows
MOST_ROWS = 2048  # in such a chunk
FEWEST_ROWS = 256  # in such a chunk

Reader = Callable[[np.ndarray | None], Any]  # the picked rows of a chunk, or all of them: an array or CSR
Runner = Callable[[Sequence[Callable[[], Any]]], Iterator[Any]]  # runs tasks and yields their results in order


@dataclass(frozen=True, eq=False)
class ChunkedMatrix:
    """Rows in chunks, or some of these rows.

    Parameters
    ----------
    readers : sequence of callables
        Each gives the rows of a chunk, or those at an array of positions in the chunk.
    sizes : array of int
        Number of rows of each chunk.
    dim : int
        Number of columns.
    run : callable
        Runs tasks, on threads or on other machines, and yields their results in the order of the tasks.
    index : array of int, optional
        The numbers of the rows that make up this matrix, in their order; all rows if not given.

    Examples
    --------
    >>> squares = computed_rows(np.array([[1.0], [2.0], [3.0]]), np.square, 1)
    >>> squares.shape, squares[np.array([2, 0])].in_memory().tolist()
    ((3, 1), [[9.0], [1.0]])
    """

    readers: Sequence[Reader]
    sizes: np.ndarray
    dim: int
    run: Runner = run_in_order
    index: np.ndarray | None = None

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return (int(np.sum(self.sizes)) if self.index is None else self.index.size, self.dim)

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.shape[0] * self.shape[1]

    def __getitem__(self, index: np.ndarray) -> ChunkedMatrix:
        return replace(self, index=index if self.index is None else self.index[index])

    def transformed(self, function: Callable[[Any], Any], dim: int) -> ChunkedMatrix:
        """The matrix of the rows that a function makes of the rows of each chunk."""
        return replace(self, readers=[_Transformed(reader, function) for reader in self.readers], dim=dim)

    def map(self, function: Callable[..., Any], *vectors: np.ndarray) -> Iterator[tuple[Any, Any]]:
        """Apply a function to the rows of each chunk and their parts of the vectors.

        Yields the places of the rows in this matrix, as a slice or an array, and the result.
        """
        picks = list(self._picks())
        tasks = [
            partial(_apply, self.readers[pick.chunk], pick.rows, function, [vector[pick.place] for vector in vectors])
            for pick in picks
        ]
        return zip((pick.place for pick in picks), self.run(tasks), strict=True)

    def in_memory(self) -> np.ndarray:
        """All rows as an array."""
        out = np.empty(self.shape)
        for place, rows in self.map(_dense):
            out[place] = rows
        return out

    def _picks(self) -> Iterator[Pick]:
        """The rows that each chunk contributes, and their places in this matrix."""
        ends = np.cumsum(self.sizes)
        starts = ends - self.sizes
        if self.index is None:
            yield from (Pick(k, None, slice(start, end)) for k, (start, end) in enumerate(zip(starts, ends)))
            return
        is_sorted = bool((np.diff(self.index) >= 0).all())
        order = None if is_sorted else np.argsort(self.index, kind="stable")
        ascending = self.index if order is None else self.index[order]
        firsts = np.searchsorted(ascending, starts)
        lasts = np.searchsorted(ascending, ends)
        for k in np.flatnonzero(firsts < lasts):
            place = slice(firsts[k], lasts[k])
            yield Pick(int(k), ascending[place] - starts[k], place if order is None else order[place])


class Pick(NamedTuple):
    """What a chunk contributes to a matrix."""

    chunk: int  # its number
    rows: np.ndarray | None  # positions in the chunk; None for all rows
    place: Any  # places in the matrix, a slice or an array


@dataclass(frozen=True)
class _Transformed:
    """A reader of transformed rows."""

    reader: Reader
    function: Callable[[Any], Any]

    def __call__(self, picked: np.ndarray | None) -> Any:
        return self.function(self.reader(picked))


@dataclass(frozen=True, eq=False)
class _Slice:
    """A reader of consecutive rows of a table in memory."""

    X: Any
    start: int
    end: int

    def __call__(self, picked: np.ndarray | None) -> Any:
        return self.X[self.start : self.end] if picked is None else self.X[self.start + picked]


def computed_rows(X: Any, transform: Callable[[Any], np.ndarray], dim: int) -> ChunkedMatrix:
    """The rows that a function makes of those of a table, which may be a `ChunkedMatrix` itself."""
    if isinstance(X, ChunkedMatrix):
        return X.transformed(transform, dim)
    rows = min(max(CHUNK // max(dim, 1), FEWEST_ROWS), MOST_ROWS)
    starts = np.arange(0, X.shape[0], rows)
    ends = np.minimum(starts + rows, X.shape[0])
    slices = [_Slice(X, start, end) for start, end in zip(starts, ends)]
    return ChunkedMatrix(slices, ends - starts, X.shape[1]).transformed(transform, dim)


def _apply(reader: Reader, picked: np.ndarray | None, function: Callable[..., Any], vectors: list[np.ndarray]) -> Any:
    return function(reader(picked), *vectors)


def _dense(rows: Any) -> np.ndarray:
    return rows if isinstance(rows, np.ndarray) else rows.toarray()
