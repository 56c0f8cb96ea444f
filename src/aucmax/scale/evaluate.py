"""`evaluate`: the exact AUC of a model on a source, with DeLong's interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from aucmax.estimators.base import Ranker, without_feature_names
from aucmax.metrics.delong import Interval, weighted_auc_interval
from aucmax.models.savedmodel import SavedModel
from aucmax.scale.columns import NumericColumns
from aucmax.scale.engines import Engine, LocalEngine
from aucmax.scale.first_pass import located_chunks, with_matrix_layout
from aucmax.scale.memory import chunk_rows, row_width
from aucmax.scale.partitions import Partition
from aucmax.scale.progress import PassLog, Progress
from aucmax.scale.source import Source
from aucmax.tables.cells import Scalar
from aucmax.tables.table import Table
from aucmax.tables.target import encode_labels
from aucmax.tables.weights import read_weights


@dataclass(frozen=True, eq=False)
class _ScorePartition:
    """Scores, positive rows and weights of each chunk of a partition."""

    model: Any
    target: str | None
    weight: str | None
    rest: Sequence[Scalar]
    rows: int  # of a chunk

    def __call__(self, partition: Partition) -> list[Any]:
        return list(located_chunks(partition, self.rows, self._score))

    def _score(self, chunk: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        is_pos = encode_labels(chunk, self.target, self.model.classes_.tolist(), self.rest) == 1
        weight = None if self.weight is None else read_weights(chunk, self.weight)
        model = without_feature_names(self.model) if isinstance(self.model, Ranker) else self.model
        return model.decision_function(self._features(chunk)), is_pos, weight

    def _features(self, chunk: Table) -> Any:
        """What the model scores: the table if it encodes columns, else a matrix."""
        if chunk.X is not None:
            return chunk.matrix(_width(self.model))
        if isinstance(self.model, Pipeline | SavedModel):
            return chunk
        return NumericColumns(tuple(self.model.feature_names_in_)).transform(chunk)


def evaluate(
    source: Any,
    model: Any,
    *,
    target: str | None = None,
    weight: str | None = None,
    rest: Sequence[Scalar] = (),
    confidence: float = 0.95,
    engine: Engine | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
) -> Interval:
    """The AUC of a model on rows that need not fit in memory: exact, in one pass.

    Parameters
    ----------
    source, target, weight, engine, memory, progress
        As for `fit`.
    model : Pipeline, SavedModel or estimator
        What `fit` or `aucmax.load` gave.
    rest : sequence
        Further labels of the negative class.
    confidence : float
        Nominal coverage of the interval.

    Returns
    -------
    Interval
        (auc, low, high, std_error), as `aucmax.metrics.auc_interval` gives for all rows at once.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from aucmax.models import LinearScorer, ModelMetadata, SavedModel
    >>> from aucmax.tables import TableEncoder
    >>> table = pa.table({"a": [1.0, 4.0, 2.0, 3.0], "y": [0, 1, 0, 1]})
    >>> encoder = TableEncoder(drop=["y"]).fit(table)
    >>> model = SavedModel(ModelMetadata((0, 1), encoder=encoder), LinearScorer([1.0], 0.0))
    >>> evaluate(table, model, target="y").auc
    1.0
    """
    zero_based = model.zero_based if isinstance(model, SavedModel) else "auto"
    source = with_matrix_layout(Source.of(source), _width(model), zero_based)
    engine = LocalEngine() if engine is None else engine
    rows = chunk_rows(memory, row_width(source), engine.n_threads)
    scored = _ScorePartition(model, target, weight, tuple(rest), rows)
    with PassLog(progress).watch("scores") as report:
        chunks = [chunk for partition in engine.map(source, scored, report) for chunk in partition]
    if not chunks:
        raise ValueError(f"{source.name} has no rows")
    scores, is_pos, weights = zip(*chunks, strict=True)
    total = None if weight is None else np.concatenate(weights)
    return weighted_auc_interval(np.concatenate(is_pos), np.concatenate(scores), total, confidence)


def _width(model: Any) -> int:
    """The number of features of a model."""
    width = getattr(model, "n_features", None)
    return int(model.n_features_in_ if width is None else width)
