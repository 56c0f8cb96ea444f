"""AUM: the loss, its derivatives, the exact line search, and descent on it."""

from aucmax.aum.descent.downhill import Descent
from aucmax.aum.descent.loop import Descended, descend
from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.intercept import best_intercept
from aucmax.aum.line_search.search import LineSearch, Table, line_search
from aucmax.aum.value import AUM, ROC, aum, roc_auc, roc_curve

__all__ = [
    "AUM",
    "ROC",
    "Descended",
    "Descent",
    "ErrorFunctions",
    "LineSearch",
    "Table",
    "aum",
    "best_intercept",
    "descend",
    "line_search",
    "roc_auc",
    "roc_curve",
]
