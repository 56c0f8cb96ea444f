"""What the columns of a source are used for, and columns of numbers that are features as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from aucmax.tables.cells import as_numbers, stored_floats
from aucmax.tables.table import Table


@dataclass(frozen=True)
class ColumnUse:
    """What the columns are used for, as the user says it.

    Parameters
    ----------
    target, weight, groups : str or None
        The columns of labels, of weights, and of groups that stay in one fold.
    pos_label : optional
        The positive label, or a function that chooses it from the sorted labels; the rarer one if not given.
    keep, drop : sequence of str
        As for `TableEncoder`.
    encode : bool
        Whether columns are encoded; if not, all of them are numbers.
    decimal : {"auto", ".", ","}
        As for `TableEncoder`.
    """

    target: str | None = None
    weight: str | None = None
    groups: str | None = None
    pos_label: Any = None
    keep: Sequence[str] = ()
    drop: Sequence[str] = ()
    encode: bool = True
    decimal: str = "auto"

    @property
    def beside_features(self) -> set[str]:
        """The columns of labels, weights and groups."""
        return {name for name in (self.target, self.weight, self.groups) if name is not None}


def larger_label(name: str, labels: Sequence[Any]) -> Any:
    """The larger one of two labels; any other number of labels is an error, which calls them by this name.

    Examples
    --------
    >>> larger_label("y", [0, 1])
    1
    """
    if len(labels) != 2:
        raise ValueError(f"{name} has the labels {list(labels[:20])}; there must be two")
    return labels[1]


class NumericColumn(NamedTuple):
    """A column by its name."""

    name: str


@dataclass(frozen=True)
class NumericColumns:
    """Columns that all hold numbers, in place of a `TableEncoder`.

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
        X = np.empty((len(table), len(self.names)))
        for j, name in enumerate(self.names):
            column = table.column(name)
            numbers: Any = stored_floats(column)
            if numbers is None:
                numbers = as_numbers(column)
            if numbers is None:
                raise ValueError(f"column {name!r} does not hold numbers; let the columns be encoded (encode=True)")
            X[:, j] = numbers
        return X
