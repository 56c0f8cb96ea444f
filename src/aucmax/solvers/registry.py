"""The registry of solvers: finding one by name, the default for a loss, for a stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.losses import LOSSES
from aucmax.numerics.matrix import nonzeros
from aucmax.problem.data import Data, automatic_alpha
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet
from aucmax.problem.spec import ProblemSpec
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

# A factorisation costs n dim min(n, dim), conjugate gradients some passes: above this many times the non-zeros
# the passes are cheaper.
EXACT_COST = 2400

SUITABLE = {
    "squared_hinge": "newton",
    "hinge": "cutting_plane",
    "exponential": "newton",
    "sigmoid": "rankopt",
    "aum": "aum",
}
STREAMING = {"squared": "exact", "exponential": "uniexp"}

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


def solver_name(solver: Solver) -> str:
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
    "solver_name",
]


def find_loss(name: str) -> Any:
    """The loss of that name."""
    if not isinstance(name, str) or name not in LOSSES:
        raise ValueError(f"unknown loss {name!r}; choose one of {sorted(LOSSES)}")
    return LOSSES[name]()


def find_solver(solver: Any, X: Any, loss: Any) -> Solver:
    """The solver of that name, or the one that suits the table."""
    if isinstance(solver, str) and solver == "auto":
        solver = _suitable(X, loss)
    if isinstance(solver, str) and solver in SOLVERS:
        solver = SOLVERS[solver]()
    if not isinstance(solver, Solver):
        raise ValueError(f"unknown solver {solver!r}; choose 'auto', one of {sorted(SOLVERS)} or pass a Solver")
    if not isinstance(loss, solver.losses):
        taken = [name for name, kind in LOSSES.items() if issubclass(kind, solver.losses)]
        raise ValueError(f"solver {type(solver).__name__} does not take loss={loss.name!r}; it takes {taken}")
    return solver


def check_penalty_supported(solver: Solver, penalty: ElasticNet, loss: Any) -> None:
    """Refuse a penalty that the solver cannot take, and name solvers of the loss that can."""
    if penalty.kind not in solver.penalties:
        kinds = {name: kind for name, kind in SOLVERS.items() if isinstance(loss, kind.losses)}
        able = sorted(name for name, kind in kinds.items() if penalty.kind in kind.penalties)
        total = penalty.l1 + penalty.l2
        reason = f"l1_ratio={penalty.l1 / total:g}" if total > 0 else "alpha=0"
        raise ValueError(
            f"solver {type(solver).__name__} takes the penalties {list(solver.penalties)}, not {penalty.kind!r} "
            f"({reason}); "
            "change these" + (f", or where a solver can be chosen take one of {able}" if able else "")
        )


def for_streams(solver: Any, loss: Any) -> Any:
    """The solver of a stream: "auto" stands for one that suits the loss, whatever the shape of a batch."""
    found = (SUITABLE | STREAMING).get(loss, "exact")
    return found if isinstance(solver, str) and solver == "auto" else solver


def check_weights(w: np.ndarray, solver: Solver) -> None:
    """Refuse an answer that is not finite: it would rank nothing."""
    if not np.isfinite(w).all():
        raise ValueError(
            f"solver {solver_name(solver)!r} diverged, its weights are not finite: columns lie far from zero for "
            "their spread, or the step is too long; use standardize=True, centre X, or choose solver='exact'"
        )


def is_online(solver: Any) -> bool:
    """Whether a solver, or the solver of that name, learns from a stream."""
    found = SOLVERS.get(solver) if isinstance(solver, str) else solver
    if not getattr(found, "online", False):
        kinds = {name: kind for name, kind in SOLVERS.items() if kind.online}
        same = sorted(name for name, kind in kinds.items() if set(kind.losses) & set(getattr(found, "losses", ())))
        raise AttributeError(f"solver {solver!r} has no partial_fit; online solvers are {same or sorted(kinds)}")
    return True


def can_unlearn(solver: Any) -> bool:
    """Whether a solver, or the solver of that name, can take rows out of its stream again."""
    found: Any = SOLVERS.get(solver) if isinstance(solver, str) else solver
    if not getattr(found, "from_moments", False):
        able = sorted(name for name, kind in SOLVERS.items() if kind.from_moments)
        raise AttributeError(f"solver {solver!r} has no unlearn; solvers that can take rows out again are {able}")
    if getattr(found, "forgetting", 1.0) != 1.0:
        raise AttributeError(f"{solver!r} has no unlearn: what is left of a row is not known; set forgetting=1")
    return True


def _suitable(X: Any, loss: Any) -> str:
    """The fastest certified solver of the loss."""
    if loss.name in SUITABLE:
        return SUITABLE[loss.name]
    n, dim = X.shape
    return "exact" if float(n) * dim * min(n, dim) <= EXACT_COST * nonzeros(X) else "cg"


def make_problem(spec: ProblemSpec, data: Data, solver: Solver) -> tuple[Problem, float]:
    """The problem of these data, and its alpha: the solver's own if it has one. Unsupported penalties are refused."""
    alpha = solver.own_alpha(data)
    if alpha is None:
        alpha = automatic_alpha(data) if spec.alpha == "auto" else float(spec.alpha)
    penalty = ElasticNet.of(alpha, spec.l1_ratio)
    check_penalty_supported(solver, penalty, spec.loss)
    return Problem(data, spec.loss, penalty), alpha
