"""Rank positives above negatives by directly maximising AUC."""

from aucmax.comparison import compare
from aucmax.estimators.aum import AUMClassifier
from aucmax.estimators.contingency import ContingencySVMClassifier
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.estimators.tree import AUCTreeClassifier

__version__ = "0.1.0.dev0"

__all__ = [
    "AUCClassifier",
    "AUCClassifierCV",
    "AUCTreeClassifier",
    "AUMClassifier",
    "ContingencySVMClassifier",
    "KernelAUCClassifier",
    "compare",
]
