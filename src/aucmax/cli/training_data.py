"""`TrainingData`: the labelled rows that `fit` and `compare` work on, from a file or a named data set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aucmax import datasets
from aucmax.cli.groups import read_groups
from aucmax.numerics.matrix import is_sparse
from aucmax.tables import Table, TableEncoder, encode_target, read
from aucmax.tables.cells import Scalar, as_numbers
from aucmax.tables.read_table import infer_format

_MIN_TOTAL, _MAX_TOTAL = 1e-150, 1e150  # of weights, so that their products neither underflow nor overflow


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows with labels 0 and 1.

    Parameters
    ----------
    name : str
        The file or the data set.
    X : array or CSR of shape (n, d)
        The features.
    y : array of 0 and 1
        The labels.
    classes : (negative, positive)
        What 0 and 1 stand for.
    encoder : TableEncoder or None
        How the table was encoded; None if it is a matrix.
    weight : array or None
        The weights of the rows.
    facts : dict
        The names of the target, weight and group columns, and whether libsvm indices start at 0.
    table : Table or None
        The columns without target and weight, as they were read; None if there are none.
    groups : array of str or None
        The group of each row.
    """

    name: str
    X: Any
    y: np.ndarray
    classes: tuple[Scalar, Scalar]
    encoder: TableEncoder | None
    weight: np.ndarray | None
    facts: dict[str, Any]
    table: Table | None = None
    groups: np.ndarray | None = None

    def to_dict(self) -> dict[str, Any]:
        """A summary of the rows as JSON values."""
        return {
            "data": self.name,
            "rows": len(self.y),
            "features": self.X.shape[1],
            "negative": self.classes[0],
            "positive": self.classes[1],
            "positives": int(self.y.sum()),
            "positive_rate": float(self.y.mean()),
            "left_out": {} if self.encoder is None else dict(self.encoder.left_out_),
        }


def find_training_data(
    data: Path,
    target: str | None,
    positive: str | None,
    weight: str | None,
    reading: dict[str, Any],
    group_column: str | None = None,
) -> TrainingData:
    """The rows of a file, or of the data set of that name."""
    if is_file(data):
        return read_training_data(data, target, positive, weight, reading, group_column)
    return load_training_data(str(data), positive)


def read_training_data(
    path: Path,
    target: str | None,
    positive: str | None,
    weight: str | None,
    reading: dict[str, Any],
    group_column: str | None = None,
) -> TrainingData:
    """The rows of a file: a table with a target column, or a matrix with labels; `reading` are options of `read`.

    The group column remains a feature: naming it does not change the models.
    """
    table = read(path, **reading)
    y, classes = encode_target(table, target, positive)
    weights = None if weight is None else read_weights(table, weight)
    groups = None if group_column is None else read_groups(table, group_column)
    facts = {"target": target, "weight": weight, "zero_based": table.zero_based, "group_column": group_column}
    if table.X is not None:
        _check_finite(table.X)
        return TrainingData(str(path), table.X, y, classes, None, weights, facts)
    encoder = TableEncoder()
    features = table.drop(target, weight)
    X = encoder.fit_transform(features)
    return TrainingData(str(path), X, y, classes, encoder, weights, facts, features, groups)


def _check_finite(X: Any) -> None:
    """Refuse NaN and infinity in a matrix, and say where they are."""
    stored = X.data if is_sparse(X) else X
    if np.isfinite(stored).all():
        return
    where = np.argwhere(~np.isfinite(stored))[0]
    row = int(np.searchsorted(X.indptr, where[0], side="right")) if is_sparse(X) else int(where[0]) + 1
    column = int(X.indices[where[0]] if is_sparse(X) else where[1]) + 1
    raise ValueError(
        f"row {row} has {stored[tuple(where)]} in column {column}; only tables with named columns may have missing "
        "values: use a finite number, or a CSV or Parquet file"
    )


def load_training_data(name: str, positive: str | None) -> TrainingData:
    """The rows of a named data set; `positive` chooses the positive class of several."""
    binarize: Any = positive
    if positive is not None and positive.lstrip("-").isdigit():
        binarize = int(positive)
    data = datasets.load(name, binarize=binarize, random_state=0)
    return TrainingData(name, data.X, (data.y > 0).astype(int), (-1, 1), None, None, {})


def is_file(name: str | Path) -> bool:
    """Whether a name means a file: it exists, or has the extension of a table.

    Examples
    --------
    >>> is_file("data.csv.xz"), is_file("digits")
    (True, False)
    """
    return infer_format(name) is not None or (Path(name).exists() and not Path(name).is_dir())


def read_weights(table: Table, name: str) -> np.ndarray:
    """A column of weights: finite numbers of zero or more, not all zero."""
    weights = as_numbers(table.column(name))
    if weights is None:
        raise ValueError(f"the weights in column {name!r} are not numbers")
    invalid = ~(np.isfinite(weights) & (weights >= 0))
    if invalid.any():
        row = int(np.argmax(invalid))
        raise ValueError(
            f"the weight in column {name!r} is {weights[row]} in row {row + 1}; give a finite number of zero or more"
        )
    if not weights.any():
        raise ValueError(f"all weights in column {name!r} are zero; give at least one row a positive weight")
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not _MIN_TOTAL <= total <= _MAX_TOTAL:
        raise ValueError(f"the weights in column {name!r} sum to {total:.3g}; divide all of them by the largest one")
    return weights
