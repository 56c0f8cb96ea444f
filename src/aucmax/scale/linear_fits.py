"""Fits of the linear estimators from passes over a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.estimators.base import prior_cut
from aucmax.estimators.linear import AUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.losses import LOSSES
from aucmax.numerics.matrix import dot
from aucmax.numerics.threads import threads_for
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.solution import Solution
from aucmax.problem.spec import ProblemSpec
from aucmax.scale.cg_passes import solve_by_cg
from aucmax.scale.fold_statistics import FoldStatistics, FoldStatisticsOf
from aucmax.scale.folds import hash_folds
from aucmax.scale.newton_passes import solve_by_newton
from aucmax.scale.passes import Passes
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.score_cells import FoldCellsOf
from aucmax.scale.score_runs import MergedRuns, ScoreRunsOf
from aucmax.selection.alpha_path import alpha_path
from aucmax.selection.cross_validation import CVPath, PathSettings, choose_alpha, cv_results, make_alphas
from aucmax.solvers import CG, Exact, Newton, Solver
from aucmax.solvers.registry import make_problem
from aucmax.validation.inputs import LabeledData
from aucmax.validation.params import Integer

WIDEST = 3000  # columns up to which scatter matrices are added up: 72 MB each


def fit_linear(model: AUCClassifier, passes: Passes) -> None:
    """Fit with a given penalty: the squared loss from moments or by CG, the logistic loss by Newton's method."""
    solver = _choose_solver(model, passes.reader.n_features)
    full = not isinstance(solver, CG)
    statistics = passes.run(FoldStatisticsOf(1, full=full), "moments")
    moments = statistics.whole
    _check_classes([moments], "the rows")
    data = Data.of_moments(moments, standardize=model.standardize)
    spec = ProblemSpec(LOSSES[model.loss](), model.alpha, model.l1_ratio, model.standardize)
    problem, alpha = make_problem(spec, data, solver)
    solution = _solve(problem, solver, passes)
    model._store_solution(solution, solver, alpha)
    model._store_weights(data, solution.coef)
    cut = 0.0
    if not model._is_balanced:
        scores = _LinearScores(model.coef_[0], float(model.intercept_[0]))
        cut = prior_cut(*_sorted_scores(passes, scores).condensed())
    model._move_zero(cut, data, solution.coef)
    model._stream = None


def fit_path(model: AUCClassifierCV, passes: Passes) -> None:
    """Fit the path of alphas on all folds, choose one by AUC, and calibrate on the out-of-fold scores."""
    if model.loss not in ("squared", "auto"):
        raise ValueError(
            f"loss={model.loss!r}; passes over a source cross-validate the squared loss only: use AUCClassifier with "
            "that loss and a fixed alpha"
        )
    if not Integer(2).accepts(model.cv):
        raise ValueError(f"cv={model.cv!r}; a source is split by hashing: give the number of folds, at least 2")
    _check_width(passes.reader.n_features)
    settings = PathSettings(model.alphas, model.l1_ratio, model.standardize)
    statistics = _fold_statistics(passes, int(model.cv))
    data = Data.of_moments(statistics.whole, standardize=model.standardize)
    alphas = make_alphas(settings, data)
    training = [Data.of_moments(part, standardize=model.standardize) for part in statistics.training]
    with threads_for(data.dim):
        paths = [alpha_path(part, LOSSES["squared"](), alphas, model.l1_ratio, Exact()) for part in training]
    weights = [path / part.scale[:, None] for path, part in zip(paths, training)]
    auc, bound = passes.run(FoldCellsOf.of(weights, statistics.sampled_rows), "AUC of every alpha").auc()
    chosen = choose_alpha(auc.T, model.choice)
    alpha = float(alphas[chosen])
    solver = Exact()
    solution = solver.solve(Problem(data, LOSSES["squared"](), settings.penalty(alpha)))
    model.loss_ = "squared"
    model.alphas_ = alphas
    model.cv_auc_ = auc.T
    model.cv_auc_bound_ = bound.T
    model.cv_results_ = cv_results(
        [({"loss": "squared"}, CVPath(LOSSES["squared"](), solver, data, alphas, auc.T, [], []))]
    )
    model._store_solution(solution, solver, alpha)
    model._store_weights(data, solution.coef)
    chosen_weights = [path[:, chosen] for path in weights]
    zeros = [float(part.midpoint(w)) for part, w in zip(training, chosen_weights)]
    held_out = _sorted_scores(passes, _OutOfFoldScores(chosen_weights, zeros))
    model.oof_interval_ = held_out.interval()
    scores, y, weight = held_out.condensed()
    model.intercept_ = model.intercept_ - model._calibrate(scores, LabeledData(None, y, weight))


