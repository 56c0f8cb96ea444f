"""Columns of sample weights in a table."""

from __future__ import annotations

import numpy as np

from aucmax.tables.cells import as_numbers
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table


def read_weights(table: Table, name: str) -> np.ndarray:
    """A column of weights: finite numbers of zero or more.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column
    >>> read_weights(Table({"copies": as_column(["1", "2.5"])}), "copies")
    array([1. , 2.5])
    """
    weight = as_numbers(table.column(name))
    if weight is None:
        raise ValueError(f"the weights in column {name!r} are not numbers")
    invalid = ~(np.isfinite(weight) & (weight >= 0))
    if invalid.any():
        row = int(np.argmax(invalid))
        before = f"the weight in column {name!r} is {weight[row]} in"
        raise RowError(before, row + 1, "; give a finite number of zero or more")
    return weight
