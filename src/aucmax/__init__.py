"""Rank positives above negatives by maximising AUC itself."""

from aucmax.aum_classifier import AUMClassifier
from aucmax.compare import compare
from aucmax.estimator import AUCClassifier
from aucmax.kernel import KernelAUCClassifier
from aucmax.selection import AUCClassifierCV
from aucmax.tree import AUCTreeClassifier

__all__ = [
    "AUCClassifier",
    "AUCClassifierCV",
    "AUCTreeClassifier",
    "AUMClassifier",
    "KernelAUCClassifier",
    "compare",
]
