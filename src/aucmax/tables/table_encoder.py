"""`TableEncoder`: how the columns of a table become numbers, learned once and applied to every later table.

Numbers stay numbers, booleans become 0 and 1, strings with few distinct values are one-hot encoded. Missing numbers
are imputed by the median of the training rows. Where values were missing in training, a further feature indicates it.
Columns that cannot be used are left out, with the reason. Columns are found by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aucmax.tables.column_encoder import ColumnEncoder, learn_column
from aucmax.tables.json_schema import all_strings, check_schema
from aucmax.tables.table import Table
from aucmax.validation.params import Integer, check_param


@dataclass(frozen=True)
class TableEncoder:
    """How the columns of a table become numbers.

    Parameters
    ----------
    columns : tuple of ColumnEncoder
        The columns that are used.
    left_out : dict of str to str
        The columns that are not, each with the reason.

    Examples
    --------
    >>> from aucmax.tables.cells import STRING_DTYPE
    >>> table = Table({
    ...     "age": np.array(["31", "", "42", "50"], dtype=STRING_DTYPE),
    ...     "town": np.array(["Rome", "Oslo", "Rome", "Oslo"], dtype=STRING_DTYPE),
    ...     "planet": np.array(["Earth"] * 4, dtype=STRING_DTYPE),
    ... })
    >>> encoder = TableEncoder.learn(table)
    >>> encoder.feature_names
    ('age', 'age is missing', 'town=Oslo', 'town=Rome')
    >>> encoder.left_out
    {'planet': "constant: all values are 'Earth'"}
    >>> encoder.encode(table)[:2]
    array([[31.,  0.,  0.,  1.],
           [42.,  1.,  1.,  0.]])
    >>> TableEncoder.from_dict(encoder.to_dict()) == encoder
    True
    """

    columns: tuple[ColumnEncoder, ...]
    left_out: dict[str, str] = field(default_factory=dict)

    @classmethod
    def learn(cls, table: Table, target: str | None = None, *, max_categories: int = 100) -> TableEncoder:
        """Infer from the training rows what every column but the target holds.

        A column of strings is free text, and left out, if it has more than `max_categories` distinct values, or more
        than half as many as there are rows.
        """
        check_param("max_categories", max_categories, Integer(1))
        if table.X is not None:
            raise ValueError("a matrix has no columns to encode; use table.X as it is")
        if target is not None:
            table.column(target)
        features = {name: values for name, values in table.columns.items() if name != target}
        learned = {name: learn_column(name, values, max_categories) for name, values in features.items()}
        used = tuple(column for column in learned.values() if isinstance(column, ColumnEncoder))
        left_out = {name: reason for name, reason in learned.items() if isinstance(reason, str)}
        if not used:
            raise ValueError(f"no column can be used as a feature; left out: {left_out}")
        return cls(used, left_out)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the encoded features."""
        return tuple(name for column in self.columns for name in column.feature_names)

    def encode(self, table: Table) -> np.ndarray:
        """The table as a float64 array; columns that did not occur in training are ignored."""
        if table.X is not None:
            raise ValueError(
                "a matrix has no column names, which this model needs; give a CSV, Parquet or Arrow file"
            )
        absent = [column.name for column in self.columns if column.name not in table.columns]
        if absent:
            raise ValueError(f"the table lacks the columns {absent}; it has {list(table.names[:20])}")
        X = np.empty((len(table), len(self.feature_names)))
        start = 0
        for column in self.columns:
            stop = start + len(column.feature_names)
            column.encode(table.columns[column.name], X[:, start:stop])
            start = stop
        return X

    def count_unknown_categories(self, table: Table) -> dict[str, int]:
        """By column, how many cells hold a category that did not occur in training; all its features are 0."""
        counts = {column.name: column.count_unknown_categories(table.columns[column.name]) for column in self.columns}
        return {name: count for name, count in counts.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """The encoder as JSON values."""
        return {"columns": [column.to_dict() for column in self.columns], "left_out": dict(self.left_out)}

    @classmethod
    def from_dict(cls, content: Any) -> TableEncoder:
        """The encoder that `to_dict` described, every field validated."""
        check_schema(content, {"columns": (list,), "left_out": (dict,)}, "the encoder")
        left_out = content["left_out"]
        if not all_strings(left_out) or not all_strings(left_out.values()):
            raise ValueError("left_out must map strings to strings")
        columns = tuple(map(ColumnEncoder.from_dict, content["columns"]))
        names = {column.name for column in columns}
        if not names or len(names) < len(columns):
            raise ValueError("there must be at least one column, and column names must be distinct")
        return cls(columns, dict(left_out))
