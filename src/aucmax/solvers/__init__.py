"""The algorithms, by name."""

from aucmax.solvers.adaoam import AdaOAM
from aucmax.solvers.aum import AUM
from aucmax.solvers.base import Solver
from aucmax.solvers.cg import CG
from aucmax.solvers.cutting_plane import CuttingPlane
from aucmax.solvers.exact import Exact
from aucmax.solvers.fsauc import FSAUC
from aucmax.solvers.mba import MBA
from aucmax.solvers.newton import Newton
from aucmax.solvers.oam import OAM
from aucmax.solvers.opauc import OPAUC
from aucmax.solvers.pair_svrg import PairSVRG
from aucmax.solvers.rankopt import RankOpt
from aucmax.solvers.sdca import SDCA
from aucmax.solvers.solam import SOLAM
from aucmax.solvers.spam import SPAM
from aucmax.solvers.spdam import SPDAM
from aucmax.solvers.uniexp import UniExp
from aucmax.solvers.vrspam import VRSPAM

SOLVERS: dict[str, type[Solver]] = {
    "exact": Exact,
    "cg": CG,
    "newton": Newton,
    "cutting_plane": CuttingPlane,
    "sdca": SDCA,
    "spam": SPAM,
    "vrspam": VRSPAM,
    "pair_svrg": PairSVRG,
    "solam": SOLAM,
    "fsauc": FSAUC,
    "spdam": SPDAM,
    "opauc": OPAUC,
    "adaoam": AdaOAM,
    "oam": OAM,
    "uniexp": UniExp,
    "mba": MBA,
    "rankopt": RankOpt,
    "aum": AUM,
}


def name_of(solver: Solver) -> str:
    """The name of a solver in `SOLVERS`, or that of its class."""
    return next((name for name, kind in SOLVERS.items() if kind is type(solver)), type(solver).__name__)


__all__ = [
    "AUM",
    "CG",
    "FSAUC",
    "MBA",
    "OAM",
    "OPAUC",
    "SDCA",
    "SOLAM",
    "SOLVERS",
    "SPAM",
    "SPDAM",
    "VRSPAM",
    "AdaOAM",
    "CuttingPlane",
    "Exact",
    "Newton",
    "PairSVRG",
    "RankOpt",
    "Solver",
    "UniExp",
    "name_of",
]
