"""The registry of solvers: lookup by name, and the defaults for a loss and for a stream.

No algorithm is special-cased here: the losses a solver supports, those it is the default for and whether it supports
streams are read from its class.
"""

from __future__ import annotations

from typing import Any

from aucmax.losses import LOSSES
from aucmax.losses.base import Loss
from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data, automatic_alpha
from aucmax.problem.objective import Problem
from aucmax.problem.spec import ProblemSpec
from aucmax.solvers import SOLVERS
from aucmax.solvers.base import Solver

__all__ = [
    "SOLVERS",
    "check_penalty_supported",
    "check_streams",
    "check_unlearns",
    "default_solver",
    "divergence_error",
    "find_solver",
    "losses_of",
    "make_problem",
    "solvers_for",
    "streaming_solver",
]


def losses_of(solver: Solver | type[Solver]) -> list[str]:
    """The names of the losses that a solver supports."""
    return [name for name, kind in LOSSES.items() if issubclass(kind, solver.losses)]


def solvers_for(loss: Loss, *, online: bool = False) -> list[str]:
    """The names of the solvers that support a loss; with `online`, only those that support streams."""
    return [name for name, kind in SOLVERS.items() if isinstance(loss, kind.losses) and (kind.online or not online)]


def find_solver(solver: Any, X: Any, loss: Loss) -> Solver:
    """The solver given, by name or as an object, or for "auto" the default for the loss; its settings are checked."""
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
    """The name of the first solver that is a default for the loss and suits the table."""
    n, dim = X.shape
    for name, kind in SOLVERS.items():
        if loss.name in kind.default_for and kind.suits(n, dim, X.size):  # of CSR, the size counts nonzeros only
            return name
    raise ValueError(f"loss={loss.name!r} has no default solver; choose one of {solvers_for(loss)}")


def streaming_solver(solver: Any, loss: Any) -> Any:
    """The solver of a stream: "auto" is resolved to the streaming default for the named loss.

    If the loss has none, "auto" is resolved to a default without streaming, which `check_streams` rejects by name;
    for an unknown loss, to any streaming default, so that the error is about the loss.
    """
    if not (isinstance(solver, str) and solver == "auto"):
        return solver
    streaming = [name for name, kind in SOLVERS.items() if loss in kind.streams_for]
    defaults = [name for name, kind in SOLVERS.items() if loss in kind.default_for]
    others = [name for name, kind in SOLVERS.items() if kind.streams_for]
    return (streaming + defaults + others)[0]


def check_streams(solver: Any) -> bool:
    """True for a solver, or its name, that supports streams; otherwise AttributeError, for `available_if`."""
    found = _instance(solver)
    if found is None or not found.online:
        online = {name: kind for name, kind in SOLVERS.items() if kind.online}
        losses = set() if found is None else set(found.losses)
        same = sorted(name for name, kind in online.items() if losses & set(kind.losses))
        raise AttributeError(f"solver {solver!r} has no partial_fit; online solvers are {same or sorted(online)}")
    return True


def check_streams_penalty(solver: Any, penalty: ElasticNet, loss: Loss) -> bool:
    """True if a solver, or its name, supports the penalty; otherwise AttributeError, for `available_if`."""
    found = _instance(solver)
    try:
        if found is not None:
            check_penalty_supported(found, penalty, loss)
    except ValueError as error:
        raise AttributeError(f"no partial_fit with this penalty: {error}") from None
    return True


def check_unlearns(solver: Any) -> bool:
    """True for a solver, or its name, that can unlearn rows; otherwise AttributeError, for `available_if`."""
    found = _instance(solver)
    if found is None or not found.from_moments:
        able = sorted(name for name, kind in SOLVERS.items() if kind.from_moments)
        raise AttributeError(f"solver {solver!r} has no unlearn; solvers that can unlearn rows are {able}")
    if found.forgetting_factor() != 1.0:
        raise AttributeError(f"{solver!r} has no unlearn: the remaining weight of a row is unknown; set forgetting=1")
    return True


def _instance(solver: Any) -> Solver | None:
    """The solver given, or the named one with its default settings; None if there is none."""
    if isinstance(solver, str) and solver in SOLVERS:
        return SOLVERS[solver]()
    return solver if isinstance(solver, Solver) else None


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
    """The problem and its alpha, which is the solver's own if it has one; reject a penalty it does not support."""
    alpha = solver.implied_alpha(data)
    if alpha is None:
        alpha = automatic_alpha(data) if spec.alpha == "auto" else float(spec.alpha)
    penalty = ElasticNet.of(alpha, spec.l1_ratio)
    check_penalty_supported(solver, penalty, spec.loss)
    return Problem(data, spec.loss, penalty), alpha
