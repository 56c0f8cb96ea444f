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
from aucmax.tables.table import Table
from aucmax.validation.inputs import check_every_number

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
    def columns(self) -> set[str] | None:
        """The columns that are needed; None for all."""
        return None if self.encoder is None else {column.name for column in self.encoder.columns_}

    def __call__(self, chunk: Table) -> Any:
        """The features of the rows."""
        X = chunk.matrix(self.n_features) if self.encoder is None else self.encoder.transform(chunk)
        check_every_number(X)
        return X


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
    """A chunk in files of a temporary folder: an array, or the three arrays of a CSR matrix.

    Parameters
    ----------
    folder : TemporaryFolder
    name : str
        Of the files, without the number and the extension.
    shape : (int, int)
    stored : int
        Number of stored entries.
    """

    folder: TemporaryFolder
    name: str
    shape: tuple[int, int]
    stored: int

    @classmethod
    def of(cls, X: Any, folder: TemporaryFolder, name: str) -> StoredChunk:
        """The chunk, written to the folder."""
        arrays = (X.data, X.indices, X.indptr) if is_sparse(X) else (X,)
        for k, array in enumerate(arrays):
            np.save(os.path.join(folder.path, f"{name}-{k}.npy"), array, allow_pickle=False)
        return cls(folder, name, X.shape, arrays[0].size)

    def __call__(self, picks: Sequence[Pick]) -> Iterator[Any]:
        """The picked rows, or all."""
        for pick in picks:
            few = pick.rows is not None and _FEW * pick.rows.size < self.shape[0]
            X = self._load(None if not few else "r")
            yield X if pick.rows is None else X[pick.rows]

    def _load(self, mode: Any) -> Any:
        paths = (os.path.join(self.folder.path, f"{self.name}-{k}.npy") for k in range(3))
        arrays = [np.load(path, mmap_mode=mode) for path in paths if os.path.exists(path)]
        return arrays[0] if len(arrays) == 1 else sparse.csr_array(tuple(arrays), shape=self.shape)


def fits_on_disk(n_bytes: int, folder: TemporaryFolder) -> bool:
    """Whether as many bytes can be written to the folder and leave some room."""
    return 1.1 * n_bytes < shutil.disk_usage(folder.path).free
