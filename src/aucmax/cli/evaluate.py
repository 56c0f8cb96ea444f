"""The work of `aucmax evaluate`: a saved model on rows with known labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aucmax.cli.groups import read_groups
from aucmax.cli.score import count_new_rows, needed_columns
from aucmax.comparison import Comparison
from aucmax.comparison.checks import with_groups_checked
from aucmax.comparison.evaluated import evaluated_model
from aucmax.estimators.decision import predicted_labels
from aucmax.metrics import break_even
from aucmax.metrics.delong import weighted_auc_interval
from aucmax.models import SavedModel
from aucmax.numerics.matrix import stacked
from aucmax.scale.first_pass import located_chunks, with_matrix_layout
from aucmax.scale.memory import chunk_rows, row_width
from aucmax.scale.partitions import Partition
from aucmax.scale.progress import PassLog, Progress
from aucmax.scale.source import Source, is_glob
from aucmax.tables import NewRows, Table, encode_target
from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.likely_target import likely_target
from aucmax.tables.read_table import infer_format
from aucmax.tables.table import concatenate
from aucmax.tables.target import encode_labels, one_class_error
from aucmax.tables.weights import read_weights

_CHUNK_ROWS = 1 << 15


@dataclass(frozen=True)
class Evaluation:
    """AUC and confusion matrix of a model; counts are sums of weights if there are weights.

    Parameters
    ----------
    rows, positives : int
        Number of rows, and of positive rows.
    auc : float
        Area under the ROC curve.
    low, high : float or None
        The 95 % confidence interval of the AUC; None if a class has a single row.
    threshold : float
        The positive class is predicted at scores of at least this; above 0 if the model has none.
    tp, fp, fn, tn : float
        The confusion matrix.
    tpr, fpr, precision, f1 : float
        Rates at the threshold; 0 for 0/0.
    break_even : float
        Recall (and precision) when as many rows are predicted positive as are.
    """

    rows: int
    positives: int
    auc: float
    low: float | None
    high: float | None
    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float
    tpr: float
    fpr: float
    precision: float
    f1: float
    break_even: float

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as JSON values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows with known labels, scored by a model.

    Parameters
    ----------
    model : SavedModel
    X : array, CSR or None
        The features, if they are kept.
    is_pos : array of bool
        Which rows are positive.
    scores : array
        Of the rows, by the model.
    new : NewRows
        Whether they resemble the rows of training.
    weight : array or None
        The weights of the rows.
    groups : array of str or None
        The group of each row.
    """

    model: SavedModel
    X: Any
    is_pos: np.ndarray
    scores: np.ndarray
    new: NewRows
    weight: np.ndarray | None
    groups: np.ndarray | None


class LabelColumns(NamedTuple):
    """The columns that hold the labels, weights and groups of the rows of a file."""

    target: str | None = None  # labels; those of training if not named
    weight: str | None = None
    group: str | None = None


class _ScoredChunk(NamedTuple):
    """Some of the rows."""

    table: Table
    X: Any
    is_pos: np.ndarray
    scores: np.ndarray
    weight: np.ndarray | None


def labeled_source(data: Path, reading: dict[str, Any], memory: str | None) -> Source:
    """The files as a source; a single one may have any format, or be a pipe, unless the memory is limited."""
    if memory is not None or is_glob(data):
        return Source.of(str(data), **reading)
    file = Partition.of_file(str(data), **reading | {"format": reading["format"] or infer_format(data)})
    return Source((file,), str(data))


def score_labeled_rows(
    model: SavedModel,
    source: Source,
    columns: LabelColumns,
    *,
    memory: str | None = None,
    progress: Progress | None = None,
    keep_features: bool = False,
) -> ScoredRows:
    """Score rows with labels chunk by chunk, and see whether they resemble those of training."""
    source = with_matrix_layout(source, model.n_features, model.zero_based)
    rows = _CHUNK_ROWS if memory is None else chunk_rows(memory, row_width(source), n_threads=1)
    needed = _needed_columns(model, columns, source)
    new = count_new_rows(model)
    scored: list[_ScoredChunk] = []
    groups: list[Table] = []
    with PassLog(progress).watch("scores") as report:
        for part in source.partitions:
            for chunk in located_chunks(part, rows, partial(_score_chunk, model, columns), needed):
                new.add(chunk.table, chunk.X)
                if columns.group is not None:
                    groups.append(Table({columns.group: chunk.table.column(columns.group)}))
                report(len(chunk.table))
                scored.append(chunk if keep_features else chunk._replace(table=None, X=None))
    if not scored:
        raise ValueError(f"{source.name} has no rows")
    return ScoredRows(
        model,
        stacked(*[chunk.X for chunk in scored]) if keep_features else None,
        np.concatenate([chunk.is_pos for chunk in scored]),
        np.concatenate([chunk.scores for chunk in scored]),
        new,
        None if columns.weight is None else np.concatenate([chunk.weight for chunk in scored]),
        None if columns.group is None else read_groups(concatenate(groups), columns.group),
    )


