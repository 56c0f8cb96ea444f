"""Cell: one printed number of a paper, read from its `expected.csv`."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cell:
    """A mean and a standard deviation of test AUC, as printed."""

    paper: str  # number of the paper, as "000"
    table: str  # as "3.2"
    data: str  # name of the data set in the table
    method: str  # name of the column
    mean: float  # printed mean
    deviation: float  # printed standard deviation
    runs: int  # over which they were taken
    copied_from: str  # the paper that the number was copied from, if any
    note: str  # misprints

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells a cell from the others."""
        return self.paper, self.table, self.data, self.method


def read_cells(path: str | Path, table: str | None = None) -> list[Cell]:
    """The cells of a file, or of one table in it."""
    with open(path, newline="", encoding="utf-8") as file:
        cells = [_cell(row) for row in csv.DictReader(file)]
    tables = sorted({cell.table for cell in cells})
    if table is not None and table not in tables:
        raise ValueError(f"{path} has no table {table!r}; choose one of {tables}")
    return [cell for cell in cells if table in (None, cell.table)]


def _cell(row: dict[str, str]) -> Cell:
    numbers = {"mean": float(row["mean"]), "deviation": float(row["deviation"]), "runs": int(row["runs"])}
    return Cell(**row | numbers)  # type: ignore[arg-type]
