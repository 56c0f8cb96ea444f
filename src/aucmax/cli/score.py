"""The work of `aucmax score`: apply a saved model to new rows."""

from __future__ import annotations

import csv
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from aucmax.cli.progress import ProgressCallback
from aucmax.cli.terminal import printable
from aucmax.models import SavedModel
from aucmax.tables import Table, read_chunks
from aucmax.tables.cells import as_strings, parse_number

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # with which a spreadsheet begins a formula


@dataclass(frozen=True)
class ScoreWriter:
    """Writes scores as CSV.

    Parameters
    ----------
    out : text stream
        Where to; on a terminal, control characters are escaped.
    id_column : str or None
        The column in front of the scores.
    excel_safe : bool
        Whether text that a spreadsheet would run as a formula gets an apostrophe in front; numbers do not need it.
    """

    out: IO[str]
    id_column: str | None = None
    excel_safe: bool = False

    def write(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write some rows."""
        if self.excel_safe:
            rows = ([_without_formula(cell) for cell in row] for row in rows)
        if self.out.isatty():
            rows = ([printable(cell) for cell in row] for row in rows)
        csv.writer(self.out, lineterminator="\n").writerows(rows)


def write_scores(
    model: SavedModel, path: Path, out: ScoreWriter, update: ProgressCallback, reading: dict[str, Any]
) -> int:
    """Score a file chunk by chunk and write CSV; returns the number of rows. `reading` are options of `read`."""
    unknown: Counter[str] = Counter()
    n_scored = 0
    for chunk in read_chunks(path, **reading, **matrix_layout(model)):
        try:
            rows = _score_rows(model, chunk, out.id_column)
        except ValueError as error:
            raise ValueError(f"after row {n_scored}: {error}" if n_scored else str(error)) from None
        unknown.update(count_unknown_categories(model, chunk))
        if n_scored == 0:  # a file that cannot be scored leaves nothing behind, not even a header
            out.write([_header(model, out.id_column)])
        out.write(rows)
        n_scored += len(chunk)
        update(n_scored, None, "rows scored")
    warn_unknown_categories(unknown)
    return n_scored


def matrix_layout(model: SavedModel) -> dict[str, Any]:
    """Number of columns and first index of a libsvm file, as in training; not needed for named columns."""
    if model.metadata.encoder is not None:
        return {}
    zero_based = model.metadata.training.get("zero_based")
    return {"n_features": model.n_features, "zero_based": "auto" if zero_based is None else zero_based}


def count_unknown_categories(model: SavedModel, table: Table) -> dict[str, int]:
    """By column, how many cells hold a category that did not occur in training."""
    encoder = model.metadata.encoder
    return {} if encoder is None else encoder.count_unknown_categories(table)


def warn_unknown_categories(counts: dict[str, int]) -> None:
    """Warn of categories that did not occur in training."""
    for name, count in counts.items():
        warnings.warn(
            f"{count} cells of column {name!r} hold a category that did not occur in training; spell them as there, "
            "or refit the model",
            stacklevel=2,
        )


def _header(model: SavedModel, id_column: str | None) -> list[str]:
    names = ["score", *(["probability"] if model.metadata.calibration else []), "prediction"]
    return names if id_column is None else [id_column, *names]


def _score_rows(model: SavedModel, chunk: Table, id_column: str | None) -> Iterator[tuple]:
    X = model.features(chunk)
    columns = [model.decision_function(X).tolist()]
    if model.metadata.calibration is not None:
        columns.append(model.predict_proba(X)[:, 1].tolist())
    columns.append(model.predict(X).tolist())
    if id_column is not None:
        columns.insert(0, as_strings(chunk.column(id_column)).to_pylist())
    return zip(*columns)


def _without_formula(cell: Any) -> Any:
    """The cell, with an apostrophe in front if it is text that begins like a formula."""
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and parse_number(cell) is None
    return "'" + cell if is_formula else cell
