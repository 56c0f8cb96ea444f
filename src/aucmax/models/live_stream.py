"""`LiveStream`: a model that learns from rows as they come, with all that a checkpoint must hold.

Rows are learned in batches of a fixed number of rows. Those of a batch that is not complete are kept, so that the
batches, and with them the weights, do not depend on when a checkpoint was written.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aucmax.estimators.linear import AUCClassifier
from aucmax.metrics.prequential import PrequentialAUC
from aucmax.models.from_estimator import saved_model
from aucmax.models.metadata import ModelMetadata
from aucmax.models.savedmodel import SavedModel
from aucmax.models.state_json import integer_of, state_from_json, state_to_json
from aucmax.models.stream_json import start_stream, stream_from_json, stream_to_json
from aucmax.streaming.drift import BlockSums, Drift, DriftTest
from aucmax.tables.fitted_encoder import FittedEncoder
from aucmax.tables.json_schema import Schema, check_schema

_SCHEMA: Schema = {
    "estimator": (dict,),
    "batch_rows": (float,),
    "window": (float,),
    "latest": (dict,),
    "drift": (dict,),
    "pending": (dict,),
    "n_rows": (float,),
    "source": (str, None),
    "source_rows": (float,),
}


@dataclass(eq=False)
class LiveStream:
    """A stream of encoded rows with labels 0 and 1.

    Parameters
    ----------
    metadata : ModelMetadata
        Classes, encoder, and the name of the target.
    estimator : AUCClassifier
        The model; its solver must have streams.
    batch_rows : int
        Rows of a batch.
    window : int
        Rows over which the prequential AUC is computed, and rows of a block of the drift test.
    n_rows : int
        Rows so far.
    source : str or None
        The file that is read, or None for a pipe.
    source_rows : int
        Rows that were read from it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = (X[:, 0] > rng.normal(size=300)).astype(int)
    >>> from aucmax import TableEncoder
    >>> encoder = TableEncoder().fit(X)
    >>> stream = LiveStream(ModelMetadata((0, 1), encoder), AUCClassifier(), batch_rows=100, window=100)
    >>> stream.learn(X[:250], y[:250])
    []
    >>> stream.n_rows, len(stream.pending_y), round(stream.auc, 2)
    (250, 50, 0.84)
    >>> again = LiveStream.from_dict(stream.metadata, stream.to_dict())
    >>> _ = again.learn(X[250:], y[250:]), stream.learn(X[250:], y[250:])
    >>> bool((again.estimator.coef_ == stream.estimator.coef_).all())
    True
    """

    metadata: ModelMetadata
    estimator: AUCClassifier
    batch_rows: int = 200
    window: int = 1000
    n_rows: int = 0
    source: str | None = None
    source_rows: int = 0
    pending_X: np.ndarray = field(init=False)
    pending_y: np.ndarray = field(init=False)
    meter: PrequentialAUC = field(init=False)
    drift: DriftTest = field(init=False)

    def __post_init__(self) -> None:
        self.pending_X = np.empty((0, len(self.metadata.feature_names or ())))
        self.pending_y = np.empty(0, dtype=np.int64)
        self.meter = PrequentialAUC(self.window, since_start=False)
        self.drift = DriftTest(self.window)
        if getattr(self.estimator, "_stream", None) is None:
            start_stream(self.estimator, self.pending_X.shape[1])

    @property
    def encoder(self) -> FittedEncoder:
        """How the columns of a table become numbers."""
        assert self.metadata.encoder is not None  # as `from_dict` and the command line make sure
        return self.metadata.encoder

    @property
    def auc(self) -> float:
        """The prequential AUC over the window; NaN before there is one."""
        return self.meter.windowed

    def learn(self, X: np.ndarray, y: np.ndarray) -> list[Drift]:
        """Add rows, and learn the batches that are complete; the drift that they reveal."""
        n_pending = self.pending_y.size
        X = np.concatenate([self.pending_X, X])
        y = np.append(self.pending_y, y)
        found = []
        start = kept = 0
        try:
            while y.size - start >= self.batch_rows:
                end = start + self.batch_rows
                found += self._learn_batch(X[start:end], y[start:end])
                start = end
            kept = y.size
        finally:  # rows of a batch that fails are not counted, unless they were before
            kept = max(kept, start, n_pending)
            self.pending_X = X[start:kept]
            self.pending_y = y[start:kept]
            self.n_rows += kept - n_pending
            self.source_rows += kept - n_pending
        return found

    def _learn_batch(self, X: np.ndarray, y: np.ndarray) -> list[Drift]:
        """Score a batch, then learn it; a batch that fails leaves no trace."""
        scores = self.estimator.decision_function(X) if self.estimator.coef_.any() else None
        self.estimator.partial_fit(X, y)
        if scores is None:  # there was no model before
            return []
        self.meter.update(y, scores)
        return self.drift.update(y, scores)

    def model(self) -> SavedModel:
        """The model after all rows, those of the incomplete batch included."""
        estimator = self.estimator
        if self.pending_y.size:
            estimator = copy.copy(estimator).partial_fit(self.pending_X, self.pending_y)
        fitted = saved_model(estimator)
        training = fitted.metadata.training | self.metadata.training | {"rows": self.n_rows}
        if np.isfinite(self.auc):
            training |= {"prequential_auc": self.auc, "window": self.window}
        metadata = ModelMetadata(
            self.metadata.classes,
            encoder=self.encoder,
            calibration=fitted.metadata.calibration,
            training=training,
            held_out_scores=fitted.metadata.held_out_scores,
        )
        return SavedModel(metadata, fitted.scorer)

    def to_dict(self) -> dict[str, Any]:
        """What a rerun needs to continue, as JSON values."""
        positive, scores, _ = self.meter.latest()
        return {
            "estimator": stream_to_json(self.estimator),
            "batch_rows": self.batch_rows,
            "window": self.window,
            "latest": _rows_to_json(positive, scores),
            "drift": _rows_to_json(self.drift.y, self.drift.scores)
            | {"reference": state_to_json(self.drift.reference)},
            "pending": {"X": state_to_json(self.pending_X), "y": state_to_json(self.pending_y)},
            "n_rows": self.n_rows,
            "source": self.source,
            "source_rows": self.source_rows,
        }

    @classmethod
    def from_dict(cls, metadata: ModelMetadata, content: Any) -> LiveStream:
        """The stream that `to_dict` described, every field validated."""
        check_schema(content, _SCHEMA, "the stream")
        sizes = {name: integer_of(content, name, low) for name, low in (("batch_rows", 1), ("window", 2))}
        counts = {name: integer_of(content, name, 0) for name in ("n_rows", "source_rows")}
        estimator = stream_from_json(content["estimator"])
        if metadata.encoder is None or len(metadata.feature_names or ()) != estimator.n_features_in_:
            raise ValueError(f"the stream has {estimator.n_features_in_} features, which the encoder does not give")
        facts = {name: value for name, value in metadata.training.items() if name in ("target", "rest")}
        metadata = ModelMetadata(metadata.classes, encoder=metadata.encoder, training=facts)
        stream = cls(metadata, estimator, source=content["source"], **sizes, **counts)
        stream._read_rows(content)
        return stream

    def _read_rows(self, content: dict[str, Any]) -> None:
        """The rows of the window, of the block of the drift test and of the incomplete batch."""
        positive, scores = _rows_from_json(content["latest"], "latest", ())
        if positive.size > self.window:
            raise ValueError(f"there are {positive.size} latest rows, more than the window of {self.window}")
        if positive.size:
            self.meter.update(positive, scores)
        self.drift.y, self.drift.scores = _rows_from_json(content["drift"], "drift", ("reference",))
        self.drift.reference = state_from_json(content["drift"]["reference"], BlockSums(), "reference")
        check_schema(content["pending"], {"X": (dict,), "y": (dict,)}, "pending")
        y = state_from_json(content["pending"]["y"], np.empty(0, dtype=np.int64), "y of pending")
        X = state_from_json(content["pending"]["X"], np.empty((0, self.pending_X.shape[1])), "X of pending")
        if y.size != X.shape[0] or y.size >= self.batch_rows or (y > 1).any() or not np.isfinite(X).all():
            raise ValueError("pending must have finite rows with labels 0 and 1, fewer than a batch")
        self.pending_X, self.pending_y = X, y


def _rows_to_json(y: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    return {"y": state_to_json(y.astype(np.int64)), "scores": state_to_json(scores)}


def _rows_from_json(content: Any, what: str, more: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Labels 0 and 1, and scores."""
    check_schema(content, dict.fromkeys(("y", "scores", *more), (dict,)), what)
    y = state_from_json(content["y"], np.empty(0, dtype=np.int64), f"y of {what}")
    scores = state_from_json(content["scores"], np.empty(0), f"scores of {what}")
    if y.size != scores.size or (y > 1).any() or not np.isfinite(scores).all():
        raise ValueError(f"{what} must have labels 0 and 1, each with a finite score")
    return y, scores
