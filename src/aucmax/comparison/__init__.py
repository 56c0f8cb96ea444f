"""Comparison of models by cross-validated AUC on the same folds, with paired tests against a reference."""

from aucmax.comparison.compare import Progress, compare
from aucmax.comparison.result import Comparison, ComparisonRow
from aucmax.comparison.standard_models import DEFAULT_MODELS, STANDARD_MODELS
from aucmax.selection.splits import forward_splits

__all__ = [
    "DEFAULT_MODELS",
    "STANDARD_MODELS",
    "Comparison",
    "ComparisonRow",
    "Progress",
    "compare",
    "forward_splits",
]
