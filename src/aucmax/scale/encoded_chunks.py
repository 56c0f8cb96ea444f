"""Encoded rows of a partition: read and encoded as often as asked, or kept in a temporary folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from scipy import sparse

from aucmax.numerics.chunked_matrix import Pick
from aucmax.numerics.matrix import is_sparse
from aucmax.scale.first_pass import located_chunks
from aucmax.scale.partitions import Partition
from aucmax.scale.source import TemporaryFolder
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table

_FIRST_ROWS = 256  # of a chunk, which show that most columns are no small integers
_LARGEST = 1e150  # number whose square, and the sum of many such squares, is finite
_FEW = 8  # rows are picked from a file without reading it as a whole if they are fewer than a share of 1 / _FEW


@dataclass(frozen=True, eq=False)
class RowEncoder:
    """How a chunk of a source becomes a matrix.

    Parameters
    ----------
    encoder : TableEncoder, NumericColumns or None
        From columns to features; None for a matrix.
    n_features : int
    """

    encoder: Any
    n_features: int

    @property
    def row_bytes(self) -> int:
        """About what a row takes where it is kept: a byte for each category, eight for other features."""
        columns = () if self.encoder is None else self.encoder.columns_
        return 8 * self.n_features - 7 * sum(len(getattr(column, "categories", ())) for column in columns)

    @property
    def columns(self) -> set[str] | None:
        """The columns that are needed; None for all."""
        return None if self.encoder is None else {column.name for column in self.encoder.columns_}

    def __call__(self, chunk: Table) -> Any:
        """The features of the rows."""
        X = chunk.matrix(self.n_features) if self.encoder is None else self.encoder.transform(chunk)
        self._check_numbers(X)
        return X

    def _check_numbers(self, X: Any) -> None:
        """Refuse numbers whose squares are not finite, and say where they are."""
        stored = X.data if is_sparse(X) else X
        if not stored.size or (stored.min() >= -_LARGEST and stored.max() <= _LARGEST):  # false if one is NaN
            return
        place = np.argwhere(~(np.abs(stored) <= _LARGEST))[0]
        row = int(np.searchsorted(X.indptr, place[0], "right")) - 1 if is_sparse(X) else int(place[0])
        column = int(X.indices[place[0]] if is_sparse(X) else place[1])
        name = f"column {column + 1}" if self.encoder is None else f"{self.encoder.get_feature_names_out()[column]!r}"
        after = f"; give finite numbers of at most {_LARGEST:g}"
        raise RowError(f"{name} is {stored[tuple(place)]:g} in", row + 1, after)


@dataclass(frozen=True, eq=False)
class EncodedPartition:
    """The encoded rows of a partition, which is read again for every pass.

    Parameters
    ----------
    partition : Partition
    encode : RowEncoder
    rows : int
        Most rows in a chunk that is read.
    read_sizes : sequence of int
        Number of rows of each chunk that the first pass read.
    most : int
        Most rows in an encoded chunk: longer ones are cut.
    """

    partition: Partition
    encode: RowEncoder
    rows: int
    read_sizes: Sequence[int]
    most: int

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each encoded chunk."""
        sizes = [min(self.most, size - start) for size in self.read_sizes for start in range(0, size, self.most)]
        return np.array(sizes, dtype=np.int64)

    def __iter__(self) -> Iterator[Any]:
        """All chunks."""
        chunks = located_chunks(self.partition, self.rows, self.encode, self.encode.columns)
        for X, size in zip_longest(chunks, self.read_sizes):
            if X is None or X.shape[0] != size:
                raise ValueError(
                    f"{self.partition.name} has other rows than in the first pass; they must stay the same during a "
                    "fit: do not write to files, and persist data frames"
                )
            yield from (X[start : start + self.most] for start in range(0, size, self.most))

    def __call__(self, picks: Sequence[Pick]) -> Iterator[Any]:
        """The picked rows."""
        return picked_rows(self, picks)


def picked_rows(chunks: Any, picks: Sequence[Pick]) -> Iterator[Any]:
    """The picked rows of chunks, all of which are iterated over."""
    wanted = {pick.chunk: pick.rows for pick in picks}
    for number, X in enumerate(chunks):
        if number in wanted:
            yield X if wanted[number] is None else X[wanted[number]]


@dataclass(frozen=True, eq=False)
class StoredChunk:
    """A chunk in files of a temporary folder: blocks of columns, or the three arrays of a CSR matrix.

    Columns of small integers, such as those of categories, are stored as bytes.

    Parameters
    ----------
    folder : TemporaryFolder
    name : str
        Of the files, without their number and extension.
    shape : (int, int)
    starts : tuple of int
        The first column of each block; empty for a CSR matrix.
    """

    folder: TemporaryFolder
    name: str
    shape: tuple[int, int]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, X: Any, folder: TemporaryFolder, name: str) -> StoredChunk:
        """The chunk, written to the folder."""
        blocks = {} if is_sparse(X) else dict(_column_blocks(X))
        chunk = cls(folder, name, X.shape, tuple(blocks))
        for k, array in enumerate(blocks.values() if blocks else (X.data, X.indices, X.indptr)):
            np.save(chunk._path(k), array, allow_pickle=False)
        return chunk

    def rows(self, picked: np.ndarray | None) -> Any:
        """The picked rows, or all."""
        few = picked is not None and _FEW * picked.size < self.shape[0]
        arrays = [np.load(self._path(k), mmap_mode="r" if few else None) for k in range(len(self.starts) or 3)]
        rows: Any = slice(None) if picked is None else picked
        if not self.starts:
            return sparse.csr_array(tuple(arrays), shape=self.shape)[rows]
        blocks = [array[rows] for array in arrays]
        if len(blocks) == 1 and blocks[0].dtype == float:
            return np.asarray(blocks[0])
        X = np.empty((len(blocks[0]), self.shape[1]))
        for start, block in zip(self.starts, blocks, strict=True):
            X[:, start : start + block.shape[1]] = block
        return X

    def _path(self, k: int) -> str:
        return os.path.join(self.folder.path, f"{self.name}-{k}.npy")


@dataclass(frozen=True, eq=False)
class StoredChunks:
    """Consecutive chunks in files."""

    chunks: Sequence[StoredChunk]

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each chunk."""
        return np.array([chunk.shape[0] for chunk in self.chunks])

    def __call__(self, picks: Sequence[Pick]) -> Iterator[Any]:
        """The picked rows."""
        return (self.chunks[pick.chunk].rows(pick.rows) for pick in picks)


def _column_blocks(X: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Consecutive columns, as bytes where they are small integers, each with the number of its first column."""
    is_small = _are_small(X[:_FIRST_ROWS])
    if is_small.any():
        is_small[is_small] = _are_small(X[:, is_small])
    for start in np.flatnonzero(np.append(True, is_small[1:] != is_small[:-1])):
        end = start + int(np.argmax(np.append(is_small[start:] != is_small[start], True)))
        yield (
            int(start),
            X[:, start:end].astype(np.uint8) if is_small[start] else np.ascontiguousarray(X[:, start:end]),
        )


@np.errstate(invalid="ignore")  # other numbers are not equal to what the cast makes of them
def _are_small(X: np.ndarray) -> np.ndarray:
    """Which columns hold integers from 0 to 255."""
    return (X.astype(np.uint8) == X).all(axis=0)


def fits_on_disk(n_bytes: int, folder: TemporaryFolder) -> bool:
    """Whether as many bytes can be written to the folder and leave some room."""
    return 1.1 * n_bytes < shutil.disk_usage(folder.path).free
