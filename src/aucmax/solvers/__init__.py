"""The solvers, by name.

To add one, write its file and import it below: its name in `SOLVERS` is that of the file. Lists of solvers keep the
order of these imports, and among several defaults for a loss the first that suits the table is used.
"""

from inspect import isabstract

from aucmax.solvers.base import Promise, Solver, State

# isort: off
from aucmax.solvers.exact import Exact as Exact
from aucmax.solvers.cg import CG as CG
from aucmax.solvers.newton import Newton as Newton
from aucmax.solvers.cutting_plane import CuttingPlane as CuttingPlane
from aucmax.solvers.sdca import SDCA as SDCA
from aucmax.solvers.spam import SPAM as SPAM
from aucmax.solvers.vrspam import VRSPAM as VRSPAM
from aucmax.solvers.pair_svrg import PairSVRG as PairSVRG
from aucmax.solvers.solam import SOLAM as SOLAM
from aucmax.solvers.fsauc import FSAUC as FSAUC
from aucmax.solvers.spdam import SPDAM as SPDAM
from aucmax.solvers.opauc import OPAUC as OPAUC
from aucmax.solvers.adaoam import AdaOAM as AdaOAM
from aucmax.solvers.oam import OAM as OAM
from aucmax.solvers.uniexp import UniExp as UniExp
from aucmax.solvers.mba import MBA as MBA
from aucmax.solvers.rankopt import RankOpt as RankOpt
from aucmax.solvers.aum import AUM as AUM
# isort: on

#: The solvers by name.
SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind
    for kind in tuple(globals().values())
    if isinstance(kind, type) and issubclass(kind, Solver) and not isabstract(kind)
}

__all__ = ["SOLVERS", "Promise", "Solver", "State", *(kind.__name__ for kind in SOLVERS.values())]
