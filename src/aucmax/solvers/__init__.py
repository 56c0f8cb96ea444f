"""The algorithms, by name."""

from aucmax.solvers.base import Solver
from aucmax.solvers.cg import CG
from aucmax.solvers.exact import Exact

SOLVERS: dict[str, type[Solver]] = {"exact": Exact, "cg": CG}

__all__ = ["CG", "SOLVERS", "Exact", "Solver"]