def _score_chunk(model: SavedModel, columns: LabelColumns, chunk: Table) -> _ScoredChunk:
    metadata = model.metadata
    target = find_target(model, chunk, columns.target)
    is_pos = encode_labels(chunk, target, metadata.classes, metadata.training.get("rest") or ()) == 1
    weight = None if columns.weight is None else read_weights(chunk, columns.weight)
    X = model.features(chunk)
    return _ScoredChunk(chunk, X, is_pos, model.decision_function(X), weight)


def _needed_columns(model: SavedModel, columns: LabelColumns, source: Source) -> set[str] | None:
    """The columns that are read; None for all, of a matrix and of a pipe.

    The first row is scored with all columns, so that an error about one of them names all that there are.
    """
    features = needed_columns(model)
    first = source.partitions[0]
    if features is None or is_pipe_or_device(first.name):
        return None
    for row in located_chunks(first, 1, partial(_score_chunk, model, columns)):
        target = find_target(model, row.table, columns.target)
        return {name for name in (*features, *columns._replace(target=target)) if name is not None}
    return None


def evaluate_rows(rows: ScoredRows) -> Evaluation:
    """AUC and confusion matrix on scored rows."""
    metadata = rows.model.metadata
    n_pos = int(rows.is_pos.sum())
    if n_pos in (0, rows.is_pos.size):
        raise one_class_error([metadata.classes[int(n_pos > 0)]], "the target")
    predicted = predicted_labels(rows.scores, np.array([False, True]), metadata.threshold)
    auc, low, high, _ = weighted_auc_interval(rows.is_pos, rows.scores, rows.weight)
    return Evaluation(
        rows=rows.is_pos.size,
        positives=n_pos,
        auc=auc,
        low=None if np.isnan(low) else low,
        high=None if np.isnan(high) else high,
        threshold=metadata.threshold or 0.0,
        break_even=break_even(rows.is_pos, rows.scores, sample_weight=rows.weight),
        **_confusion(rows.is_pos, predicted, np.ones(predicted.size) if rows.weight is None else rows.weight),
    )


def evaluated_comparison(rows: ScoredRows, ignore: Collection[str] = ()) -> Comparison:
    """The model as a comparison of one, with a finding for every group that it ranks worse than the others."""
    metadata = rows.model.metadata
    comparison = evaluated_model(
        f"{rows.model.kind} model",
        rows.is_pos,
        rows.scores,
        probabilities=None if metadata.calibration is None else rows.model.predict_proba(rows.X)[:, 1],
        sample_weight=rows.weight,
    )
    if rows.groups is None or "AUC209" in ignore:
        return comparison
    return with_groups_checked(comparison, rows.groups)


def read_labels(model: SavedModel, table: Table, target: str | None) -> np.ndarray:
    """The labels as 0 and 1."""
    metadata = model.metadata
    rest = metadata.training.get("rest") or ()
    return encode_target(table, find_target(model, table, target), classes=metadata.classes, rest=rest)[0]


def find_target(model: SavedModel, table: Table, target: str | None) -> str | None:
    """The column of labels, that of training if not given; if it is not there, the likely one is named."""
    metadata = model.metadata
    rest = metadata.training.get("rest") or ()
    of_training = metadata.training.get("target")
    if table.X is None and target is None and of_training not in table.names:
        features = [] if metadata.encoder is None else [column.name for column in metadata.encoder.columns_]
        likely = likely_target(table, [*metadata.classes, *rest], not_among=features)
        trained = "" if of_training is None else f"; that of training, {of_training!r}, is not there"
        hint = f"the columns are {list(table.names[:20])}" if likely is None else f"likely it is {likely!r}"
        raise ValueError(f"name the column of labels with --target{trained}; {hint}")
    return of_training if target is None else target


def _confusion(actual: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """The confusion matrix and its rates."""
    masks = (actual & predicted, ~actual & predicted, actual & ~predicted, ~actual & ~predicted)
    tp, fp, fn, tn = (float(weight[rows].sum()) for rows in masks)
    rates = {
        "tpr": tp / (tp + fn),
        "fpr": fp / (fp + tn),
        "precision": tp / (tp + fp) if tp + fp > 0 else 0.0,
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn, **rates}
