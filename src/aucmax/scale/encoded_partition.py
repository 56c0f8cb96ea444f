"""Encoded rows of a partition, which is read and encoded again for every pass, unless an engine keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from aucmax.numerics.chunked_matrix import Pick
from aucmax.numerics.matrix import is_sparse
from aucmax.scale.first_pass import located_chunks
from aucmax.scale.partitions import Partition
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table

_LARGEST = 1e150  # number whose square, and the sum of many such squares, is finite


@dataclass(frozen=True, eq=False)
class RowEncoder:
    """How the chunks of a source become matrices.

    Parameters
    ----------
    encoder : TableEncoder, NumericColumns or None
        From columns to features; None for a matrix.
    n_features : int
    rows : int
        Most rows in a chunk that is read.
    most : int
        Most rows in an encoded chunk: longer ones are cut.
    """

    encoder: Any
    n_features: int
    rows: int
    most: int

    @property
    def row_bytes(self) -> int:
        """About what a row takes where it is kept: a byte for each category, eight for other features."""
        columns = () if self.encoder is None else self.encoder.columns_
        return 8 * self.n_features - 7 * sum(len(getattr(column, "categories", ())) for column in columns)

    def chunks(self, partition: Partition, read_sizes: Sequence[int]) -> Iterator[Any]:
        """The encoded chunks of a partition, of which the first pass read chunks of these sizes."""
        needed = None if self.encoder is None else {column.name for column in self.encoder.columns_}
        for X, size in zip_longest(located_chunks(partition, self.rows, self._encode, needed), read_sizes):
            if X is None or X.shape[0] != size:
                raise ValueError(
                    f"{partition.name} has other rows than in the first pass; they must stay the same during a fit: "
                    "do not write to files, and persist data frames"
                )
            yield from (X[start : start + self.most] for start in range(0, size, self.most))

    def sizes(self, read_sizes: Sequence[int]) -> np.ndarray:
        """Number of rows of each encoded chunk."""
        sizes = [min(self.most, size - start) for size in read_sizes for start in range(0, size, self.most)]
        return np.array(sizes, dtype=np.int64)

    def _encode(self, chunk: Table) -> Any:
        """The features of the rows; numbers whose squares are not finite are refused, with their place."""
        X = chunk.matrix(self.n_features) if self.encoder is None else self.encoder.transform(chunk)
        stored = X.data if is_sparse(X) else X
        if not stored.size or (stored.min() >= -_LARGEST and stored.max() <= _LARGEST):  # false if one is NaN
            return X
        place = np.argwhere(~(np.abs(stored) <= _LARGEST))[0]
        row = int(np.searchsorted(X.indptr, place[0], "right")) - 1 if is_sparse(X) else int(place[0])
        column = int(X.indices[place[0]] if is_sparse(X) else place[1])
        name = f"column {column + 1}" if self.encoder is None else f"{self.encoder.get_feature_names_out()[column]!r}"
        after = f"; give finite numbers of at most {_LARGEST:g}"
        raise RowError(f"{name} is {stored[tuple(place)]:g} in", row + 1, after)


@dataclass(frozen=True, eq=False)
class EncodedPartition:
    """The encoded rows of a partition."""

    partition: Partition
    encoder: RowEncoder
    read_sizes: Sequence[int]  # number of rows of each chunk that the first pass read

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each encoded chunk."""
        return self.encoder.sizes(self.read_sizes)

    def __iter__(self) -> Iterator[Any]:
        """All chunks."""
        return self.encoder.chunks(self.partition, self.read_sizes)

    def __call__(self, picks: Sequence[Pick]) -> Iterator[Any]:
        """The picked rows."""
        return picked_rows(self, picks)


def picked_rows(chunks: Iterable[Any], picks: Sequence[Pick]) -> Iterator[Any]:
    """The picked rows of chunks, all of which are iterated over."""
    wanted = {pick.chunk: pick.rows for pick in picks}
    for number, X in enumerate(chunks):
        if number in wanted:
            yield X if wanted[number] is None else X[wanted[number]]
