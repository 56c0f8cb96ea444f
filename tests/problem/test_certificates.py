"""Every certificate against the true excess in extended precision, for columns at any distance from zero."""

from functools import cache

import numpy as np
import pytest
from extended_precision import WidePairs
from problems import EACH_FORM, far_table, make_problem, minimum_in_ball

from aucmax.losses import LOSSES
from aucmax.penalties import Ball, ElasticNet, project_l1, project_l2
from aucmax.problem import Problem
from aucmax.solvers import SOLVERS
from aucmax.solvers.registry import losses_of

SHIFTS = (0.0, 30.0, 1e3, 1e5, 1e7, 1e9)
PENALTIES = {"l2": ElasticNet(0.0, 0.3), "elastic net": ElasticNet(0.03, 0.05), "l1": ElasticNet(0.05, 0.0)}
COMBINATIONS = [
    (solver, loss, penalty)
    for solver, kind in SOLVERS.items()
    for loss in losses_of(kind)
    if loss != "aum"  # its gap is that to the minimum over w.delta = 1, see tests/solvers/test_aum.py
    for penalty in kind.penalties
    if penalty in PENALTIES
]
EACH_COMBINATION = pytest.mark.parametrize(
    ("name", "loss", "penalty"), COMBINATIONS, ids=["-".join(c) for c in COMBINATIONS]
)
TIGHT = {"squared": "exact", "hinge": "cutting_plane"}
pytestmark = pytest.mark.thorough


def solved(name, loss, penalty, form, shift, **settings):
    X, y, weight = far_table((30, 6), shift)
    solver = SOLVERS[name](**settings)
    problem = make_problem(form(X), y, weight, penalty, loss=LOSSES[loss](), standardize=True)
    minimised = solver.constrained(problem) if hasattr(solver, "constrained") else problem
    return minimised, solver.solve(problem, rng=np.random.default_rng(0))


@EACH_COMBINATION
@EACH_FORM
@pytest.mark.parametrize("shift", SHIFTS)
def test_gap_is_at_least_the_true_excess(name, loss, penalty, form, shift):
    problem, solution = solved(name, loss, PENALTIES[penalty], form, shift, max_epochs=30)
    assert np.isfinite(solution.coef).all() and np.isfinite([solution.objective, solution.gap]).all()
    truth = WidePairs(*far_table((30, 6), shift), problem.data.scale, loss, problem.penalty)
    objective = truth.objective(solution.coef)
    assert solution.gap >= objective - lowest(truth, loss, problem.penalty, shift) - 1e-18  # rounding of the oracle
    # sums of squares of columns that are not shifted, up to 100 spreads from zero, lose twice as many digits
    digits = 1e-15 * (10.0 + min(shift, 100.0) ** 2)
    assert abs(solution.objective - objective) <= solution.gap + digits * objective


def lowest(truth, loss, penalty, shift):
    """The minimum of the true objective, or for the sigmoid, which is not convex, zero."""
    if loss == "sigmoid":
        return 0.0
    return truth.near_minimum(near_minimiser(loss, penalty, shift))


@cache
def near_minimiser(loss, penalty, shift):
    """Weights whose objective is within 1e-6 of the minimum, which the oracle refines."""
    if isinstance(penalty, Ball):
        problem, _ = solved("exact", loss, PENALTIES["l2"], np.asarray, shift)
        ball = Problem(problem.data, problem.loss, penalty)
        return minimum_in_ball(ball, project_l1 if penalty.norm == 1 else project_l2)
    return solved(TIGHT.get(loss, "newton"), loss, penalty, np.asarray, shift, tol=1e-13)[1].coef
