"""AUM as a loss of the weights and as a solver: the definition, finite differences, and its bound."""

from itertools import pairwise

import numpy as np
import pytest
from problems import EACH_FORM, make_problem

from aucmax.losses.area_under_min import AreaUnderMin
from aucmax.solvers import AUM


@pytest.mark.parametrize("ties", [False, True])
def test_loss_is_the_integral_of_the_lesser_rate_and_its_slope(table, ties):
    X, y, weight = table()
    X = np.round(X) if ties else X
    data = make_problem(X, y, weight).data
    w = np.array([1.0, -1.0, 0.0, 2.0, 1.0, -1.0]) + (0.0 if ties else 0.1 * np.arange(6))
    value, gradient = AreaUnderMin().value_and_gradient(data, w)
    assert value == pytest.approx(lesser_rate(X @ w, y, weight), rel=1e-12)
    others = np.random.default_rng(0).normal(size=(50, 6))
    planes = [value + gradient @ (v - w) for v in others]
    assert (np.array(planes) <= [lesser_rate(X @ v, y, weight) + 1e-12 for v in others]).all()
    if not ties:
        slopes = [(lesser_rate(X @ (w + 1e-7 * u), y, weight) - value) / 1e-7 for u in np.eye(6)]
        np.testing.assert_allclose(gradient, slopes, atol=1e-6)


def test_tiny_weights_count_as_others_do(table):
    X, y, weight = table(100)
    found = []
    for each in (weight, np.ldexp(weight, -300)):
        problem = make_problem(X, y, each, loss=AreaUnderMin(), l2=0.3, standardize=True, full=True)
        found.append(AUM(max_epochs=10).solve(problem).coef)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


def lesser_rate(scores, y, weight):
    """Sum over the gaps between scores of the lesser error rate when only what is above is predicted positive."""
    cuts = np.unique(scores)
    share = np.where(y > 0, weight / weight[y > 0].sum(), weight / weight[y < 0].sum())
    pieces = []
    for low, high in pairwise(cuts):
        above = scores >= high
        pieces.append((high - low) * min(share[above & (y < 0)].sum(), share[~above & (y > 0)].sum()))
    return sum(pieces)


@EACH_FORM
def test_solver_lowers_the_loss_and_its_gap_is_a_bound(table, form):
    X, y, weight = table(100)
    solver = AUM(max_epochs=30)
    problem = make_problem(form(X), y, weight, loss=AreaUnderMin(), l2=0.3, standardize=True, full=True)
    solution = solver.solve(problem)
    objective = solution.trace["objective"]
    assert objective[-1] < objective[0]
    assert solution.objective == pytest.approx(problem.objective(solution.coef), rel=1e-9)
    rng = np.random.default_rng(0)
    for size in (0.01, 0.1, 1.0):
        for v in solution.coef + size * rng.normal(size=(100, 6)):
            assert problem.objective(v / (v @ problem.data.delta)) >= solution.objective - solution.gap - 1e-12
