"""Measures of a ranking: AUC and its error, ROC and lift curves, thresholds, AUC against accuracy."""

from aucmax.metrics.auc import auc_of_classes, roc_auc
from aucmax.metrics.curves import area_under_lift, lift_curve, partial_auc, roc_curve
from aucmax.metrics.delong import Interval, PairedTest, auc_influence, auc_interval, auc_limits, auc_test
from aucmax.metrics.prequential import PrequentialAUC
from aucmax.metrics.rankings import RankingCounts, consistency, discriminancy, expected_auc, ranking_counts
from aucmax.metrics.thresholds import break_even, f_beta, threshold_for

__all__ = [
    "Interval",
    "PairedTest",
    "PrequentialAUC",
    "RankingCounts",
    "area_under_lift",
    "auc_influence",
    "auc_interval",
    "auc_limits",
    "auc_of_classes",
    "auc_test",
    "break_even",
    "consistency",
    "discriminancy",
    "expected_auc",
    "f_beta",
    "lift_curve",
    "partial_auc",
    "ranking_counts",
    "roc_auc",
    "roc_curve",
    "threshold_for",
]
