"""`TrainingData`: the labelled rows that `fit` and `compare` work on, from a file or a named data set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aucmax import datasets
from aucmax.cli.groups import read_groups
from aucmax.numerics.matrix import is_sparse
from aucmax.selection.splits import forward_splits
from aucmax.tables import Finding, Table, TableEncoder, encode_target, read
from aucmax.tables.cells import Scalar
from aucmax.tables.findings.class_counts import few_of_a_class
from aucmax.tables.fitted_encoder import feature_groups
from aucmax.tables.read_table import infer_format
from aucmax.tables.table_findings import check_encoded, check_matrix, fit_quietly
from aucmax.tables.target import rest_labels
from aucmax.tables.weights import read_weights

_MAX_NUMBER = 1e150  # whose square, and the sum of many such squares, is finite


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """What the columns of a table are used for.

    Parameters
    ----------
    target, positive : str or None
        The column of labels, and the positive one.
    weight, time : str or None
        The columns of row weights, and of times by which the rows are split; neither is a feature.
    keep, drop : tuple of str
        Columns to use although they look like ids, and columns to leave out.
    decimal : {"auto", ".", ","}
        The decimal mark where the cells are ambiguous.
    ignore : tuple of str
        Codes of findings that are not shown.
    """

    target: str | None = None
    positive: str | None = None
    weight: str | None = None
    time: str | None = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    decimal: str = "auto"
    ignore: tuple[str, ...] = ()

    @property
    def given(self) -> dict[str, Any]:
        """The options that only a file with named columns has, by name, if they were given."""
        values = {name: getattr(self, name) for name in ("target", "weight", "time", "keep", "drop")}
        values["decimal"] = None if self.decimal == "auto" else self.decimal
        return {name: value for name, value in values.items() if value}


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
        The names of the target, weight and time columns, the labels of the rest if the target has more than two, and
        whether libsvm indices start at 0.
    findings : tuple of Finding
        What may be wrong with the table.
    time : array or None
        The times of the rows.
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
    findings: tuple[Finding, ...] = ()
    time: np.ndarray | None = None
    groups: np.ndarray | None = None

    def folds(self, cv: int) -> Any:
        """What `compare` takes as `cv`: the number of folds, or folds by time if there are times."""
        return cv if self.time is None else forward_splits(self.time, self.y, cv)

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
            "findings": [finding.to_dict() for finding in self.findings],
        }


def find_training_data(
    data: Path, options: ColumnOptions, reading: dict[str, Any], group_column: str | None = None
) -> TrainingData:
    """The rows of a file, or of the data set of that name."""
    if is_file(data):
        return read_training_data(data, options, reading, group_column)
    return load_training_data(str(data), options)


def read_training_data(
    path: Path, options: ColumnOptions, reading: dict[str, Any], group_column: str | None = None
) -> TrainingData:
    """The rows of a file: a table with a target column, or a matrix with labels; `reading` are options of `read`.

    The group column remains a feature: naming it does not change the models.
    """
    table = read(path, **reading)
    y, classes = encode_target(table, options.target, options.positive)
    rest = rest_labels(table, options.target, classes)
    facts: dict[str, Any] = {"target": options.target, "weight": options.weight, "zero_based": table.zero_based}
    facts |= {"rest": rest} if rest else {}
    facts |= {"time": options.time} if options.time else {}
    weights = None if options.weight is None else read_weights(table, options.weight)
    time = None if options.time is None else read_times(table, options.time)
    groups = None if group_column is None else read_groups(table, group_column)
    if table.X is not None:
        _check_matrix(table, options)
        findings = _not_ignored(check_matrix(table.X, y), options)
        return TrainingData(str(path), table.X, y, classes, None, weights, facts, findings)
    features = table.drop(options.target, options.weight, None if options.time in options.keep else options.time)
    encoder = TableEncoder(decimal=options.decimal, keep=options.keep, drop=options.drop)
    X = fit_quietly(encoder, features)
    _check_magnitude(X, encoder)
    findings = _not_ignored(check_encoded(features, encoder, X, y), options)
    return TrainingData(str(path), X, y, classes, encoder, weights, facts, findings, time, groups)


def _not_ignored(findings: list[Finding], options: ColumnOptions) -> tuple[Finding, ...]:
    """The findings that are shown; with times, the folds do not ignore them."""
    ignored = {*options.ignore, *(["AUC106"] if options.time else [])}
    return tuple(finding for finding in findings if finding.code not in ignored)


def _check_matrix(table: Table, options: ColumnOptions) -> None:
    """Refuse options on columns for a file without column names, and numbers that are not finite."""
    for name in (*options.keep, *options.drop):
        table.column(name)
    _check_finite(table.X)


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


def _check_magnitude(X: np.ndarray, encoder: TableEncoder) -> None:
    """Refuse numbers whose squares overflow, and say where they are."""
    too_large = np.flatnonzero(np.maximum(X.max(axis=0), -X.min(axis=0)) > _MAX_NUMBER)
    if too_large.size:
        j = int(too_large[0])
        row = int(np.abs(X[:, j]).argmax())
        name = next(group.name for group in feature_groups(encoder.columns_) if group.start <= j < group.stop)
        raise ValueError(
            f"column {name!r} has {X[row, j]:g} in row {row + 1}, too large to be squared; rescale or drop it"
        )


def load_training_data(name: str, options: ColumnOptions) -> TrainingData:
    """The rows of a named data set; `positive` chooses the positive class of several."""
    binarize: Any = options.positive
    if binarize is not None and binarize.lstrip("-").isdigit():
        binarize = int(binarize)
    data = datasets.load(name, binarize=binarize, random_state=0)
    y = (data.y > 0).astype(int)
    return TrainingData(name, data.X, y, (-1, 1), None, None, {}, _not_ignored(few_of_a_class(y), options))


def is_file(name: str | Path) -> bool:
    """Whether a name means a file: it exists, or has the extension of a table.

    Examples
    --------
    >>> is_file("data.csv.xz"), is_file("digits")
    (True, False)
    """
    return infer_format(name) is not None or (Path(name).exists() and not Path(name).is_dir())


def read_times(table: Table, name: str) -> np.ndarray:
    """A column of times: dates, or numbers that grow with time; none may be missing."""
    column = Table({name: table.column(name)})
    try:
        (encoder,) = TableEncoder(keep=[name]).fit(column).columns_
    except ValueError as error:
        raise ValueError(f"the times in column {name!r} cannot be used: {error}") from None
    if encoder.kind not in ("numeric", "time"):
        raise ValueError(f"column {name!r} holds {encoder.kind} values; --time needs dates or numbers")
    numbers = encoder.read(column.columns[name])
    missing = np.isnan(numbers)
    if missing.any():
        raise ValueError(
            f"the time in column {name!r} is missing in row {int(missing.argmax()) + 1}; remove such rows"
        )
    return numbers
