"""What matters to a saved model on the rows of a file, for the page of its evaluation."""

from __future__ import annotations

from typing import Any

from aucmax.cli.evaluate import ScoredRows
from aucmax.comparison import Comparison
from aucmax.comparison.report import Importance
from aucmax.comparison.report.importance import SHOWN, explained_row, telling_rows
from aucmax.explanation import ColumnImportance
from aucmax.explanation.result import KINDS


def importance_facts(comparison: Comparison, rows: ScoredRows) -> dict[str, Any]:
    """The arguments of `ReportFacts` on what matters; none if the table is too large to explain the model on it."""
    model = rows.model
    labels = model.classes_[rows.is_pos.astype(int)]
    try:
        explanation = model.explain(rows.X, labels, sample_weight=rows.weight)
    except ValueError:
        return {}
    telling = telling_rows(comparison, comparison.best)
    added = explanation.contributions(rows.X[[index for _, index in telling]])
    return {
        "importances": tuple(map(_importance, explanation.columns[:SHOWN])),
        "importance_of": f"Importance of the columns: {KINDS[explanation.kind]}, with 95 % intervals where known.",
        "explained": tuple(
            explained_row(index, what, added.names, values)
            for (what, index), values in zip(telling, added.values, strict=True)
        ),
    }


def _importance(column: ColumnImportance) -> Importance:
    """The importance, negative if larger values of the column lower the score."""
    value = column.importance
    low = value if column.low is None else column.low
    high = value if column.high is None else column.high
    if column.direction is None:
        return Importance(column.name, value, low, high, signed=False)
    return (
        Importance(column.name, value, low, high)
        if column.direction >= 0
        else Importance(column.name, -value, -high, -low)
    )
