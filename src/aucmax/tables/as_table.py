"""`as_table`: data frames of pandas and polars, Arrow tables and arrays as tables with named columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aucmax.numerics.matrix import is_sparse
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.table import Table, check_distinct_names


def as_table(X: Any, names: Sequence[str] | None = None) -> Table:
    """X as a table with named columns; those of an array are named, or else called x0, x1, ...

    Examples
    --------
    >>> as_table(np.eye(2)).names, as_table(pa.table({"a": [1]})).names
    (('x0', 'x1'), ('a',))
    """
    if isinstance(X, Table):
        if X.X is not None:
            raise ValueError("a matrix has no column names, which are needed here; give a CSV or Parquet file")
        return X
    if not has_names(X):
        return _from_array(X, names)
    columns = dict(_named_columns(X))
    if not columns or not len(next(iter(columns.values()))):
        rows = 0 if columns else len(X)
        raise ValueError(f"the table has {rows} rows and {len(columns)} columns; it needs at least one of each")
    return Table(columns)


def has_names(X: Any) -> bool:
    """Whether the columns of X have names."""
    return (
        isinstance(X, Table)
        or hasattr(X, "columns")
        or hasattr(X, "column_names")
        or hasattr(X, "__arrow_c_stream__")
    )


def _named_columns(X: Any) -> list[tuple[str, Any]]:
    """The columns of a data frame or an Arrow table with their names."""
    if hasattr(X, "iloc"):  # pandas
        names = [str(name) for name in X.columns]
        columns = [X.iloc[:, j] for j in range(len(names))]
    else:
        table = X if isinstance(X, pa.Table) else pa.table(X)
        names, columns = table.column_names, table.columns
    check_distinct_names(names, "the table")
    return list(zip(names, columns))


def _from_array(X: Any, names: Sequence[str] | None) -> Table:
    if is_sparse(X):
        raise TypeError("a sparse matrix is not a table of columns; fit the estimator to it directly")
    from sklearn.utils import check_array

    X = check_array(X, dtype=None, ensure_all_finite="allow-nan" if _is_numeric(X) else False)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if names is None or len(names) != X.shape[1]:
        names = [f"x{j}" for j in range(X.shape[1])]
    return Table({name: X[:, j] for name, j in zip(names, range(X.shape[1]))})


def _is_numeric(X: Any) -> bool:
    return getattr(X, "dtype", np.dtype(object)).kind in "fiubc"
