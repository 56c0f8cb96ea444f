"""Descent on AUM: linear models of examples with error functions.

`loop` has the public function; `step` the settings and a single step; `line_search_rules` how far a step goes;
`normalization` what keeps the weights from shrinking to zero; `data` the examples.
"""

from aucmax.aum.descent.loop import DescentRecord, DescentResult, descend
from aucmax.aum.descent.step import Descent

__all__ = ["Descent", "DescentRecord", "DescentResult", "descend"]
