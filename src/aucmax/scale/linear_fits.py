"""Fits of `AUCClassifier` from passes over a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.estimators.base import LinearModel
from aucmax.estimators.linear import AUCClassifier
from aucmax.losses import LOSSES
from aucmax.numerics.matrix import dot
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem, ProblemSpec
from aucmax.problem.solution import Solution
from aucmax.scale.cg_passes import solve_by_cg
from aucmax.scale.fold_statistics import FoldStatisticsOf
from aucmax.scale.newton_passes import solve_by_newton
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.score_runs import MergedRuns, ScoreRunsOf
from aucmax.solvers import CG, Exact, Newton, Solver
from aucmax.solvers.registry import make_problem

WIDEST = 3000  # columns up to which scatter matrices are added up: 72 MB each
USABLE: dict[str, tuple[type[Solver], ...]] = {"squared": (Exact, CG), "logistic": (Newton,)}  # by loss


def fit_linear(model: AUCClassifier, passes: Passes) -> None:
    """Fit with a given penalty: the squared loss from moments or by passes, the logistic loss by Newton's method."""
    solver = _choose_solver(model, passes)
    full = isinstance(solver, Exact | Newton)
    statistics = passes.run(FoldStatisticsOf(1, full=full), "moments")
    moments = statistics.whole
    check_classes([moments], "the rows")
    data = Data.of_moments(moments, standardize=model.standardize)
    spec = ProblemSpec(LOSSES[model.loss](), model.alpha, model.l1_ratio, model.standardize)
    problem, alpha = make_problem(spec, data, solver)
    solution = solve(problem, solver, passes)
    model._store_solution(solution, solver, alpha)
    linear = LinearModel.of(data, solution.coef)
    scored = None
    if not model._is_balanced:
        scored = sorted_scores(passes, _LinearScores(*linear)).condensed()
    model._linear = model._with_zero(linear, data, solution.coef, scored)
    model._stream = None


def _choose_solver(model: AUCClassifier, passes: Passes) -> Solver:
    """The solver that works with passes; rejects others."""
    dim = passes.reader.n_features
    name = model.solver if isinstance(model.solver, str) else model.solver.name
    usable = {kind.name: kind for kind in USABLE.get(model.loss, ())}
    if not usable:
        raise ValueError(unusable_losses([model.loss]))
    if name != "auto" and name not in usable:
        raise ValueError(
            f"solver={name!r} cannot be used in passes over a source with loss={model.loss!r}; use one of "
            f"{list(usable)} or 'auto', call partial_fit with an online solver, or fit a sample of rows in memory"
        )
    if name == "auto":
        name = "newton" if model.loss == "logistic" else "cg" if dim > WIDEST and model.l1_ratio == 0 else "exact"
    solver = usable[name]() if isinstance(model.solver, str) else model.solver
    _check_usable(solver, model, passes)
    return solver


def unusable_losses(losses: Sequence[str]) -> str:
    """The message about losses that passes cannot fit."""
    given = losses[0] if len(losses) == 1 else list(losses)
    return (
        f"loss={given!r}; passes over a source fit the losses "
        f"{list(USABLE)}: the others need the scores of all rows in order at every step; use one of these, or fit a "
        "sample of rows in memory"
    )


def _check_usable(solver: Solver, model: AUCClassifier, passes: Passes) -> None:
    """Refuse a solver that cannot fit this model to this source."""
    if isinstance(solver, Exact | Newton):
        check_width(passes.reader.n_features)
    if isinstance(solver, CG | Newton) and (model.l1_ratio > 0 or model.alpha == 0):
        other = "'exact'" if isinstance(solver, CG) else "loss='squared'"
        raise ValueError(
            f"solver {solver.name!r} in passes needs an L2 penalty: set l1_ratio=0 and alpha above 0, or use {other}"
        )


def check_width(dim: int) -> None:
    """Refuse tables whose scatter matrices would be too large."""
    if dim > WIDEST:
        raise ValueError(
            f"{dim} features: their scatter matrices would take {16 * dim**2 / 1e9:.1f} GB a fold; use AUCClassifier "
            "with the squared loss, an L2 penalty and solver 'cg', which needs none"
        )


def solve(problem: Problem, solver: Solver, passes: Passes) -> Solution:
    """The minimiser, from moments alone or from passes."""
    if isinstance(solver, Newton):
        return solve_by_newton(problem, solver, passes)
    return solve_by_cg(problem, solver, passes) if isinstance(solver, CG) else solver.solve(problem)


def check_classes(parts: Any, what: str) -> None:
    """Refuse parts of which one has a single class."""
    if any(min(part.pos.count, part.neg.count) == 0 for part in parts):
        counts = [(int(part.pos.count), int(part.neg.count)) for part in parts]
        raise ValueError(f"{what} has a single class, so AUC is undefined; (positives, negatives): {counts}")


def sorted_scores(passes: Passes, score: Any) -> MergedRuns:
    """The scores of all rows, sorted."""
    weighted = passes.reader.weight is not None
    return passes.run(ScoreRunsOf(score, weighted, passes.run_folder), "scores").ended()


@dataclass(frozen=True, eq=False)
class _LinearScores:
    """Scores of a linear model."""

    coef: np.ndarray
    intercept: float

    def __call__(self, rows: NumberedRows) -> np.ndarray:
        return dot(rows.data.X, self.coef) + self.intercept
