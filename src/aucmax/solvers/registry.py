"""The registry of solvers: lookup by name, and the defaults for a loss and for a stream.

The losses and penalties of a solver, and whether it learns from streams, are read from its class.
"""

from __future__ import annotations

from typing import Any

from aucmax.losses import LOSSES
from aucmax.losses.base import Loss
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data, automatic_alpha
from aucmax.problem.objective import Problem, ProblemSpec
from aucmax.solvers import SOLVERS
from aucmax.solvers.base import Solver
from aucmax.solvers.exact import factorisation_pays


def losses_of(solver: Solver | type[Solver]) -> list[str]:
    """The names of the losses that a solver supports."""
    return [name for name, kind in LOSSES.items() if issubclass(kind, solver.losses)]


def solvers_for(loss: Loss, *, online: bool = False) -> list[str]:
    """The names of the solvers that support a loss; with `online`, only those that learn from streams."""
    return [name for name, kind in SOLVERS.items() if isinstance(loss, kind.losses) and (kind.online or not online)]


def find_solver(solver: Any, X: Any, loss: Loss) -> Solver:
    """The solver given, by name or as an object, or the default of the loss for "auto"; its settings are checked."""
    if isinstance(solver, str) and solver == "auto":
        solver = default_solver(loss, X)
    if isinstance(solver, str) and solver in SOLVERS:
        solver = SOLVERS[solver]()
    if not isinstance(solver, Solver):
        raise ValueError(f"unknown solver {solver!r}; choose 'auto', one of {sorted(SOLVERS)} or pass a Solver")
    if not isinstance(loss, solver.losses):
        raise ValueError(
            f"solver {type(solver).__name__} does not support loss={loss.name!r}; it supports {losses_of(solver)}"
        )
    solver.check_settings()
    return solver


def default_solver(loss: Loss, X: Any) -> str:
    """The name of the first solver that takes the loss; "cg" for tables too large to factorise."""
    if loss.name == "squared" and not factorisation_pays(X):
        return "cg"
    for name, kind in SOLVERS.items():
        if isinstance(loss, kind.losses):
            return name
    raise ValueError(f"no solver takes loss={loss.name!r}")


def find_streaming_solver(solver: Any, loss: Loss) -> Solver:
    """As `find_solver`, for a stream; rejects solvers that do not learn from streams."""
    online = solvers_for(loss, online=True)
    if isinstance(solver, str) and solver == "auto" and online:
        solver = online[0]
    chosen = find_solver(solver, None, loss)
    if not chosen.online:
        remedy = f"choose one of {online}" if online else "choose another loss"
        raise ValueError(f"solver={solver!r} does not learn from streams with loss={loss.name!r}; {remedy}")
    return chosen


def streams(solver: Any, loss: Any) -> bool:
    """Whether a solver, or its name, learns from streams; for "auto", whether one for the named loss does."""
    if isinstance(solver, str) and solver == "auto":
        return loss in LOSSES and bool(solvers_for(LOSSES[loss](), online=True))
    if isinstance(solver, str):
        return solver in SOLVERS and SOLVERS[solver].online
    return isinstance(solver, Solver) and solver.online


def check_penalty_supported(solver: Solver, penalty: ElasticNet, loss: Loss) -> None:
    """Reject a penalty that the solver does not support, and name solvers for the loss that do."""
    if penalty.kind not in solver.penalties:
        able = sorted(name for name in solvers_for(loss) if penalty.kind in SOLVERS[name].penalties)
        total = penalty.l1 + penalty.l2
        reason = f"l1_ratio={penalty.l1 / total:g}" if total > 0 else "alpha=0"
        raise ValueError(
            f"solver {type(solver).__name__} supports the penalties {list(solver.penalties)}, not {penalty.kind!r} "
            f"({reason}); "
            "change alpha or l1_ratio" + (f", or if a solver can be chosen use one of {able}" if able else "")
        )


def divergence_error(solver: Solver) -> ValueError:
    """The error to raise if the weights are not finite."""
    return ValueError(
        f"solver {solver.name!r} diverged to non-finite weights: columns are far from zero relative to their spread, "
        "or the step is too large; use standardize=True, centre X, or choose solver='exact'"
    )


def make_problem(spec: ProblemSpec, data: Data, solver: Solver) -> tuple[Problem, float]:
    """The problem and its alpha; rejects a penalty that the solver does not support."""
    alpha = automatic_alpha(data) if spec.alpha == "auto" else float(spec.alpha)
    penalty = ElasticNet.of(alpha, spec.l1_ratio)
    check_penalty_supported(solver, penalty, spec.loss)
    return Problem(data, spec.loss, penalty), alpha
