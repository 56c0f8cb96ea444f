"""Columns of vectors as matrices: arrays of numbers, and the dense and sparse vectors of Spark ML, both in Arrow.

A vector of Spark ML is a record (type, size, indices, values), where type 1 is dense and 0 sparse; rows of both kinds
may stand in one column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from aucmax.scale.partitions import as_chunk
from aucmax.tables.pyarrow_import import pa, pc
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table

_SPARSE = 0  # type of a sparse vector


@dataclass(frozen=True)
class VectorColumn:
    """A column of vectors, which becomes the matrix of a table; the other columns stay as they are.

    Parameters
    ----------
    name : str
    size : int
        Numbers in a vector.
    dense : bool or None
        Whether the matrix is an array or CSR, whatever the vectors are; None for CSR if one of them is sparse.

    Examples
    --------
    >>> block = pa.table({"features": [[1.0, 2.0], [3.0, 4.0]], "label": [0, 1]})
    >>> table = VectorColumn("features", 2).table(block)
    >>> table.X.tolist(), table.names
    ([[1.0, 2.0], [3.0, 4.0]], ('label',))
    """

    name: str
    size: int
    dense: bool | None = True

    def table(self, block: Any) -> Table:
        """A `pyarrow.Table` as a table with a matrix."""
        vectors = pa.concat_arrays(block.column(self.name).chunks)
        if vectors.null_count:
            raise RowError("the vector of", int(np.argmax(vectors.is_null())) + 1, " is missing; remove such rows")
        return Table(as_chunk(block.drop_columns([self.name])).columns, X=self.matrix(vectors))

    def matrix(self, vectors: Any) -> Any:
        """The vectors, none of which is missing, as rows of an array or of a CSR matrix."""
        is_record = pa.types.is_struct(vectors.type)
        values = vectors.field("values") if is_record else vectors
        lengths = pc.list_value_length(values).to_numpy()
        # Arrow's own memory is read-only, and moments are computed in place
        numbers = np.require(values.flatten().to_numpy(zero_copy_only=False), np.float64, "W")
        is_sparse = vectors.field("type").to_numpy() == _SPARSE if is_record else np.zeros(len(vectors), dtype=bool)
        if not is_sparse.any():
            self._check_sizes(lengths)
            X = numbers.reshape(-1, self.size)
            return sparse.csr_array(X) if self.dense is False else X
        sizes = np.where(is_sparse, vectors.field("size").fill_null(0).to_numpy(), lengths)
        self._check_sizes(sizes)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        columns = np.arange(numbers.size) - np.repeat(starts[:-1], lengths)
        columns[np.repeat(is_sparse, lengths)] = vectors.field("indices").filter(pa.array(is_sparse)).flatten()
        kind = np.int32 if numbers.size < 2**31 else np.int64
        X = sparse.csr_array((numbers, columns.astype(kind), starts.astype(kind)), shape=(len(vectors), self.size))
        return X.toarray() if self.dense else X

    def _check_sizes(self, sizes: np.ndarray) -> None:
        if (sizes != self.size).any():
            row = int(np.argmax(sizes != self.size))
            before = f"a vector of column {self.name!r} has {sizes[row]} numbers in"
            raise RowError(before, row + 1, f"; others have {self.size}: give all of them the same size")
