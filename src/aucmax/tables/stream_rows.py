"""Encoding rows of a stream, up to the first that cannot be encoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aucmax.tables.fitted_encoder import FittedEncoder
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.table import Table
from aucmax.tables.target import encode_labels

_MAX_NUMBER = 1e150  # whose square, and the sum of many such squares, is finite


class EncodedRows(NamedTuple):
    """The first rows of a table, as numbers."""

    X: np.ndarray  # features, of shape (n, d)
    y: np.ndarray  # labels 0 and 1
    error: str  # what is wrong with the next row; empty if all rows were encoded


def encode_rows(
    table: Table,
    encoder: FittedEncoder,
    target: str,
    classes: Sequence[Any],
    rest: Sequence[Any] = (),
    *,
    keys_may_lack: bool = False,
) -> EncodedRows:
    """Encode the rows before the first that has an unknown label or a number that is too large.

    With `keys_may_lack`, as in JSON lines, a column that the table lacks is missing in all of its rows.

    Examples
    --------
    >>> from aucmax import TableEncoder
    >>> encoder = TableEncoder().fit(Table({"age": ["31", "42"]}))
    >>> encode_rows(Table({"age": ["5", "6"], "y": ["0", "2"]}), encoder, "y", (0, 1)).y
    array([0])
    """

    def encode(n: int) -> tuple[np.ndarray, np.ndarray]:
        part = table.slice(0, n)
        y = encode_labels(part, target, classes, rest)
        X = encoder.transform(_with_columns(part, encoder) if keys_may_lack else part)
        if X.size and np.abs(X).max() > _MAX_NUMBER:
            raise ValueError(f"the number {np.abs(X).max():g} is too large to be squared; rescale or drop its column")
        return X, y

    try:
        return EncodedRows(*encode(len(table)), "")
    except ValueError as error:
        good = 0
        bad = len(table)
        message = str(error)
    while bad - good > 1:  # the first `good` rows can be encoded, the first `bad` ones cannot
        middle = (good + bad) // 2
        try:
            encode(middle)
            good = middle
        except ValueError as error:
            bad = middle
            message = str(error)
    if good == 0:
        return EncodedRows(np.empty((0, len(encoder.get_feature_names_out()))), np.empty(0, dtype=np.int64), message)
    return EncodedRows(*encode(good), message)


def _with_columns(table: Table, encoder: FittedEncoder) -> Table:
    """The table with columns of missing values for keys that no line of JSON has here."""
    absent = [column.name for column in encoder.columns_ if column.name not in table.columns]
    return Table(table.columns | {name: pa.nulls(len(table), pa.string()) for name in absent}) if absent else table
