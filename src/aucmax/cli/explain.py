"""The work of `aucmax explain`: the columns that matter to a saved model, on the rows of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.cli.evaluate import read_labels
from aucmax.cli.score import matrix_layout
from aucmax.explanation import Contributions, Explanation
from aucmax.models import SavedModel
from aucmax.tables import Table, read
from aucmax.tables.weights import read_weights


@dataclass(frozen=True, eq=False)
class FileExplanation:
    """The importance of the columns, and what they add to the scores of the first rows."""

    explanation: Explanation
    rows: Contributions

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        contributions = [
            {"score": score, "contributions": dict(zip(self.rows.names, values))}
            for score, values in zip(self.rows.scores.tolist(), self.rows.values.tolist())
        ]
        return self.explanation.to_dict() | {"baseline": self.rows.baseline, "first_rows": contributions}


def explain_file(
    model: SavedModel, path: Path, target: str | None, weight_column: str | None, n_rows: int, reading: dict[str, Any]
) -> FileExplanation:
    """Explain a model on a file; labels are used if the file has them. `reading` are the options of `read`."""
    table = read(path, **reading, **matrix_layout(model))
    X = model.features(table)
    labels = None
    if _has_labels(model, table, target):
        labels = model.classes_[read_labels(model, table, target).astype(int)]
    weight = None if weight_column is None else read_weights(table, weight_column)
    explanation = model.explain(X, labels, sample_weight=weight)
    return FileExplanation(explanation, explanation.contributions(X[: min(n_rows, X.shape[0])]))


def _has_labels(model: SavedModel, table: Table, target: str | None) -> bool:
    """Whether the labels are named, are in the column of training, or are needed, so that an error asks for them."""
    if target is not None or table.X is not None:
        return table.X is None or (table.y is not None and bool(np.isin(table.y, model.classes_).all()))
    return model.metadata.training.get("target") in table.names or not model.is_linear
