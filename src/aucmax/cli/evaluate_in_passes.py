"""The work of `aucmax evaluate --memory`: a saved model on files that need not fit in memory, in one pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucmax.cli.evaluate import Evaluation, LabelColumns, confusion_rates, find_target
from aucmax.cli.progress import ProgressCallback
from aucmax.cli.score import count_new_rows, matrix_layout, needed_columns
from aucmax.estimators.decision import predicted_labels
from aucmax.metrics import break_even
from aucmax.models import SavedModel
from aucmax.scale import LocalEngine, Source
from aucmax.scale.memory import chunk_rows, row_size
from aucmax.scale.partitions import FilePartition, Partition
from aucmax.scale.row_reader import located
from aucmax.scale.score_runs import ScoreRuns
from aucmax.scale.source import TemporaryFolder
from aucmax.tables import NewRows, Table
from aucmax.tables.read_table import CHUNK_ROWS
from aucmax.tables.target import encode_rows
from aucmax.tables.weights import read_weights


@dataclass(frozen=True, eq=False)
class _Tally:
    """What is known of the rows so far."""

    runs: ScoreRuns
    cells: np.ndarray  # weights of the four cells of the confusion matrix: tp, fp, fn, tn
    counts: np.ndarray  # of the rows, and of the positive ones

    def __add__(self, other: _Tally) -> _Tally:
        return _Tally(self.runs + other.runs, self.cells + other.cells, self.counts + other.counts)


def evaluate_in_passes(
    model: SavedModel,
    data: str,
    columns: LabelColumns,
    reading: dict[str, Any],
    memory: str | None,
    update: ProgressCallback,
) -> tuple[Evaluation, NewRows]:
    """AUC and confusion matrix on all rows, and what is new in them.

    AUC and its interval are exact; the break-even point is, up to a million rows a class.
    """
    source = Source.of(data, **reading)
    parts = [_with_layout(part, model) for part in source.partitions]
    rows = CHUNK_ROWS if memory is None else chunk_rows(memory, row_size(source, model.n_features), LocalEngine(1))
    encoded = model.metadata.encoder is not None
    target = find_target(model, next(parts[0].chunks(1)), columns.target) if encoded else None
    columns = columns._replace(target=target)
    features = needed_columns(model)
    needed = None if features is None else {name for name in (*features, *columns) if name is not None}
    folder = TemporaryFolder()
    seen = count_new_rows(model)
    total: _Tally | None = None
    for part in parts:
        start = 0
        for chunk in part.chunks(rows, needed):
            with located(part, start, len(chunk)):
                X = model.features(chunk)
                tally = _tally(model, X, chunk, columns, folder.path)
            seen.add(chunk, X)
            start += len(chunk)
            total = tally if total is None else total + tally
            update(seen.n_rows, None, "rows scored")
    if total is None:
        raise ValueError(f"{data} has no rows")
    return _evaluation(model, total), seen


def _with_layout(part: Partition, model: SavedModel) -> Partition:
    """The partition, with the columns and the first index of training if it is a libsvm file."""
    if isinstance(part, FilePartition) and part.format == "libsvm":
        return replace(part, **matrix_layout(model))
    return part


def _tally(model: SavedModel, X: Any, chunk: Table, columns: LabelColumns, folder: str) -> _Tally:
    metadata = model.metadata
    positive = encode_rows(chunk, columns.target, metadata.classes, metadata.training.get("rest") or ()) == 1
    weight = None if columns.weight is None else read_weights(chunk, columns.weight)
    scores = model.decision_function(X)
    predicted = predicted_labels(scores, np.arange(2), metadata.threshold) == 1
    cell = 2 * ~positive + ~predicted  # tp, fn, fp, tn
    tp, fn, fp, tn = np.bincount(cell, weight, minlength=4).astype(float)
    counted = slice(None) if weight is None else weight > 0
    y = np.where(positive, 1.0, -1.0)
    runs = ScoreRuns.of(scores[counted], y[counted], None if weight is None else weight[counted], folder)
    return _Tally(runs, np.array([tp, fp, fn, tn]), np.array([positive.size, positive.sum()]))


def _evaluation(model: SavedModel, total: _Tally) -> Evaluation:
    merged = total.runs.ended()
    auc, low, high, _ = merged.interval()
    scores, y, weight = merged.condensed()
    return Evaluation(
        rows=int(total.counts[0]),
        positives=int(total.counts[1]),
        auc=auc,
        low=None if np.isnan(low) else low,
        high=None if np.isnan(high) else high,
        threshold=model.metadata.threshold or 0.0,
        break_even=break_even(y, scores, sample_weight=weight),
        **confusion_rates(*total.cells.tolist()),
    )
