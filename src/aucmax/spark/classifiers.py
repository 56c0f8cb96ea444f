"""`AUCClassifier` and `AUCClassifierCV` as estimators of Spark ML, fitted in passes on the executors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from pyspark import keyword_only
from pyspark.ml.classification import Classifier
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import functions as F

from aucmax.estimators import linear, linear_cv
from aucmax.estimators.platt_scaling import Calibration
from aucmax.models.from_estimator import saved_model
from aucmax.models.savedmodel import SavedModel
from aucmax.scale.evaluate import PartitionScores
from aucmax.scale.fit import fit as fit_source
from aucmax.scale.partitions import Partition
from aucmax.scale.source import Source
from aucmax.scale.spark import SparkEngine
from aucmax.scale.spark_frames import packed_source
from aucmax.spark.model import AUCClassifierModel
from aucmax.spark.params import COLUMNS, ColumnParams, setting
from aucmax.tables.read_table import CHUNK_ROWS

_SHOWN = 20  # labels that an error message shows


class _SparkClassifier(Classifier, ColumnParams, DefaultParamsReadable, DefaultParamsWritable):
    """Fitting in passes on the executors."""

    _plain: Any  # the class of the estimator for data in memory

    def _fit(self, dataset: Any) -> AUCClassifierModel:
        settings = {p.name: self.getOrDefault(p) for p in self.params if p.name not in COLUMNS}
        weighted = self.isDefined("weightCol") and self.getWeightCol() is not None
        columns = {"features": self.getFeaturesCol(), "label": self.getLabelCol()}
        if weighted:
            columns["weight"] = self.getWeightCol()
        engine = SparkEngine(dataset.sparkSession)
        weight = "weight" if weighted else None
        with packed_source(_own_names(dataset, columns), features="features") as source:
            labels = _two_labels(source, engine, self.getLabelCol())
            fitted = fit_source(
                source, self._plain(**settings), target="label", weight=weight, pos_label=labels[1], engine=engine
            )
            _set_names(fitted, labels, dataset.schema[self.getFeaturesCol()].metadata)
            saved = saved_model(fitted)
            if saved.metadata.calibration is None:
                saved = _calibrated(saved, source, weight, engine)
        return self._copyValues(AUCClassifierModel(saved, fitted)._resetUid(self.uid))


class AUCClassifier(_SparkClassifier):
    """`aucmax.AUCClassifier` as an estimator of Spark ML: the squared or the logistic loss, in passes.

    Parameters
    ----------
    featuresCol, labelCol, weightCol, rawPredictionCol, probabilityCol, predictionCol : str
        Columns, as in Spark ML. There are two labels; the larger is the positive one. Probabilities come from Platt
        scaling of the scores of the training rows: with few rows for each feature they are too extreme, so use
        `AUCClassifierCV`.
    alpha, l1_ratio, loss, solver, standardize, class_weight, decision, random_state
        As in `aucmax.AUCClassifier`; a solver by its name.
    """

    _plain = linear.AUCClassifier

    alpha = setting("alpha")
    l1_ratio = setting("l1_ratio")
    loss = setting("loss")
    solver = setting("solver")
    standardize = setting("standardize")
    class_weight = setting("class_weight")
    decision = setting("decision")
    random_state = setting("random_state")

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol="features",
        labelCol="label",
        weightCol=None,
        rawPredictionCol="rawPrediction",
        probabilityCol="probability",
        predictionCol="prediction",
        alpha="auto",
        l1_ratio=0.0,
        loss="squared",
        solver="auto",
        standardize=True,
        class_weight=None,
        decision="prior",
        random_state=None,
    ):
        super().__init__()
        self._setDefault(**linear.AUCClassifier().get_params())
        self._set(**self._input_kwargs)


class AUCClassifierCV(_SparkClassifier):
    """`aucmax.AUCClassifierCV` as an estimator of Spark ML: the path and its cross-validation, in passes.

    Parameters
    ----------
    featuresCol, labelCol, weightCol, rawPredictionCol, probabilityCol, predictionCol : str
        Columns, as in Spark ML. There are two labels; the larger is the positive one.
    alphas, l1_ratio, loss, cv, choice, standardize, decision, random_state
        As in `aucmax.AUCClassifierCV`; `cv` is a number of folds.
    """

    _plain = linear_cv.AUCClassifierCV

    alphas = setting("alphas")
    l1_ratio = setting("l1_ratio")
    loss = setting("loss")
    cv = setting("cv")
    choice = setting("choice")
    standardize = setting("standardize")
    decision = setting("decision")
    random_state = setting("random_state")

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol="features",
        labelCol="label",
        weightCol=None,
        rawPredictionCol="rawPrediction",
        probabilityCol="probability",
        predictionCol="prediction",
        alphas=None,
        l1_ratio=0.0,
        loss="auto",
        cv=5,
        choice="best",
        standardize=True,
        decision="prior",
        random_state=None,
    ):
        super().__init__()
        defaults = linear_cv.AUCClassifierCV().get_params()
        del defaults["n_jobs"]  # the executors are the jobs
        self._setDefault(**defaults)
        self._set(**self._input_kwargs)


def _own_names(dataset: Any, columns: dict[str, str]) -> Any:
    """The columns of a data frame under our names, labels and weights as numbers."""
    numbers = [F.col(columns[name]).cast("double").alias(name) for name in columns if name != "features"]
    return dataset.select(F.col(columns["features"]).alias("features"), *numbers)


def _two_labels(source: Source, engine: SparkEngine, name: str) -> list[float]:
    """The two labels in ascending order."""
    labels = sorted(set(engine.map_reduce(source, _labels_of)))
    if len(labels) != 2:
        raise ValueError(f"column {name!r} has the labels {labels[:_SHOWN]}; there must be two")
    return labels


def _labels_of(number: int, partition: Partition) -> list[float]:
    """Labels that occur in a partition, all of them or more than can be shown; on a worker."""
    found: set[float] = set()
    for chunk in partition.chunks(CHUNK_ROWS):
        found |= set(chunk.columns["label"].drop_null().unique().to_pylist())
        if len(found) > _SHOWN:
            break
    return sorted(found)[: _SHOWN + 1]


def _set_names(fitted: Any, labels: list[float], metadata: dict[str, Any]) -> None:
    """Give the estimator its labels, and the names of the features if a `VectorAssembler` has noted them."""
    fitted.classes_ = np.array(labels)
    groups = metadata.get("ml_attr", {}).get("attrs", {})
    names = {attribute["idx"]: attribute.get("name") for group in groups.values() for attribute in group}
    if len(names) == fitted.n_features_in_ and all(names.values()):
        fitted.feature_names_in_ = np.array([names[j] for j in range(len(names))], dtype=object)


def _calibrated(saved: SavedModel, source: Source, weight: str | None, engine: SparkEngine) -> SavedModel:
    """The model with Platt scaling of its scores of the training rows."""
    runs = engine.map_reduce(source, PartitionScores(saved, "label", weight, (), CHUNK_ROWS, None))
    calibration = Calibration.fit(*runs.ended().condensed())
    return replace(saved, metadata=replace(saved.metadata, calibration=calibration))
