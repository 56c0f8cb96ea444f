"""`Table`: what a file holds, and what its cells mean.

A table is either named columns (CSV, Parquet, Arrow) or a matrix X with labels y (libsvm, npz). A column is
float64 with NaN for missing, of integers, bool, or text. A CSV knows no types: its columns are text, and `Columns`
learns what they are.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from aucmax.numerics.matrix import is_sparse
from aucmax.tables.decimals import read_cells

TEXT = np.dtypes.StringDType()
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "<NA>", "null", "NULL", "None", "?")

Label = bool | int | float | str


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
        The labels that came with X.
    zero_based : bool, optional
        Whether the indices of a libsvm file start at 0.

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
        """The names of the columns; none for a matrix."""
        return tuple(self.columns)

    def column(self, name: str) -> np.ndarray:
        """The column of that name, or an error that lists names like it."""
        if name in self.columns:
            return self.columns[name]
        if self.X is not None:
            raise ValueError(f"there is no column {name!r}: a libsvm or npz file has no column names")
        near = difflib.get_close_matches(name, self.names, n=5, cutoff=0.5) or list(self.names[:10])
        raise ValueError(f"there is no column {name!r}; did you mean one of {near}?")

    def matrix(self, n_features: int) -> np.ndarray | sparse.csr_array:
        """X with exactly that many columns: a narrower CSR matrix is widened by zeros.

        Examples
        --------
        >>> Table(X=sparse.csr_array([[1.0, 2.0]])).matrix(3).toarray()
        array([[1., 2., 0.]])
        """
        if self.X is None:
            raise ValueError("this model knows no column names; score a libsvm or npz file")
        n, width = self.X.shape
        if is_sparse(self.X) and width < n_features:
            return sparse.csr_array((self.X.data, self.X.indices, self.X.indptr), shape=(n, n_features))
        if width != n_features:
            raise ValueError(f"the file has {width} features, the model has {n_features}")
        return self.X


def join(parts: Sequence[Table]) -> Table:
    """Tables of the same kind, one below the other.

    Examples
    --------
    >>> len(join([Table({"a": np.array([1.0])}), Table({"a": np.array([2.0])})]))
    2
    """
    if len(parts) == 1:
        return parts[0]
    names = parts[0].names
    return Table({name: _joined([part.columns[name] for part in parts]) for name in names})


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """Parts of a column; if some are text, all become it."""
    some_text = any(part.dtype.kind == "T" for part in parts)
    return np.concatenate([words(part) for part in parts] if some_text else parts)


def is_missing(values: np.ndarray) -> np.ndarray:
    """Which cells of a column are missing: NaN, or a word such as `NA` or `null`.

    Examples
    --------
    >>> is_missing(np.array(["1", " NA ", ""], dtype=TEXT))
    array([False,  True,  True])
    """
    if values.dtype.kind == "T":
        return np.isin(np.strings.strip(values), np.array(MISSING, dtype=TEXT))
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def numbers(values: np.ndarray) -> np.ndarray | None:
    """A column as float64 with NaN for missing; None if a cell is not a number.

    Examples
    --------
    >>> numbers(np.array(["1e5", " 3 ", "NA"], dtype=TEXT))
    array([1.e+05, 3.e+00,    nan])
    >>> numbers(np.array(["1", "one"], dtype=TEXT)) is None
    True
    """
    if values.dtype.kind != "T":
        return values.astype(float)
    cells = values.tolist()
    text = "\0".join(cells).encode()
    if text.count(b"\0") != max(len(cells) - 1, 0):
        return None
    found, known = np.empty(len(cells)), np.zeros(len(cells), dtype=bool)
    read_cells(np.frombuffer(text, dtype=np.uint8), found.view(np.uint64), known)
    for i in np.flatnonzero(~known):
        number = number_in(cells[i])
        if number is None:
            return None
        found[i] = number
    return found


def number_in(cell: str) -> float | None:
    """The number that a cell holds: NaN if it is missing, None if it is a word.

    Examples
    --------
    >>> number_in(" 1e2 "), number_in("NA"), number_in("one")
    (100.0, nan, None)
    """
    cell = cell.strip()
    if cell in MISSING:
        return np.nan
    try:
        number = float(cell)
    except ValueError:
        return None
    return None if "_" in cell or math.isnan(number) else number  # float("1_0") is 10, but no table means that


def words(values: np.ndarray) -> np.ndarray:
    """A column as text without outer white space; whole numbers have no decimal point.

    Examples
    --------
    >>> words(np.array([1.0, 2.5])).tolist()
    ['1', '2.5']
    """
    if values.dtype.kind == "T":
        return np.strings.strip(values)
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([str(plain(value)) for value in distinct], dtype=TEXT)[place]


def plain(value: Any) -> Label:
    """A NumPy value as a JSON scalar; a whole number as an int.

    Examples
    --------
    >>> plain(np.float64(2.0)), plain(np.bool_(True)), plain("a")
    (2, True, 'a')
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    return int(value) if float(value).is_integer() else float(value)
