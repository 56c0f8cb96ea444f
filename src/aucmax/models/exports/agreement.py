"""`check_export`: does an exported model give the same scores? DuckDB runs the SQL, ONNX Runtime the graph."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aucmax.models.exports.export_error import ExportError
from aucmax.models.exports.model_parts import ModelParts
from aucmax.models.exports.sql import quote
from aucmax.models.savedmodel import SavedModel
from aucmax.numerics.matrix import dense
from aucmax.tables.cells import as_column, as_strings, present_strings
from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.table import Table

_ROW = "row number of aucmax"  # the name of a further column: rows come from a database in any order


class Agreement(NamedTuple):
    """The scores of a model and those of its export."""

    rows: int  # number of rows compared
    difference: float  # largest absolute difference of the scores; infinite if the export gives none
    largest_score: float  # largest absolute score


def check_export(model: SavedModel, path: str | Path, to: str, tables: Iterable[Table], table: str) -> Agreement:
    """Compare the scores of a model with those of the file that it was exported to.

    Parameters
    ----------
    model : SavedModel
    path : str or Path
        The exported file.
    to : {"onnx", "sql"}
        Its format.
    tables : iterable of Table
        The rows to score.
    table : str
        The table that the SELECT reads.
    """
    parts = ModelParts.of(model)
    system = _SYSTEMS[to](Path(path), parts, table)
    rows = 0
    difference = largest = 0.0
    for chunk in tables:
        expected = model.decision_function(chunk)
        found = system.scores(chunk)
        if found.shape != expected.shape:
            raise ExportError(f"{path} gave {found.size} scores for {expected.size} rows")
        rows += expected.size
        apart = np.abs(found - expected)
        difference = max(difference, float(np.where(np.isnan(apart), np.inf, apart).max(initial=0.0)))
        largest = max(largest, float(np.abs(expected).max(initial=0.0)))
    return Agreement(rows, difference, largest)


class _DuckDB:
    """A database in memory."""

    def __init__(self, path: Path, model: ModelParts, table: str) -> None:
        self.duckdb = _import_package("sql")
        self.query = path.read_bytes().decode().rstrip().removesuffix(";")
        self.model = model
        self.table = table

    def scores(self, rows: Table) -> np.ndarray:
        columns = {_ROW: pa.array(np.arange(len(rows)))}
        if self.model.columns is None:
            columns |= _matrix_columns(rows, self.model)
        else:
            columns |= {column.name: _database_column(column, rows) for column in self.model.columns}
        with self.duckdb.connect() as connection:
            connection.register("aucmax_rows", pa.table(columns))
            connection.execute(f"CREATE VIEW {quote(self.table)} AS SELECT * FROM aucmax_rows")
            score = quote(self.model.output_name("score"))
            ordered = f"SELECT {score} FROM (\n{self.query}\n) AS scored ORDER BY {quote(_ROW)}"
            found = [score for (score,) in connection.execute(ordered).fetchall()]
        return np.array(found, dtype=float)


class _ONNXRuntime:
    """ONNX Runtime on the CPU."""

    def __init__(self, path: Path, model: ModelParts, table: str) -> None:
        runtime = _import_package("onnx")
        self.session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        self.model = model

    def scores(self, rows: Table) -> np.ndarray:
        if self.model.columns is None:
            inputs = {"X": np.asarray(dense(rows.matrix(len(self.model.inputs))), dtype=float)}
        else:
            inputs = {column.name: _tensor(column, rows) for column in self.model.columns}
        return self.session.run([self.model.output_name("score")], inputs)[0][:, 0]


_SYSTEMS: dict[str, Any] = {"onnx": _ONNXRuntime, "sql": _DuckDB}
_PACKAGES = {"onnx": ("onnxruntime", "ONNX Runtime"), "sql": ("duckdb", "DuckDB")}


def check_installed(to: str) -> None:
    """Refuse, before any work is done, a check whose system is not installed."""
    _import_package(to)


def _import_package(to: str) -> Any:
    """The package that runs the exports of a format."""
    package, name = _PACKAGES[to]
    try:
        return __import__(package)
    except ImportError:
        need = f"checking {to.upper()} needs {name}"
        raise ImportError(f"{need}; from a clone of aucmax: pip install '.[{to}]'") from None


def _matrix_columns(rows: Table, model: ModelParts) -> dict[str, Any]:
    """The columns of a matrix by name."""
    X = np.asarray(dense(rows.matrix(len(model.inputs))), dtype=float)
    return {name: as_column(X[:, j]) for j, name in enumerate(model.inputs)}


def _database_column(column: ColumnEncoder, rows: Table) -> Any:
    """A column of the type that the SELECT takes."""
    values = rows.columns[column.name]
    if column.kind == "categorical":
        return present_strings(as_strings(values))
    numbers = column.read(values)
    if column.kind == "time":
        numbers = np.where(np.isnan(numbers), 0.0, numbers * 1e6).round().astype(np.int64)
        return pa.array(numbers, pa.timestamp("us"), mask=np.isnan(column.read(values)))
    missing = np.isnan(numbers)
    return pa.array(numbers != 0 if column.kind == "boolean" else numbers, mask=missing)


def _tensor(column: ColumnEncoder, rows: Table) -> np.ndarray:
    """A column as the graph takes it: strings, or doubles."""
    values = rows.columns[column.name]
    if column.kind == "categorical":
        strings = present_strings(as_strings(values)).fill_null("").to_pylist()
        return np.array(strings, dtype=object)[:, None]
    return column.read(values)[:, None]
