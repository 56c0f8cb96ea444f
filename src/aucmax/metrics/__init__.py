"""Metrics of a ranking: AUC and its variance, ROC and lift curves, reliability, thresholds."""

from aucmax.metrics.auc import roc_auc
from aucmax.metrics.cross_validated import CorrectedTest, corrected_test, cv_auc_interval
from aucmax.metrics.curves import area_under_lift, lift_curve, partial_auc, roc_curve
from aucmax.metrics.delong import Interval, PairedTest, auc_influence, auc_interval, auc_test
from aucmax.metrics.leave_pair_out import LeavePairOut, leave_pair_out_auc
from aucmax.metrics.prequential import PrequentialAUC
from aucmax.metrics.reliability import Reliability, reliability_curve
from aucmax.metrics.thresholds import break_even, f_beta, threshold_for

__all__ = [
    "CorrectedTest",
    "Interval",
    "LeavePairOut",
    "PairedTest",
    "PrequentialAUC",
    "Reliability",
    "area_under_lift",
    "auc_influence",
    "auc_interval",
    "auc_test",
    "break_even",
    "corrected_test",
    "cv_auc_interval",
    "f_beta",
    "leave_pair_out_auc",
    "lift_curve",
    "partial_auc",
    "reliability_curve",
    "roc_auc",
    "roc_curve",
    "threshold_for",
]
