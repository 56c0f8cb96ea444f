"""`Table`: the contents of a file.

A table is either named columns (CSV, Parquet, Arrow) or a matrix X with labels y (libsvm, npz). A column holds
float64 with NaN for missing values, integers, booleans or strings. CSV has no types: all its columns are strings, and
`TableEncoder` infers what they hold.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from aucmax.numerics.matrix import columns_added, is_sparse
from aucmax.tables.cells import as_strings


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns, or a matrix with labels.

    Parameters
    ----------
    columns : dict of str to array
        The columns in the order of the file; empty when there is a matrix.
    X : array or CSR of shape (n, d), optional
        The matrix of a libsvm or npz file.
    y : array of shape (n,), optional
        The labels of the rows of X.
    zero_based : bool, optional
        Whether the column indices of a libsvm file start at 0.

    Examples
    --------
    >>> table = Table({"age": np.array([31.0, 42.0]), "fraud": np.array([True, False])})
    >>> table.names, len(table)
    (('age', 'fraud'), 2)
    """

    columns: dict[str, np.ndarray] = field(default_factory=dict)
    X: Any = None
    y: np.ndarray | None = None
    zero_based: bool | None = None

    def __len__(self) -> int:
        if self.X is not None:
            return self.X.shape[0]
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; empty for a matrix."""
        return tuple(self.columns)

    def column(self, name: str) -> np.ndarray:
        """The column of that name, or an error that lists similar names."""
        if name in self.columns:
            return self.columns[name]
        if self.X is not None:
            raise ValueError(f"there is no column {name!r}: libsvm and npz files have no column names")
        similar = difflib.get_close_matches(name, self.names, n=5, cutoff=0.5) or list(self.names[:10])
        raise ValueError(f"there is no column {name!r}; did you mean one of {similar}?")

    def matrix(self, n_features: int) -> np.ndarray | sparse.csr_array:
        """X with exactly that many columns: a narrower CSR matrix is padded with zeros.

        Examples
        --------
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
    return Table({name: _concatenate_column([part.columns[name] for part in parts]) for name in parts[0].names})


def _concatenate_column(parts: list[np.ndarray]) -> np.ndarray:
    any_strings = any(part.dtype.kind == "T" for part in parts)
    return np.concatenate([as_strings(part) for part in parts] if any_strings else parts)


def check_distinct_names(names: Sequence[str], path: str | Path) -> None:
    """Refuse a file in which several columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{path} has several columns named {repeated}; give each column a unique name")
