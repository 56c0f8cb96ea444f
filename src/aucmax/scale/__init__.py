"""Rows that do not fit in memory, or are on several machines: sources, engines, and fits to them."""

from aucmax.scale.engines import LocalEngine
from aucmax.scale.evaluate import evaluate
from aucmax.scale.fit import fit
from aucmax.scale.progress import PassProgress
from aucmax.scale.source import Source

__all__ = ["LocalEngine", "PassProgress", "Source", "evaluate", "fit"]
