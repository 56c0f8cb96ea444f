"""`evaluate`: the exact AUC of a model on a source, with DeLong's interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from aucmax.estimators.base import Ranker, without_feature_names
from aucmax.metrics.delong import Interval
from aucmax.models.savedmodel import SavedModel
from aucmax.scale.engines import Engine, LocalEngine
from aucmax.scale.first_pass import with_matrix_layout
from aucmax.scale.memory import chunk_rows, row_size
from aucmax.scale.numeric_columns import NumericColumns
from aucmax.scale.partitions import Partition
from aucmax.scale.passes import Progress, RowCounter
from aucmax.scale.row_reader import located
from aucmax.scale.score_runs import ScoreRuns
from aucmax.scale.source import Source, TemporaryFolder
from aucmax.tables.cells import Scalar
from aucmax.tables.read_table import CHUNK_ROWS
from aucmax.tables.table import Table
from aucmax.tables.target import encode_rows
from aucmax.tables.weights import read_weights


@dataclass(frozen=True, eq=False)
class PartitionScores:
    """The scores of the rows of a partition."""

    model: Any
    target: str | None
    weight: str | None
    rest: Sequence[Scalar]
    chunk_rows: int
    folder: str | None

    def __call__(self, number: int, partition: Partition) -> ScoreRuns:
        """The scores, in runs."""
        total = None
        start = 0
        for chunk in partition.chunks(self.chunk_rows):
            with located(partition, start, len(chunk)):
                part = self._of_chunk(chunk)
            total = part if total is None else total + part
            start += len(chunk)
        return ScoreRuns((), (), self.folder) if total is None else total

    def _of_chunk(self, chunk: Table) -> ScoreRuns:
        y = np.where(encode_rows(chunk, self.target, tuple(self.model.classes_.tolist()), self.rest) == 1, 1.0, -1.0)
        weight = None if self.weight is None else read_weights(chunk, self.weight)
        model = without_feature_names(self.model) if isinstance(self.model, Ranker) else self.model
        scores = model.decision_function(self._rows(chunk))
        if weight is not None and not weight.all():
            kept = weight > 0
            scores, y, weight = scores[kept], y[kept], weight[kept]
        return ScoreRuns.of(scores, y, weight, self.folder)

    def _rows(self, chunk: Table) -> Any:
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

    The scores are sorted in runs of a million, in temporary files if the engine is local, and merged.

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
    rows = CHUNK_ROWS if memory is None else chunk_rows(memory, row_size(source, _width(model)), engine)
    folder = TemporaryFolder()
    scored = PartitionScores(model, target, weight, tuple(rest), rows, folder.path if engine.shared_disk else None)
    runs = engine.map_reduce(source, scored, RowCounter(progress, "scores", 1, None).report)
    return runs.interval(confidence)


def _width(model: Any) -> int:
    """The number of features of a model."""
    found = getattr(model, "n_features", None)
    return int(model.n_features_in_ if found is None else found)
