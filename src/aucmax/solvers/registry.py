"""The registry of solvers: finding one by name, the default for a loss, for a stream.

No algorithm is special here: the losses a solver takes, those it is the default for and whether it streams are read
from its class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.losses import LOSSES
from aucmax.losses.base import Loss
from aucmax.numerics.matrix import nonzeros
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data, automatic_alpha
from aucmax.problem.objective import Problem
from aucmax.problem.spec import ProblemSpec
from aucmax.solvers import SOLVERS
from aucmax.solvers.base import Solver

__all__ = [
    "SOLVERS",
    "check_finite_weights",
    "check_penalty_supported",
    "check_streams",
    "check_unlearns",
    "default_solver",
    "find_solver",
    "losses_of",
    "make_problem",
    "solver_name",
    "solvers_for",
    "streaming_solver",
]


def solver_name(solver: Solver) -> str:
    """The name of a solver in `SOLVERS`, or that of its class."""
    for name, kind in SOLVERS.items():
        if kind is type(solver):
            return name
    return type(solver).__name__


def losses_of(solver: Solver | type[Solver]) -> list[str]:
    """The names of the losses that a solver takes."""
    return [name for name, kind in LOSSES.items() if issubclass(kind, solver.losses)]


def solvers_for(loss: Loss, *, online: bool = False) -> list[str]:
    """The names of the solvers that take a loss; `online` for those among them that stream."""
    return [name for name, kind in SOLVERS.items() if isinstance(loss, kind.losses) and (kind.online or not online)]


def find_solver(solver: Any, X: Any, loss: Loss) -> Solver:
    """The solver of that name, the one given, or for "auto" the default for the loss, with its settings checked."""
    if isinstance(solver, str) and solver == "auto":
        solver = default_solver(loss, X)
    if isinstance(solver, str) and solver in SOLVERS:
        solver = SOLVERS[solver]()
    if not isinstance(solver, Solver):
        raise ValueError(f"unknown solver {solver!r}; choose 'auto', one of {sorted(SOLVERS)} or pass a Solver")
    if not isinstance(loss, solver.losses):
        raise ValueError(
            f"solver {type(solver).__name__} does not take loss={loss.name!r}; it takes {losses_of(solver)}"
        )
    solver.check_settings()
    return solver


def default_solver(loss: Loss, X: Any) -> str:
    """The name of the first solver that is a default for the loss and suits the table."""
    n, dim = X.shape
    for name, kind in SOLVERS.items():
        if loss.name in kind.default_for and kind.suits(n, dim, nonzeros(X)):
            return name
    raise ValueError(f"loss={loss.name!r} has no default solver; choose one of {solvers_for(loss)}")


def streaming_solver(solver: Any, loss: Any) -> Any:
    """The solver of a stream: "auto" is resolved to the streaming default of the loss of that name.

    Where a loss has none, it is resolved to a default that does not stream, which `check_streams` refuses by name,
    and for an unknown loss to any streaming default, so that the loss is refused.
    """
    if not (isinstance(solver, str) and solver == "auto"):
        return solver
    streaming = [name for name, kind in SOLVERS.items() if loss in kind.streams_for]
    defaults = [name for name, kind in SOLVERS.items() if loss in kind.default_for]
    others = [name for name, kind in SOLVERS.items() if kind.streams_for]
    return (streaming + defaults + others)[0]


def check_streams(solver: Any) -> bool:
    """True for a solver, or the name of one, that learns from a stream; else AttributeError, for `available_if`."""
    found = _instance(solver)
    if found is None or not found.online:
        online = {name: kind for name, kind in SOLVERS.items() if kind.online}
        losses = set() if found is None else set(found.losses)
        same = sorted(name for name, kind in online.items() if losses & set(kind.losses))
        raise AttributeError(f"solver {solver!r} has no partial_fit; online solvers are {same or sorted(online)}")
    return True


def check_unlearns(solver: Any) -> bool:
    """True for a solver, or the name of one, that can unlearn rows; else AttributeError, for `available_if`."""
    found = _instance(solver)
    if found is None or not found.from_moments:
        able = sorted(name for name, kind in SOLVERS.items() if kind.from_moments)
        raise AttributeError(f"solver {solver!r} has no unlearn; solvers that can unlearn rows are {able}")
    if found.forgetting_factor() != 1.0:
        raise AttributeError(
            f"{solver!r} has no unlearn: the weight that is left of a row is unknown; set forgetting=1"
        )
    return True


def _instance(solver: Any) -> Solver | None:
    """The solver given, or the one of that name with its default settings; None if there is none."""
    if isinstance(solver, str) and solver in SOLVERS:
        return SOLVERS[solver]()
    return solver if isinstance(solver, Solver) else None


def check_penalty_supported(solver: Solver, penalty: ElasticNet, loss: Loss) -> None:
    """Refuse a penalty that the solver does not take, and name solvers of the loss that do."""
    if penalty.kind not in solver.penalties:
        able = sorted(name for name in solvers_for(loss) if penalty.kind in SOLVERS[name].penalties)
        total = penalty.l1 + penalty.l2
        reason = f"l1_ratio={penalty.l1 / total:g}" if total > 0 else "alpha=0"
        raise ValueError(
            f"solver {type(solver).__name__} takes the penalties {list(solver.penalties)}, not {penalty.kind!r} "
            f"({reason}); "
            "change these" + (f", or where a solver can be chosen take one of {able}" if able else "")
        )


def check_finite_weights(w: np.ndarray, solver: Solver) -> None:
    """Refuse weights that are not finite: they would rank nothing."""
    if not np.isfinite(w).all():
        raise ValueError(
            f"solver {solver_name(solver)!r} diverged, its weights are not finite: columns lie far from zero for "
            "their spread, or the step is too long; use standardize=True, centre X, or choose solver='exact'"
        )


def make_problem(spec: ProblemSpec, data: Data, solver: Solver) -> tuple[Problem, float]:
    """The problem of these data and its alpha, the solver's own if it has one; what it cannot solve is refused."""
    alpha = solver.implied_alpha(data)
    if alpha is None:
        alpha = automatic_alpha(data) if spec.alpha == "auto" else float(spec.alpha)
    penalty = ElasticNet.of(alpha, spec.l1_ratio)
    check_penalty_supported(solver, penalty, spec.loss)
    problem = Problem(data, spec.loss, penalty)
    solver.check_problem(problem)
    return problem, alpha
