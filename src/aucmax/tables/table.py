"""`Table`: the contents of a file.

A table is either named columns (CSV, JSON lines, Parquet, Arrow, Excel) or a matrix X with labels y (libsvm, npz). A
column is a `pyarrow.ChunkedArray` (see `cells`). CSV has no types: all its columns are strings, and `TableEncoder`
infers what they hold. Partitions of a table are tables: `concatenate` puts them together.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.numerics.matrix import columns_added, is_sparse
from aucmax.tables.cells import Column, as_column, as_strings
from aucmax.tables.pyarrow_import import pa

UNNAMED = "unnamed column"  # begins the name of a column that has none in the file


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns, or a matrix with labels.

    Parameters
    ----------
    columns : dict of str to array
        The columns in the order of the file, as anything that `as_column` accepts; beside a matrix, the labels and
        weights of its rows, if they have names.
    X : array or CSR of shape (n, d), optional
        The matrix of a libsvm or npz file.
    y : array of shape (n,), optional
        The labels of the rows of X.
    zero_based : bool, optional
        Whether the column indices of a libsvm file start at 0.

    Examples
    --------
    >>> table = Table({"age": [31.0, 42.0], "fraud": np.array([True, False])})
    >>> table.names, len(table)
    (('age', 'fraud'), 2)
    """

    columns: dict[str, Column] = field(default_factory=dict)
    X: Any = None
    y: np.ndarray | None = None
    zero_based: bool | None = None

    def __post_init__(self) -> None:
        columns = {name: as_column(values) for name, values in self.columns.items()}
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"the columns have different lengths: {sorted(lengths)}")
        object.__setattr__(self, "columns", columns)

    def __len__(self) -> int:
        if self.X is not None:
            return self.X.shape[0]
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; empty for a matrix."""
        return tuple(self.columns)

    def drop(self, *names: str | None) -> Table:
        """The table without some of its columns; None and names that do not occur are ignored.

        Parameters
        ----------
        *names : str or None
            The columns to leave out.

        Examples
        --------
        >>> Table({"a": [1], "b": [2]}).drop("b", None).names
        ('a',)
        """
        return Table({name: column for name, column in self.columns.items() if name not in names})

    def slice(self, start: int, rows: int) -> Table:
        """Some consecutive rows, of which nothing is copied.

        Parameters
        ----------
        start : int
            The first row, counted from 0.
        rows : int
            How many.

        Examples
        --------
        >>> Table({"a": [1, 2, 3]}).slice(1, 1).columns["a"].to_pylist()
        [2]
        """
        if self.X is None:
            return Table({name: column.slice(start, rows) for name, column in self.columns.items()})
        part = slice(start, start + rows)
        return Table(X=self.X[part], y=None if self.y is None else self.y[part], zero_based=self.zero_based)

    def column(self, name: str) -> Column:
        """The column of that name, or an error that lists similar names.

        Parameters
        ----------
        name : str
            The name.
        """
        if name in self.columns:
            return self.columns[name]
        if self.X is not None:
            raise ValueError(f"there is no column {name!r}: libsvm and npz files have no column names")
        similar = difflib.get_close_matches(name, self.names, n=5, cutoff=0.5) or list(self.names[:10])
        raise ValueError(f"there is no column {name!r}; did you mean one of {similar}?")

    def matrix(self, n_features: int) -> Any:
        """X with exactly that many columns: a narrower CSR matrix is padded with zeros.

        Parameters
        ----------
        n_features : int
            The number of columns of the result.

        Examples
        --------
        >>> from scipy import sparse
        >>> Table(X=sparse.csr_array([[1.0, 2.0]])).matrix(3).toarray()
        array([[1., 2., 0.]])
        """
        if self.X is None:
            raise ValueError("this model was fitted without column names; score a libsvm or npz file")
        width = self.X.shape[1]
        if is_sparse(self.X) and width < n_features:
            return columns_added(self.X, n_features)
        if width != n_features:
            raise ValueError(f"the file has {width} features, the model has {n_features}")
        return self.X


def concatenate(parts: Sequence[Table]) -> Table:
    """The rows of several tables with the same columns; a column that holds strings in one part does so in all.

    Examples
    --------
    >>> len(concatenate([Table({"a": np.array([1.0])}), Table({"a": np.array([2.0])})]))
    2
    """
    if len(parts) == 1:
        return parts[0]
    names = dict.fromkeys(name for part in parts for name in part.names)
    lengths = [len(part) for part in parts]
    return Table({name: _concatenate_column([part.columns.get(name) for part in parts], lengths) for name in names})


def _concatenate_column(parts: list[Column | None], lengths: list[int]) -> Column:
    """The parts as one column; a part that lacks it is missing there."""
    kinds = {part.type for part in parts if part is not None and part.null_count < len(part)}
    if len(kinds) > 1:
        kind = pa.float64() if all(part is None or _is_exact(part) for part in parts) else pa.string()
    else:
        kind = next(iter(kinds), pa.string())
    chunks = [
        chunk
        for part, length in zip(parts, lengths)
        for chunk in (pa.chunked_array([pa.nulls(length, kind)]) if part is None else _cast(part, kind)).chunks
    ]
    return pa.chunked_array(chunks, type=kind)


def _is_exact(part: Column) -> bool:
    """Whether a part holds numbers that float64 does not round, as it would round long ids."""
    if not pa.types.is_integer(part.type):
        return pa.types.is_floating(part.type) or part.null_count == len(part)
    try:
        part.cast(pa.float64(), safe=True)
    except pa.ArrowInvalid:
        return False
    return True


def _cast(part: Column, kind: Any) -> Column:
    if part.type == kind:
        return part
    return as_strings(part) if pa.types.is_string(kind) else part.cast(kind, safe=False)


def select_names(names: Sequence[str], wanted: Collection[str] | None) -> list[str] | None:
    """Those of the names that are wanted; None for all of them, which they are too if none occurs.

    Examples
    --------
    >>> select_names(["a", "b", "c"], {"c", "a"}), select_names(["a"], None)
    (['a', 'c'], None)
    """
    return None if wanted is None else [name for name in names if name in wanted] or None


def check_distinct_names(names: Sequence[str], path: str | Path) -> None:
    """Refuse a file in which several columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{path} has several columns named {repeated}; give each column a unique name")
