"""Supervised changepoints: segmentations, label errors, and a penalty learned from labels."""

from aucmax.changepoint.benchmark_sets import ReadySet, load, names
from aucmax.changepoint.features import FEATURES, feature_table, features
from aucmax.changepoint.interval_regression import IntervalRegression
from aucmax.changepoint.labels import KINDS, Label, LabelErrors, label_errors
from aucmax.changepoint.lasso import interval_path
from aucmax.changepoint.model_path import ModelPath, model_path
from aucmax.changepoint.penalty_learner import PenaltyLearner
from aucmax.changepoint.penalty_regressor import PenaltyRegressor
from aucmax.changepoint.penalty_table import PenaltyTable
from aucmax.changepoint.plotting import plot
from aucmax.changepoint.segmentation import Segmentations, segment
from aucmax.changepoint.targets import target_intervals
from aucmax.changepoint.toy import ToySequences, toy

__all__ = [
    "FEATURES",
    "KINDS",
    "IntervalRegression",
    "Label",
    "LabelErrors",
    "ModelPath",
    "PenaltyLearner",
    "PenaltyRegressor",
    "PenaltyTable",
    "ReadySet",
    "Segmentations",
    "ToySequences",
    "feature_table",
    "features",
    "interval_path",
    "label_errors",
    "load",
    "model_path",
    "names",
    "plot",
    "segment",
    "target_intervals",
    "toy",
]
