"""Rank positives above negatives by maximising AUC itself."""

from aucmax.estimator import AUCClassifier

__all__ = ["AUCClassifier"]
