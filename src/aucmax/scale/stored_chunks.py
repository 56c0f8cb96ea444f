"""Encoded chunks that are kept in files of a temporary folder, which later passes read at the speed of memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from aucmax.numerics.chunked_matrix import Pick
from aucmax.numerics.matrix import is_sparse
from aucmax.scale.source import TemporaryFolder

_FIRST_ROWS = 256  # of a chunk, which show that most columns are no small integers
_FEW = 8  # rows are picked from a file without reading it as a whole if they are fewer than a share of 1 / _FEW


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
