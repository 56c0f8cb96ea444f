"""`NumericColumns`: columns of numbers that are features as they are, in place of a `TableEncoder`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.tables.cells import as_numbers, stored_floats
from aucmax.tables.table import Table


class NumericColumn(NamedTuple):
    """A column by its name."""

    name: str


@dataclass(frozen=True)
class NumericColumns:
    """Columns that all hold numbers.

    Examples
    --------
    >>> NumericColumns(("b", "a")).transform(Table({"a": [1, 2], "b": [0.5, 1.5]}))
    array([[0.5, 1. ],
           [1.5, 2. ]])
    """

    names: tuple[str, ...]

    @property
    def columns_(self) -> tuple[NumericColumn, ...]:
        """The columns."""
        return tuple(map(NumericColumn, self.names))

    def get_feature_names_out(self) -> np.ndarray:
        """The names of the columns."""
        return np.array(self.names, dtype=object)

    def transform(self, table: Table) -> np.ndarray:
        """The columns as an array."""
        return self._fill(table, np.empty((len(table), len(self.names))))

    def encode_columns(self, table: Table) -> np.ndarray:
        """The same array with contiguous columns."""
        return self._fill(table, np.empty((len(self.names), len(table))).T)

    def _fill(self, table: Table, X: np.ndarray) -> np.ndarray:
        for j, name in enumerate(self.names):
            column = table.column(name)
            numbers: Any = stored_floats(column)
            if numbers is None:
                numbers = as_numbers(column)
            if numbers is None:
                raise ValueError(f"column {name!r} does not hold numbers; let the columns be encoded (encode=True)")
            X[:, j] = numbers
        return X
