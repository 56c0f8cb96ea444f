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
from aucmax.solvers.registry import SOLVERS, solver_name
from aucmax.solvers.sdca import SDCA
from aucmax.solvers.solam import SOLAM
from aucmax.solvers.spam import SPAM
from aucmax.solvers.spdam import SPDAM
from aucmax.solvers.uniexp import UniExp
from aucmax.solvers.vrspam import VRSPAM

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
    "solver_name",
]
