"""The exact line search of AUM."""

from aucmax.aum.line_search.search import LineSearch, Table, line_search

__all__ = ["LineSearch", "Table", "line_search"]
