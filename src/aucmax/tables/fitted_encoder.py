"""`FittedEncoder`: how the columns of a table become numbers, as `TableEncoder` learned it; for scoring.

It needs NumPy and pyarrow only, so that a saved model scores without scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aucmax.tables.as_table import as_table, has_names
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.findings.features import FeatureGroup
from aucmax.tables.json_schema import all_strings, check_schema
from aucmax.tables.table import Table

_ROWS = 2048  # that are written at a time, so that they stay in the cache: a column of X is not contiguous


class FittedEncoder:
    """An encoder that has been fitted: what a saved model has, and what `TableEncoder` inherits from.

    Attributes
    ----------
    columns_ : tuple of ColumnEncoder
        The columns that are used, with what was learned of each.
    left_out_ : dict of str to str
        The columns that are not, each with the reason.
    n_features_in_ : int
        Number of columns seen in `fit`.

    Examples
    --------
    >>> from aucmax import TableEncoder
    >>> table = Table({"age": ["31", "42"], "town": ["Rome", "Oslo"]})
    >>> FittedEncoder.from_dict(TableEncoder().fit(table).to_dict()).transform(table)
    array([[31.,  0.,  1.],
           [42.,  1.,  0.]])
    """

    columns_: tuple[ColumnEncoder, ...]
    left_out_: dict[str, str]
    n_features_in_: int
    _order: ClassVar[Literal["C", "F"]] = "F"  # of the array: to score it, columns are written and read fastest

    def transform(self, X: Any) -> np.ndarray:
        """The rows as a float64 array; columns that did not occur in training are ignored."""
        table = as_table(X, getattr(self, "feature_names_in_", None))
        if not has_names(X) and len(table.names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(table.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        absent = [column.name for column in self.columns_ if column.name not in table.columns]
        if absent:
            raise ValueError(f"the table lacks the columns {absent}; it has {list(table.names[:20])}")
        return self._encode(table, {}, self._order)

    def encode_columns(self, table: Table) -> np.ndarray:
        """What `transform` gives for a table of the columns of training, with contiguous columns.

        Parameters
        ----------
        table : Table
        """
        return self._encode(table, {}, "F")

    def _encode(self, table: Table, numbers: dict[str, np.ndarray], order: Literal["C", "F"]) -> np.ndarray:
        """The encoded columns; `numbers` holds those that are read already."""
        X = np.empty((len(table), len(FittedEncoder.get_feature_names_out(self))), order=order)
        read = []
        start = 0
        for column in self.columns_:
            span = slice(start, start + len(column.feature_names))
            if column.name in numbers:
                read.append((column, numbers[column.name], span))
            else:
                column.encode(table.columns[column.name], X[:, span])
            start = span.stop
        for first in range(0, len(table), _ROWS):
            rows = slice(first, first + _ROWS)
            for column, values, span in read:
                column.encode_numbers(values[rows], X[rows, span])
        return X

    def get_feature_names_out(self) -> np.ndarray:
        """The names of the encoded features."""
        return np.array([name for column in self.columns_ for name in column.feature_names], dtype=object)

    def count_unknown_categories(self, X: Any) -> dict[str, int]:
        """By column, how many cells hold a category that did not occur in training; all its features are 0.

        Parameters
        ----------
        X : data frame, Arrow table or Table
        """
        table = as_table(X)
        counts = {
            column.name: column.count_unknown_categories(table.columns[column.name]) for column in self.columns_
        }
        return {name: count for name, count in counts.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        return {"columns": [column.to_dict() for column in self.columns_], "left_out": dict(self.left_out_)}

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """The fitted encoder that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned.
        """
        check_schema(content, {"columns": (list,), "left_out": (dict,)}, "the encoder")
        left_out = content["left_out"]
        if not all_strings(left_out) or not all_strings(left_out.values()):
            raise ValueError("left_out must map strings to strings")
        columns = tuple(map(ColumnEncoder.from_dict, content["columns"]))
        names = [column.name for column in columns]
        if not names or len(set(names)) < len(columns):
            raise ValueError("there must be at least one column, and column names must be distinct")
        encoder = cls()
        encoder.columns_ = columns
        encoder.left_out_ = dict(left_out)
        encoder.n_features_in_ = len(columns) + len(left_out)
        return encoder


def feature_groups(columns: Sequence[ColumnEncoder]) -> tuple[FeatureGroup, ...]:
    """Which features belong to which column.

    Examples
    --------
    >>> from aucmax import TableEncoder
    >>> encoder = TableEncoder().fit(Table({"age": ["31", "", "42"], "town": ["Rome", "Oslo", "Rome"]}))
    >>> [(group.name, group.start, group.stop, group.indicator) for group in feature_groups(encoder.columns_)]
    [('age', 0, 1, 1), ('town', 2, 4, None)]
    """
    groups = []
    start = 0
    for column in columns:
        end = start + len(column.feature_names)
        stop = end - column.missing_indicator
        indicator = stop if column.missing_indicator else None
        groups.append(FeatureGroup(column.name, start, stop, column.kind == "categorical", indicator))
        start = end
    return tuple(groups)
