"""The exact line search of AUM.

`search` has the public function, and `walk`, `kinks` and `convex` its three methods; `thresholds` turns predictions
that move along a direction into lines; `stopping_rules` defines what a walk looks for; `penalty` adds an L2 penalty.
"""

from aucmax.aum.line_search.search import LineSearchResult, StepTable, exact_line_search

__all__ = ["LineSearchResult", "StepTable", "exact_line_search"]
