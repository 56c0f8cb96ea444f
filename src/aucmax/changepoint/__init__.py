"""Supervised changepoint detection: segmentations, label errors, and a penalty learned from labels."""

from aucmax.changepoint.benchmark_sets import BenchmarkSet, benchmark_names, load_benchmark
from aucmax.changepoint.features import FEATURE_NAMES, feature_matrix, feature_vector
from aucmax.changepoint.interval_path import interval_regression_path
from aucmax.changepoint.interval_regression import IntervalRegression
from aucmax.changepoint.labels import LABEL_KINDS, Label, LabelErrors, label_errors
from aucmax.changepoint.model_path import ModelPath, model_selection_path
from aucmax.changepoint.penalty_learner import PenaltyLearner
from aucmax.changepoint.penalty_regressor import PenaltyRegressor
from aucmax.changepoint.penalty_table import PenaltyTable
from aucmax.changepoint.plotting import plot_sequence
from aucmax.changepoint.segmentation import Segmentations, segment
from aucmax.changepoint.targets import target_intervals
from aucmax.changepoint.toy_sequences import ToySequences, make_toy_sequences

__all__ = [
    "FEATURE_NAMES",
    "LABEL_KINDS",
    "BenchmarkSet",
    "IntervalRegression",
    "Label",
    "LabelErrors",
    "ModelPath",
    "PenaltyLearner",
    "PenaltyRegressor",
    "PenaltyTable",
    "Segmentations",
    "ToySequences",
    "benchmark_names",
    "feature_matrix",
    "feature_vector",
    "interval_regression_path",
    "label_errors",
    "load_benchmark",
    "make_toy_sequences",
    "model_selection_path",
    "plot_sequence",
    "segment",
    "target_intervals",
]
