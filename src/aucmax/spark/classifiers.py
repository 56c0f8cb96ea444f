"""`AUCClassifier` and `AUCClassifierCV` as estimators of Spark ML, fitted in passes on the executors."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from inspect import Parameter, Signature
from typing import Any

import numpy as np
from pyspark.ml.classification import Classifier
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import functions as F

from aucmax.estimators import linear, linear_cv
from aucmax.estimators.platt_scaling import Calibration
from aucmax.models.from_estimator import saved_model
from aucmax.scale.columns import ColumnUse, larger_label
from aucmax.scale.rows import SourceRows, read_rows
from aucmax.scale.spark import SparkEngine
from aucmax.scale.spark_frames import spark_source
from aucmax.spark.model import AUCClassifierModel
from aucmax.spark.params import ColumnParams, setting
from aucmax.validation.params import check_params


class _SparkClassifier(Classifier, ColumnParams, DefaultParamsReadable, DefaultParamsWritable):
    """Fitting in passes on the executors; the settings are those of an estimator for data in memory."""

    _plain: Any  # the class of this estimator
    _defaults: dict[str, Any]  # of its settings

    def __init_subclass__(cls) -> None:
        cls._defaults = cls._plain().get_params()
        cls._defaults.pop("n_jobs", None)  # the executors are the jobs
        for name in cls._defaults:
            setattr(cls, name, setting(name))
        names = {"featuresCol": "features", "labelCol": "label", "weightCol": None}
        names |= {f"{name}Col": name for name in ("rawPrediction", "probability", "prediction")}
        values = (names | cls._defaults).items()
        parameters = [Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in values]
        cls.__signature__ = Signature(parameters)

    def __init__(self, **params: Any):
        self.__signature__.bind(**params)
        super().__init__()
        self._setDefault(**self._defaults)
        self._set(**params)

    def _fit(self, dataset: Any) -> AUCClassifierModel:
        model = self._plain(**{name: self.getOrDefault(name) for name in self._defaults})
        check_params(model)
        rows = self._read(dataset)
        model.fit(rows.X, rows.labels, rows.weight)
        model.classes_ = np.array(rows.labels.classes, dtype=float)
        _set_names(model, dataset.schema[self.getFeaturesCol()].metadata)
        saved = saved_model(model)
        if saved.metadata.calibration is None:
            y = np.where(rows.labels.is_pos, 1.0, -1.0)
            weight = np.ones(y.size) if rows.weight is None else rows.weight
            calibration = Calibration.fit(model.decision_function(rows.X), y, weight)
            saved = replace(saved, metadata=replace(saved.metadata, calibration=calibration))
        return self._copyValues(AUCClassifierModel(saved, model)._resetUid(self.uid))

    def _read(self, dataset: Any) -> SourceRows:
        """The rows of a data frame, whose order stays the same while they are read twice."""
        label = self.getLabelCol()
        numbers = {"label": label}
        if self.isDefined("weightCol") and self.getWeightCol() is not None:
            numbers["weight"] = self.getWeightCol()
        weight = "weight" if "weight" in numbers else None
        use = ColumnUse("label", weight, pos_label=partial(larger_label, f"column {label!r}"))
        columns = [F.col(column).cast("double").alias(name) for name, column in numbers.items()]
        frame = dataset.select(F.col(self.getFeaturesCol()).alias("features"), *columns)
        is_kept = dataset.storageLevel.useMemory or dataset.storageLevel.useDisk
        if not is_kept:
            frame.persist()
        try:
            return read_rows(spark_source(frame, features="features"), use, SparkEngine(dataset.sparkSession))
        finally:
            if not is_kept:
                frame.unpersist()


class AUCClassifier(_SparkClassifier):
    """`aucmax.AUCClassifier` as an estimator of Spark ML, fitted in passes.

    Parameters
    ----------
    featuresCol, labelCol, weightCol, rawPredictionCol, probabilityCol, predictionCol : str
        Columns, as in Spark ML. There are two labels; the larger is the positive one. Probabilities come from Platt
        scaling of the scores of the training rows: with few rows for each feature they are too extreme, so use
        `AUCClassifierCV`.
    alpha, l1_ratio, loss, solver, standardize, class_weight, decision, random_state
        As in `aucmax.AUCClassifier`; a solver by its name, which needs full passes only: "exact", "cg", "newton" or
        "cutting_plane".
    """

    _plain = linear.AUCClassifier


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


def _set_names(model: Any, metadata: dict[str, Any]) -> None:
    """Give the estimator the names of the features if a `VectorAssembler` has noted them."""
    groups = metadata.get("ml_attr", {}).get("attrs", {})
    names = {attribute["idx"]: attribute.get("name") for group in groups.values() for attribute in group}
    if len(names) == model.n_features_in_ and all(names.values()):
        model.feature_names_in_ = np.array([names[j] for j in range(len(names))], dtype=object)
