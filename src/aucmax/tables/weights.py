"""Columns of sample weights in a table."""

from __future__ import annotations

import numpy as np

from aucmax.tables.cells import as_numbers
from aucmax.tables.row_error import RowError
from aucmax.tables.table import Table
from aucmax.validation.weights import WEIGHT_RANGE, check_weights, first_invalid


def read_weights(table: Table, name: str) -> np.ndarray:
    """A column of weights, validated.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column
    >>> read_weights(Table({"copies": as_column(["1", "2.5"])}), "copies")
    array([1. , 2.5])
    """
    weight = as_numbers(table.column(name))
    if weight is None:
        raise ValueError(f"the weights in column {name!r} are not numbers")
    row = first_invalid(weight)
    if row is not None:
        raise RowError(f"the weight in column {name!r} is {weight[row]} in", row + 1, f"; {WEIGHT_RANGE}")
    return check_weights(weight, weight.size)
