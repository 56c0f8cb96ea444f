"""AUC109: rows to be scored that differ from those of training.

Outside the range of the training rows a model extrapolates. Of n training rows and one new row of the same
distribution, the new one is the smallest or largest with probability 2 / (n + 1): a share of rows outside the range
is reported above 5 %, and above 10 / (n + 1) if n is so small that this is more. Unknown categories always are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np

from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.findings.features import FeatureGroup
from aucmax.tables.findings.finding import Finding, quoted
from aucmax.tables.fitted_encoder import FittedEncoder, feature_groups
from aucmax.tables.table import Table

SHARE = 0.05
_SHARE_OF_SMALL_TABLES = 10.0  # divided by the number of training rows plus one


class NewRows:
    """Counts, chunk by chunk, of the cells that training did not know.

    Parameters
    ----------
    encoder : FittedEncoder or None
        The encoder of the model; one that was saved without the ranges of training knows categories only. None for a
        model of a matrix, of which rows are only counted.
    n_training : int, optional
        The number of training rows.

    Examples
    --------
    >>> from aucmax import TableEncoder
    >>> encoder = TableEncoder().fit(Table({"age": [31.5, 42.0, 50.0], "town": ["Rome", "Oslo", "Rome"]}))
    >>> new = Table({"age": [31.5, 70.0], "town": ["Rome", "Paris"]})
    >>> rows = NewRows(encoder)
    >>> rows.add(new, encoder.transform(new))
    >>> rows.shares()
    {'age': 0.5, 'town': 0.5}
    >>> print(rows.findings()[0].message)
    column 'age': 50 % of the rows are outside the range of training, 31.5 to 50
    """

    def __init__(self, encoder: FittedEncoder | None, n_training: int | None = None) -> None:
        columns = () if encoder is None else encoder.columns_
        self.columns = {column.name: column for column in columns}
        self.groups = feature_groups(columns)
        self.limit = max(SHARE, 0.0 if n_training is None else _SHARE_OF_SMALL_TABLES / (n_training + 1))
        self.n_rows = 0
        self.counts: Counter[str] = Counter()
        self._low, self._high = self._bounds(sum(len(column.feature_names) for column in columns))

    def _bounds(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The range of every feature, infinite for those that have none."""
        low = np.full(n_features, -np.inf)
        high = np.full(n_features, np.inf)
        for group in self.groups:
            column = self.columns[group.name]
            if column.low is not None and column.high is not None:
                low[group.start] = column.low
                high[group.start] = column.high
        return low, high

    def add(self, table: Table, X: Any) -> None:
        """Count the rows of a table and of its encoding.

        Parameters
        ----------
        table : Table
            The new rows.
        X : array of shape (n, d)
            Their features, as the encoder made them.
        """
        self.n_rows += len(table)
        if not self.groups or len(X) == 0:
            return
        may_be_outside = (X.min(axis=0) < self._low) | (X.max(axis=0) > self._high)
        for group in self.groups:
            column = self.columns[group.name]
            if not group.is_categorical and may_be_outside[group.start]:
                numbers = X[:, group.start]
                outside = (numbers < self._low[group.start]) | (numbers > self._high[group.start])
                self.counts[group.name] += int(outside.sum())
            elif group.is_categorical and _may_have_unknown(group, X):
                self.counts[group.name] += column.count_unknown_categories(table.columns[group.name])

    def shares(self) -> dict[str, float]:
        """By column, the share of rows that training did not know, where there are any."""
        return {name: count / self.n_rows for name, count in self.counts.items() if count}

    def findings(self, ignore: Collection[str] = ()) -> list[Finding]:
        """The columns with unknown categories, or with many rows outside the range of training.

        Parameters
        ----------
        ignore : collection of str
            Codes of findings to leave out.
        """
        found: list[Finding] = []
        if "AUC109" in ignore:
            return found
        for name, share in self.shares().items():
            column = self.columns[name]
            if column.kind == "categorical":
                found.append(_category_finding(name, self.counts[name], self.n_rows))
            elif share > self.limit:
                found.append(_range_finding(column, share))
        return found

    def to_dict(self, ignore: Collection[str] = ()) -> dict[str, Any]:
        """The number of rows, the shares by column and the findings as JSON values.

        Parameters
        ----------
        ignore : collection of str
            Codes of findings to leave out.
        """
        findings = [finding.to_dict() for finding in self.findings(ignore)]
        return {"rows": self.n_rows, "outside_training": self.shares(), "findings": findings}


def _may_have_unknown(group: FeatureGroup, X: np.ndarray) -> bool:
    """Whether a row is of no known category, and not marked as missing."""
    known = X[:, group.span].sum(axis=1)
    return bool((known if group.indicator is None else known + X[:, group.indicator]).min(initial=1.0) == 0.0)


def _category_finding(name: str, count: int, n_rows: int) -> Finding:
    message = f"column {quoted(name)}: {count:,} of {n_rows:,} rows hold a category that did not occur in training"
    return Finding("AUC109", message, "spell them as there, or refit the model", (name,))


def _range_finding(column: ColumnEncoder, share: float) -> Finding:
    low, high = (_bound(column, value) for value in (column.low or 0.0, column.high or 0.0))
    message = f"{100 * share:.3g} % of the rows are outside the range of training, {low} to {high}"
    advice = "the model extrapolates there: check the units, or refit, with the column dropped if it always grows"
    return Finding("AUC109", f"column {quoted(column.name)}: {message}", advice, (column.name,))


def _bound(column: ColumnEncoder, value: float) -> str:
    return str(np.datetime64(int(value), "s")) if column.kind == "time" else f"{value:.6g}"
