"""`Source`: the labelled rows that a command works on, from a file or a named data set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aucmax import datasets
from aucmax.numerics.matrix import is_sparse
from aucmax.tables import Columns, Table, read, split_target
from aucmax.tables.reading import format_of
from aucmax.tables.table import Label, numbers


@dataclass(frozen=True, eq=False)
class Source:
    """Rows with labels 0 and 1.

    Parameters
    ----------
    name : str
        The file or the data set.
    X : array or CSR of shape (n, d)
    y : array of 0 and 1
    labels : (negative, positive)
        What 0 and 1 stand for.
    columns : Columns or None
        How the table was encoded; None if it is a matrix.
    weight : array or None
    facts : dict
        The names of the target and of the weight column, and where the indices of a libsvm file start.
    """

    name: str
    X: Any
    y: np.ndarray
    labels: tuple[Label, Label]
    columns: Columns | None
    weight: np.ndarray | None
    facts: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """What the user should know about the rows, as plain JSON values."""
        return {
            "data": self.name,
            "rows": len(self.y),
            "features": self.X.shape[1],
            "negative": self.labels[0],
            "positive": self.labels[1],
            "positives": int(self.y.sum()),
            "positive_rate": float(self.y.mean()),
            "left_out": {} if self.columns is None else dict(self.columns.left_out),
        }


def read_source(
    path: Path, target: str | None, positive: str | None, weight: str | None, format: str | None
) -> Source:
    """The rows of a file: a table with a target column, or a matrix with labels."""
    table = read(path, format=format)
    y, labels = split_target(table, target, positive)
    values = None if weight is None else read_weight(table, weight)
    facts = {"target": target, "weight": weight, "zero_based": table.zero_based}
    if table.X is not None:
        _check_matrix(table.X)
        return Source(str(path), table.X, y, labels, None, values, facts)
    rest = Table({name: column for name, column in table.columns.items() if name not in (target, weight)})
    columns = Columns.learn(rest)
    return Source(str(path), columns.encode(rest), y, labels, columns, values, facts)


def _check_matrix(X: Any) -> None:
    """Refuse NaN and infinity in a matrix, and say where they are."""
    stored = X.data if is_sparse(X) else X
    if np.isfinite(stored).all():
        return
    where = np.argwhere(~np.isfinite(stored))[0]
    row = int(np.searchsorted(X.indptr, where[0], side="right")) if is_sparse(X) else int(where[0]) + 1
    column = int(X.indices[where[0]] if is_sparse(X) else where[1]) + 1
    raise ValueError(
        f"row {row} has {stored[tuple(where)]} in column {column}; only tables with named columns may have missing "
        "cells: write a finite number, or use CSV or Parquet"
    )


def load_source(name: str, positive: str | None) -> Source:
    """The rows of a named data set; `positive` makes two classes of many."""
    known: Any = positive
    if positive is not None and positive.lstrip("-").isdigit():
        known = int(positive)
    data = datasets.load(name, binarise=known, random_state=0)
    return Source(name, data.X, (data.y > 0).astype(int), (-1, 1), None, None, {})


def is_file(name: str | Path) -> bool:
    """Whether a name means a file: there is one, or it ends like one.

    Examples
    --------
    >>> is_file("data.csv.xz"), is_file("digits")
    (True, False)
    """
    return format_of(name) is not None or (Path(name).exists() and not Path(name).is_dir())


def read_weight(table: Table, name: str) -> np.ndarray:
    """A column of weights: numbers, none of them missing, infinite or negative, and not all zero."""
    values = numbers(table.column(name))
    if values is None:
        raise ValueError(f"the weights in column {name!r} are not numbers")
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"the weight in column {name!r} is {values[row]} in row {row + 1}; give zero or more")
    if not values.any():
        raise ValueError(f"all weights in column {name!r} are zero; give some row a positive weight")
    return values
