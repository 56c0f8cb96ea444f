"""Printed tables of papers, run again: protocols, runs that survive a kill, verdicts."""

from aucmax.comparison.reproduction.cells import Cell, read_cells
from aucmax.comparison.reproduction.reproduce import PAPERS, Reproduction, reproduce
from aucmax.comparison.reproduction.verdicts import MeanAUC, verdict_of

__all__ = ["PAPERS", "Cell", "MeanAUC", "Reproduction", "read_cells", "reproduce", "verdict_of"]
