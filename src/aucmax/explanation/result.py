"""`Explanation`: the columns that matter to a model, the most important first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from aucmax.validation.messages import printable

KINDS = {
    "weight": "standard deviation of what the column adds to the score",
    "permutation": "AUC lost when the column is shuffled",
}


@dataclass(frozen=True)
class ColumnImportance:
    """How much a column matters.

    Parameters
    ----------
    name : str
        The column.
    importance : float
        In the units of the explanation: see `Explanation.kind`.
    std_error, low, high : float or None
        Its standard error and 95 % interval; None if they are unknown.
    direction : float or None
        For a column of one feature in a linear model, its weight in units of standard deviations, with its sign.
    """

    name: str
    importance: float
    std_error: float | None = None
    low: float | None = None
    high: float | None = None
    direction: float | None = None


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each column adds to the scores of some rows.

    Parameters
    ----------
    names : tuple of str
        The columns.
    values : array of shape (n, n_columns)
        `baseline + values.sum(axis=1)` equals the scores.
    baseline : float
        The mean score of the rows that were explained.
    """

    names: tuple[str, ...]
    values: np.ndarray
    baseline: float

    @property
    def scores(self) -> np.ndarray:
        """The scores of the rows."""
        return self.baseline + self.values.sum(axis=1)


@dataclass(frozen=True, eq=False)
class Explanation:
    """The columns that matter to a model.

    Parameters
    ----------
    columns : tuple of ColumnImportance
        The most important first.
    kind : {"weight", "permutation"}
        What importance means: the standard deviation of what a column adds to the score, in a linear model; else how
        much AUC is lost when the column is shuffled among the rows.
    groups : tuple of tuples of str
        Columns with correlations of 0.9 and more: the model may use any of them in place of the others, so that each
        of them may look unimportant.
    n_rows : int
        Number of rows that were used.
    contributions : callable
        The `Contributions` of the columns to the scores of rows, passed in the form that the model takes.
    note : str
        Why a linear model has no standard errors; empty if it has.
    """

    columns: tuple[ColumnImportance, ...]
    kind: str
    groups: tuple[tuple[str, ...], ...]
    n_rows: int
    contributions: Callable[[Any], Contributions] = field(repr=False)
    note: str = ""

    def __getitem__(self, name: str) -> ColumnImportance:
        return {column.name: column for column in self.columns}[name]

    def plot(self, ax: Any = None, *, max_columns: int = 20) -> Any:
        """Draw the most important columns with their intervals; returns an `ImportanceDisplay`.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        max_columns : int
            Number of columns that are shown.
        """
        from aucmax.plots.importance import ImportanceDisplay

        return ImportanceDisplay.from_explanation(self, max_columns=max_columns, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        return {
            "kind": self.kind,
            "importance": KINDS[self.kind],
            "rows": self.n_rows,
            "columns": [asdict(column) for column in self.columns],
            "correlated": [list(group) for group in self.groups],
            "note": self.note,
        }

    def __str__(self) -> str:
        names = [printable(column.name) for column in self.columns]
        width = max(6, *map(len, names))
        lines = [f"{'column':{width}}  importance  95 % interval"]
        for name, column in zip(names, self.columns, strict=True):
            interval = "" if column.low is None else f"{column.low:.4f} - {column.high:.4f}"
            lines.append(f"{name:{width}}  {column.importance:10.4f}  {interval}".rstrip())
        notes = [self.note] if self.note else []
        groups = [f"correlated: {', '.join(map(printable, group))}" for group in self.groups]
        return "\n".join([*lines, *notes, *groups])
