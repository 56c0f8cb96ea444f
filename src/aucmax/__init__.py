"""Rank positives above negatives by maximising AUC itself."""

from aucmax.compare import compare
from aucmax.estimator import AUCClassifier
from aucmax.selection import AUCClassifierCV

__all__ = ["AUCClassifier", "AUCClassifierCV", "compare"]
