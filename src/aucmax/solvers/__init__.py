"""The solvers, by name: those that the library recommends, then the published algorithms.

To add one, write its file, import it here and add its line to `SOLVERS`. The order matters: the default for a loss is
the first solver that takes it, and the default for its streams the first of those that learn from streams.
"""

from aucmax.solvers.aum import AUM as AUM
from aucmax.solvers.base import Solver, State
from aucmax.solvers.cg import CG as CG
from aucmax.solvers.cutting_plane import CuttingPlane as CuttingPlane
from aucmax.solvers.exact import Exact as Exact
from aucmax.solvers.newton import Newton as Newton
from aucmax.solvers.pair_svrg import PairSVRG as PairSVRG
from aucmax.solvers.published.adaoam import AdaOAM as AdaOAM
from aucmax.solvers.published.fsauc import FSAUC as FSAUC
from aucmax.solvers.published.mba import MBA as MBA
from aucmax.solvers.published.oam import OAM as OAM
from aucmax.solvers.published.opauc import OPAUC as OPAUC
from aucmax.solvers.published.rankopt import RankOpt as RankOpt
from aucmax.solvers.published.solam import SOLAM as SOLAM
from aucmax.solvers.published.spam import SPAM as SPAM
from aucmax.solvers.published.spdam import SPDAM as SPDAM
from aucmax.solvers.published.uniexp import UniExp as UniExp
from aucmax.solvers.published.vrspam import VRSPAM as VRSPAM
from aucmax.solvers.sdca import SDCA as SDCA

#: The solvers by name.
SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind
    for kind in (
        Exact,
        CG,
        Newton,
        CuttingPlane,
        SDCA,
        PairSVRG,
        AUM,
        SPAM,
        VRSPAM,
        SOLAM,
        FSAUC,
        SPDAM,
        OPAUC,
        AdaOAM,
        OAM,
        UniExp,
        MBA,
        RankOpt,
    )
}

__all__ = ["SOLVERS", "Solver", "State", *(kind.__name__ for kind in SOLVERS.values())]
