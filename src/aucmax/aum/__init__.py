"""AUM: its value and derivatives, the exact line search, and descent on it (docs/mathematics.md, section 11)."""

from aucmax.aum.descent import descend
from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.line_search import exact_line_search
from aucmax.aum.step import Descent
from aucmax.aum.value import aum, best_intercept, error_auc, error_roc_curve

__all__ = [
    "Descent",
    "ErrorFunctions",
    "aum",
    "best_intercept",
    "descend",
    "error_auc",
    "error_roc_curve",
    "exact_line_search",
]
