"""The solvers, by name.

To add one, write its file, import it here and add its line to `SOLVERS`, where its name is that of the file. Lists of
solvers keep this order, and among several defaults for a loss the first that suits the table is used.
"""

from aucmax.solvers.adaoam import AdaOAM as AdaOAM
from aucmax.solvers.aum import AUM as AUM
from aucmax.solvers.base import Promise, Solver, State
from aucmax.solvers.cg import CG as CG
from aucmax.solvers.cutting_plane import CuttingPlane as CuttingPlane
from aucmax.solvers.exact import Exact as Exact
from aucmax.solvers.fsauc import FSAUC as FSAUC
from aucmax.solvers.mba import MBA as MBA
from aucmax.solvers.newton import Newton as Newton
from aucmax.solvers.oam import OAM as OAM
from aucmax.solvers.opauc import OPAUC as OPAUC
from aucmax.solvers.pair_svrg import PairSVRG as PairSVRG
from aucmax.solvers.rankopt import RankOpt as RankOpt
from aucmax.solvers.sdca import SDCA as SDCA
from aucmax.solvers.solam import SOLAM as SOLAM
from aucmax.solvers.spam import SPAM as SPAM
from aucmax.solvers.spdam import SPDAM as SPDAM
from aucmax.solvers.uniexp import UniExp as UniExp
from aucmax.solvers.vrspam import VRSPAM as VRSPAM

#: The solvers by name.
SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind
    for kind in (
        Exact,
        CG,
        Newton,
        CuttingPlane,
        SDCA,
        SPAM,
        VRSPAM,
        PairSVRG,
        SOLAM,
        FSAUC,
        SPDAM,
        OPAUC,
        AdaOAM,
        OAM,
        UniExp,
        MBA,
        RankOpt,
        AUM,
    )
}

__all__ = ["SOLVERS", "Promise", "Solver", "State", *(kind.__name__ for kind in SOLVERS.values())]
