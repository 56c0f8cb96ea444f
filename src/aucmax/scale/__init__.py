"""Rows that do not fit in memory, or are on several machines: sources, passes over them, engines."""

from aucmax.scale.engines import Engine, LocalEngine
from aucmax.scale.evaluate import evaluate
from aucmax.scale.fit import fit
from aucmax.scale.passes import PassProgress
from aucmax.scale.source import Source

__all__ = ["Engine", "LocalEngine", "PassProgress", "Source", "evaluate", "fit"]
