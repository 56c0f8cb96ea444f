"""AUM: the loss, its derivatives, and the exact line search."""

from aucmax.aum.errors import ErrorFunctions
from aucmax.aum.search import LineSearch, Table, line_search
from aucmax.aum.value import AUM, ROC, aum, roc_auc, roc_curve

__all__ = ["AUM", "ROC", "ErrorFunctions", "LineSearch", "Table", "aum", "line_search", "roc_auc", "roc_curve"]