def _choose_solver(model: AUCClassifier, dim: int) -> Solver:
    """The solver that works with passes; rejects others."""
    name = model.solver if isinstance(model.solver, str) else model.solver.name
    known = {"squared": (Exact, CG), "logistic": (Newton,)}.get(model.loss, ())
    usable = {kind.name: kind for kind in known}
    if (name != "auto" and name not in usable) or not known:
        raise ValueError(
            f"loss={model.loss!r} with solver={name!r} cannot be fitted in passes over a source; use loss='squared' "
            "(solver 'exact' or 'cg') or loss='logistic' (solver 'newton'), or partial_fit with an online solver"
        )
    wide = dim > WIDEST
    if name == "auto":
        name = "newton" if model.loss == "logistic" else "cg" if wide and model.l1_ratio == 0 else "exact"
    if name != "cg":
        _check_width(dim)
    if name != "exact" and (model.l1_ratio > 0 or model.alpha == 0):
        raise ValueError(f"solver {name!r} in passes needs an L2 penalty: set l1_ratio=0 and alpha above 0")
    return usable[name]() if isinstance(model.solver, str) else model.solver


def _check_width(dim: int) -> None:
    if dim > WIDEST:
        raise ValueError(
            f"{dim} features: their scatter matrices would take {16 * dim**2 / 1e9:.1f} GB a fold; use AUCClassifier "
            "with the squared loss, which needs none for wide tables"
        )


def _solve(problem: Problem, solver: Solver, passes: Passes) -> Solution:
    if isinstance(solver, Newton):
        return solve_by_newton(problem, solver, passes)
    return solve_by_cg(problem, solver, passes) if isinstance(solver, CG) else solver.solve(problem)


def _fold_statistics(passes: Passes, n_folds: int) -> FoldStatistics:
    n_pos = passes.n_positive
    n_neg = passes.summary.n_rows - n_pos
    sampling = FoldStatisticsOf.sampling(n_folds, n_pos, n_neg, passes.reader.n_features)
    statistics = passes.run(sampling, "moments of the folds")
    _check_classes(statistics.moments, "a fold")
    return statistics


def _check_classes(parts: Any, what: str) -> None:
    """Refuse parts of which one has a single class."""
    if any(min(part.pos.count, part.neg.count) == 0 for part in parts):
        counts = [(int(part.pos.count), int(part.neg.count)) for part in parts]
        raise ValueError(f"{what} has a single class, so AUC is undefined; (positives, negatives): {counts}")


def _sorted_scores(passes: Passes, score: Any) -> MergedRuns:
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


@dataclass(frozen=True, eq=False)
class _OutOfFoldScores:
    """Scores of each row by the model of its fold, which has not seen it; zero is midway between the class means."""

    weights: list[np.ndarray]
    zeros: list[float]

    def __call__(self, rows: NumberedRows) -> np.ndarray:
        fold = hash_folds(rows.groups, len(self.weights))
        out = np.empty(fold.size)
        for k, (w, zero) in enumerate(zip(self.weights, self.zeros)):
            mine = np.flatnonzero(fold == k)
            out[mine] = dot(rows.data.X, w, mine) - zero
        return out
