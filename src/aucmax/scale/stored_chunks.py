"""Encoded chunks that are kept in a temporary file, which later passes read at the speed of memory."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from aucmax.numerics.chunked_matrix import Pick
from aucmax.numerics.matrix import is_sparse

_FIRST_ROWS = 256  # of a chunk, which show that most columns are no small integers


class StoredArray(NamedTuple):
    """Where an array is in a file."""

    offset: int
    dtype: np.dtype
    shape: tuple[int, ...]


class ArrayFile:
    """Arrays in a temporary file without a name: the system removes it with the process, however that ends.

    Examples
    --------
    >>> file = ArrayFile()
    >>> file.read(file.write(np.arange(3.0)))
    array([0., 1., 2.])
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="aucmax-")  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()
        self._end = 0

    def has_room(self, n_bytes: int) -> bool:
        """Whether as many bytes can be written and leave some room on the disk."""
        return 1.1 * n_bytes < shutil.disk_usage(tempfile.gettempdir()).free

    def write(self, array: np.ndarray) -> StoredArray:
        """Append an array; several threads may do so at a time."""
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        with self._lock:
            offset = self._end
            self._end += content.nbytes
        done = 0
        while done < content.nbytes:
            done += os.pwrite(self._file.fileno(), content[done:], offset + done)
        return StoredArray(offset, array.dtype, array.shape)

    def read(self, stored: StoredArray) -> np.ndarray:
        """An array that was written; several threads may read at a time."""
        array = np.empty(stored.shape, stored.dtype)
        content = array.reshape(-1).view(np.uint8).data
        done = 0
        while done < content.nbytes:
            n_read = os.preadv(self._file.fileno(), [content[done:]], stored.offset + done)
            if not n_read:
                raise OSError("the temporary file with the encoded rows has been cut short; fit again")
            done += n_read
        return array


@dataclass(frozen=True, eq=False)
class StoredChunk:
    """A chunk in a file: blocks of columns, or the three arrays of a CSR matrix.

    Columns of small integers, such as those of categories, are stored as bytes.

    Parameters
    ----------
    file : ArrayFile
    arrays : list of StoredArray
    shape : (int, int)
    starts : tuple of int
        The first column of each block; empty for a CSR matrix.
    """

    file: ArrayFile
    arrays: list[StoredArray]
    shape: tuple[int, int]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, X: Any, file: ArrayFile) -> StoredChunk:
        """The chunk, written to the file."""
        blocks = {} if is_sparse(X) else dict(_column_blocks(X))
        arrays = map(file.write, blocks.values() if blocks else (X.data, X.indices, X.indptr))
        return cls(file, list(arrays), X.shape, tuple(blocks))

    def rows(self, picked: np.ndarray | None) -> Any:
        """The picked rows, or all."""
        arrays = list(map(self.file.read, self.arrays))
        rows: Any = slice(None) if picked is None else picked
        if not self.starts:
            return sparse.csr_array(tuple(arrays), shape=self.shape)[rows]
        blocks = [array[rows] for array in arrays]
        if len(blocks) == 1 and blocks[0].dtype == float:
            return blocks[0]
        X = np.empty((len(blocks[0]), self.shape[1]))
        for start, block in zip(self.starts, blocks, strict=True):
            X[:, start : start + block.shape[1]] = block
        return X


@dataclass(frozen=True, eq=False)
class StoredChunks:
    """Consecutive chunks in a file."""

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
        block = X[:, start:end]
        yield int(start), block.astype(np.uint8) if is_small[start] else block


@np.errstate(invalid="ignore")  # other numbers are not equal to what the cast makes of them
def _are_small(X: np.ndarray) -> np.ndarray:
    """Which columns hold integers from 0 to 255."""
    return (X.astype(np.uint8) == X).all(axis=0)
