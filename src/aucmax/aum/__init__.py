"""AUM: its value and derivatives, the exact line search, and descent on it (docs/mathematics.md, section 11)."""

from aucmax.aum.descent import Descent, DescentRecord, DescentResult, descend
from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.intercept import best_intercept
from aucmax.aum.line_search import LineSearchResult, StepTable, exact_line_search
from aucmax.aum.value import AUMValue, ErrorROC, aum, error_auc, error_roc_curve

__all__ = [
    "AUMValue",
    "Descent",
    "DescentRecord",
    "DescentResult",
    "ErrorFunctions",
    "ErrorROC",
    "LineSearchResult",
    "StepTable",
    "aum",
    "best_intercept",
    "descend",
    "error_auc",
    "error_roc_curve",
    "exact_line_search",
]
