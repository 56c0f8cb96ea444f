"""Many models, the same folds, one clock, paired tests, and "tie" when it is one."""

from aucmax.comparison.baselines import STANDARD
from aucmax.comparison.compare import Comparison, Progress, Row, compare

__all__ = ["STANDARD", "Comparison", "Progress", "Row", "compare"]
