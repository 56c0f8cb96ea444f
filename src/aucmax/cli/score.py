"""The work of `aucmax score`: apply a saved model to new rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.cli.progress import ProgressCallback
from aucmax.cli.terminal import printable
from aucmax.estimators.decision import predicted_labels
from aucmax.models.savedmodel import SavedModel
from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.cells import PLAIN_NUMBER, as_column, is_string
from aucmax.tables.findings.new_rows import NewRows
from aucmax.tables.pyarrow_import import pa, pc
from aucmax.tables.read_table import read_chunks
from aucmax.tables.table import Table
from aucmax.tables.table_writer import Write

_FORMULA_START = r"^[=+\-@\t\r]"  # with which a spreadsheet begins a formula

_CHUNK_ROWS = 1 << 15


@dataclass(frozen=True)
class ScoreWriter:
    """Writes scores.

    Parameters
    ----------
    write : callable
        Appends an Arrow table to the output.
    id_column : str or None
        The column in front of the scores.
    excel_safe : bool
        Whether text that a spreadsheet would run as a formula gets an apostrophe in front; numbers do not need it.
    terminal : bool
        Whether the output is a terminal, for which control characters are escaped.
    """

    write: Write
    id_column: str | None = None
    excel_safe: bool = False
    terminal: bool = False

    def write_columns(self, columns: dict[str, Any]) -> None:
        """Write some rows."""
        self.write(pa.table({self._safe_name(name): self._safe_cells(cells) for name, cells in columns.items()}))

    def _safe_name(self, name: str) -> str:
        return self._safe_cells(as_column([name]))[0].as_py()

    def _safe_cells(self, cells: Any) -> Any:
        """The cells of a column as they may be written there."""
        if not is_string(cells):
            return cells
        cells = without_formulas(cells) if self.excel_safe else cells
        return pa.array([printable(cell) for cell in cells.to_pylist()]) if self.terminal else cells


def write_scores(
    model: SavedModel, path: Path, out: ScoreWriter, update: ProgressCallback, reading: dict[str, Any]
) -> NewRows:
    """Score a file chunk by chunk; returns what is new in its rows. `reading` are options of `read`."""
    seen = count_new_rows(model)
    for chunk in read_chunks(
        path,
        rows=_CHUNK_ROWS,
        **reading,
        **matrix_layout(model),
        columns=needed_columns(model, out.id_column),
        numbers=number_columns(model) - {out.id_column},  # which is copied as it is written
    ):
        try:
            if not seen.n_rows:
                _check_columns(model, chunk, path, reading)
            X = model.features(chunk)
            columns = _score_columns(model, X, chunk, out.id_column)
        except ValueError as error:
            raise ValueError(f"after row {seen.n_rows}: {error}" if seen.n_rows else str(error)) from None
        seen.add(chunk, X)
        out.write_columns(columns)  # a file that cannot be scored leaves nothing behind, not even a header
        update(seen.n_rows, None, "rows scored")
    return seen


def _check_columns(model: SavedModel, first: Table, path: Path, reading: dict[str, Any]) -> None:
    """Refuse a file that lacks a column of the model, and name all that it has: `first` has only needed ones."""
    needed = needed_columns(model) or set()
    if not needed <= set(first.names) and not is_pipe_or_device(path):
        model.features(next(read_chunks(path, rows=1, **reading)))


def needed_columns(model: SavedModel, id_column: str | None = None) -> set[str] | None:
    """The columns that the scores depend on, and the one in front of them; None for a matrix."""
    encoder = model.metadata.encoder
    if encoder is None:
        return None
    return {column.name for column in encoder.columns_} | ({id_column} if id_column is not None else set())


def number_columns(model: SavedModel) -> set[str]:
    """The columns that held plain numbers in training."""
    columns = () if model.metadata.encoder is None else model.metadata.encoder.columns_
    return {column.name for column in columns if column.kind == "numeric" and column.format is None}


def matrix_layout(model: SavedModel) -> dict[str, Any]:
    """Number of columns and first index of a libsvm file, as in training; not needed for named columns."""
    if model.metadata.encoder is not None:
        return {}
    return {"n_features": model.n_features, "zero_based": model.zero_based}


def count_new_rows(model: SavedModel) -> NewRows:
    """A count of rows that differ from those that the model was fitted to."""
    n_training = model.metadata.training.get("rows")
    return NewRows(model.metadata.encoder, n_training if isinstance(n_training, int) else None)


def _score_columns(model: SavedModel, X: Any, chunk: Table, id_column: str | None) -> dict[str, Any]:
    """The columns that are written for some rows."""
    metadata = model.metadata
    scores = model.decision_function(X)
    columns = {} if id_column is None else {_distinct_name(id_column): chunk.column(id_column)}
    columns["score"] = as_column(scores)
    if metadata.calibration is not None:
        columns["probability"] = as_column(metadata.calibration.probabilities(scores)[:, 1])
    labels = predicted_labels(scores, np.arange(2), metadata.threshold)
    columns["prediction"] = as_column(pa.array(metadata.classes).take(pa.array(labels)))
    return columns


def _distinct_name(name: str) -> str:
    """The name of the copied column, changed if it is also the name of a column of scores."""
    return f"{name} (input)" if name in ("score", "probability", "prediction") else name


def without_formulas(cells: Any) -> Any:
    """Strings, with an apostrophe in front of those that begin like a formula and are not numbers.

    Examples
    --------
    >>> without_formulas(as_column(["=1+1", "-2", "plain"])).to_pylist()
    ["'=1+1", '-2', 'plain']
    """
    number = pc.match_substring_regex(pc.utf8_trim_whitespace(cells), PLAIN_NUMBER)
    formula = pc.and_not(pc.match_substring_regex(cells, _FORMULA_START), number)
    return pc.if_else(formula, pc.binary_join_element_wise("'", cells, ""), cells)
