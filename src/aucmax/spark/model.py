"""`AUCClassifierModel`: what the estimators give, with `transform`, `save` and `load`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.ml.classification import ClassificationModel
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import DenseVector, Vector
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import functions as F

from aucmax.models.model_file import from_json, to_json
from aucmax.models.savedmodel import SavedModel
from aucmax.models.scorer import weights_of
from aucmax.scale.vectors import VectorColumn
from aucmax.spark.params import ColumnParams

_FILE = "model"  # folder of the model in the folder that is saved


class AUCClassifierModel(ClassificationModel, ColumnParams, MLReadable, MLWritable):
    """A fitted model of Spark ML: `transform` adds raw predictions, probabilities and predictions to a data frame.

    The raw predictions are (-score, score), as those of the linear models of Spark. A column whose name is set to
    "" is left out.

    Parameters
    ----------
    saved : SavedModel
        What scores the rows.
    estimator : estimator, optional
        The fitted estimator, if it is available.
    """

    def __init__(self, saved: SavedModel, estimator: Any = None):
        super().__init__()
        self._saved = saved
        self._estimator = estimator

    def to_estimator(self) -> Any:
        """The plain estimator, or a `SavedModel` if this model was loaded; `aucmax.save` takes both."""
        return self._saved if self._estimator is None else self._estimator

    @property
    def numFeatures(self) -> int:
        """Number of features."""
        return self._saved.n_features

    @property
    def numClasses(self) -> int:
        """Number of classes."""
        return 2

    @property
    def coefficients(self) -> DenseVector:
        """The weights of the features."""
        return DenseVector(_linear(self._saved)[0])

    @property
    def intercept(self) -> float:
        """What is added to every score."""
        return float(_linear(self._saved)[1])

    def predict(self, value: Vector) -> float:
        """The label of one vector.

        Parameters
        ----------
        value : pyspark.ml.linalg.Vector
            Features of one row.
        """
        return float(self._saved.predict(_row(value))[0])

    def predictRaw(self, value: Vector) -> DenseVector:
        """The raw prediction (-score, score) of one vector.

        Parameters
        ----------
        value : pyspark.ml.linalg.Vector
            Features of one row.
        """
        score = float(self._saved.decision_function(_row(value))[0])
        return DenseVector([-score, score])

    def predictProbability(self, value: Vector) -> DenseVector:
        """The probabilities of both classes of one vector.

        Parameters
        ----------
        value : pyspark.ml.linalg.Vector
            Features of one row.
        """
        return DenseVector(self._saved.predict_proba(_row(value))[0])

    def _transform(self, dataset: Any) -> Any:
        scored = _predictions(self._saved, self.getFeaturesCol())(F.col(self.getFeaturesCol()))
        hidden = f"{self.uid}_scored"
        outputs = {
            self.getRawPredictionCol(): array_to_vector(F.col(hidden)["raw"]),
            self.getProbabilityCol(): array_to_vector(F.col(hidden)["probability"]),
            self.getPredictionCol(): F.col(hidden)["prediction"],
        }
        wanted = {name: column for name, column in outputs.items() if name}
        return dataset.withColumn(hidden, scored).withColumns(wanted).drop(hidden)

    def write(self) -> MLWriter:
        """Writes the model as JSON."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        """Reads what `write` has written."""
        return _ModelReader()


def _predictions(saved: SavedModel, name: str) -> Any:
    """Raw predictions, probabilities and labels of a column of vectors, as a function of Spark SQL."""
    saved = replace(saved, metadata=replace(saved.metadata, held_out_scores=None))  # which thresholds alone need

    @F.arrow_udf("raw array<double>, probability array<double>, prediction double")
    def predictions(vectors: pa.Array) -> pa.Array:
        X = VectorColumn(name, saved.n_features, dense=None).table(pa.table({name: vectors})).X
        scores = saved.decision_function(X)
        columns = {
            "raw": _pairs(np.column_stack([-scores, scores])),
            "probability": _pairs(saved.predict_proba(X)),
            "prediction": pa.array(saved.predict(X).astype(float)),
        }
        return pa.StructArray.from_arrays(list(columns.values()), list(columns))

    return predictions


def _pairs(numbers: np.ndarray) -> Any:
    """The rows of an array of shape (n, 2) as an Arrow list array."""
    offsets = np.arange(0, numbers.size + 1, 2, dtype=np.int32)
    return pa.ListArray.from_arrays(offsets, np.ascontiguousarray(numbers).ravel())


def _row(value: Vector) -> np.ndarray:
    return np.asarray(value.toArray(), dtype=float)[None, :]


def _linear(saved: SavedModel) -> Any:
    """The weights and the intercept."""
    found = weights_of(saved.scorer)
    assert found is not None  # models of Spark are linear
    return found


class _ModelWriter(MLWriter):
    """Writes the parameters as Spark does, and the model as `aucmax.save` does."""

    def __init__(self, instance: AUCClassifierModel):
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        """Write both."""
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession)
        rows = self.sparkSession.createDataFrame([(to_json(self.instance._saved),)], "value string")
        rows.coalesce(1).write.text(os.path.join(path, _FILE))


class _ModelReader(MLReader):
    """Reads what `_ModelWriter` wrote; every field is validated, and nothing is executed."""

    def load(self, path: str) -> AUCClassifierModel:
        """The model with its parameters."""
        kind = AUCClassifierModel
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession, f"{kind.__module__}.{kind.__name__}")
        file = os.path.join(path, _FILE)
        found = self.sparkSession.read.text(file, wholetext=True).first()
        if found is None:
            raise ValueError(f"there is no model in {file!r}; save it again")
        model = AUCClassifierModel(from_json(found[0], file))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
