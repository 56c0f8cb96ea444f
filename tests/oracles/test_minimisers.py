"""Exact, CG, Newton and CuttingPlane against the minimisers over explicit pairs."""

import numpy as np
import pytest
from oracles import minimisers
from oracles.minimisers import hinge_minimiser, minimiser
from oracles.tables import EACH_FORM, EACH_TABLE, assert_close, drawn_table
from problems import make_problem

from aucmax.losses import Exponential, Hinge, Logistic, Squared, SquaredHinge
from aucmax.penalties import ElasticNet
from aucmax.solvers import CG, CuttingPlane, Exact, Newton

pytestmark = pytest.mark.thorough

PENALTIES = {"l2": ElasticNet(0.0, 0.05), "elastic net": ElasticNet(0.02, 0.05)}
EACH_PENALTY = pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
LOSSES = {loss.name: loss for loss in (SquaredHinge(), Exponential(), Logistic())}


def explicit_pairs(X, y, weight):
    """The differences of all pairs, and their shares of the weight."""
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    products = np.outer(weight[pos], weight[neg]).ravel()
    return (X[pos][:, None] - X[neg][None]).reshape(-1, X.shape[1]), products / products.sum()


@EACH_FORM
@EACH_TABLE
@EACH_PENALTY
@pytest.mark.parametrize("solver", [Exact(tol=1e-18), CG(tol=1e-18, max_epochs=5000)], ids=["exact", "cg"])
@pytest.mark.parametrize("shape", [(60, 6), (20, 30)], ids=["more rows", "more columns"])
def test_the_squared_loss(form, weighted, penalty, solver, shape):
    X, y, weight = drawn_table(weighted, *shape)
    problem = make_problem(form(X), y, weight, penalty)
    expected = minimiser(*explicit_pairs(X, y, weight), minimisers.squared, penalty)
    found = solver.solve(problem)
    assert_close(found.objective, problem.objective(expected))
    np.testing.assert_allclose(found.coef, expected, atol=1e-9)  # a run ends once its gap is lost in rounding


@EACH_FORM
@EACH_TABLE
@EACH_PENALTY
@pytest.mark.parametrize("name", LOSSES)
def test_newton(form, weighted, penalty, name):
    X, y, weight = drawn_table(weighted, n=60)
    expected = minimiser(*explicit_pairs(X, y, weight), getattr(minimisers, name), penalty)
    problem = make_problem(form(X), y, weight, penalty, loss=LOSSES[name])
    assert_close(Newton(tol=1e-18).solve(problem).coef, expected)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("l2", [0.3, 0.03])
def test_cutting_planes(form, weighted, l2):
    """Huberised planes of tiny widths are rounded: to 1e-9 in the objective, and to the root of it in the weights."""
    X, y, weight = drawn_table(weighted, n=24, dim=4)
    D, share = explicit_pairs(X, y, weight)
    w = hinge_minimiser(D, share, l2)
    lowest = share @ np.maximum(1 - D @ w, 0) + 0.5 * l2 * w @ w
    solution = CuttingPlane(tol=1e-12).solve(make_problem(form(X), y, weight, l2=l2, loss=Hinge()))
    assert -1e-15 <= solution.objective - lowest <= 1e-9
    assert solution.gap >= solution.objective - lowest  # at a tolerance that rounding does not let it reach
    assert np.linalg.norm(solution.coef - w) <= np.sqrt(2 * 1e-9 / l2)


def test_every_loss_of_newton_and_of_the_exact_solvers_has_a_minimiser():
    assert {type(loss) for loss in LOSSES.values()} == set(Newton.losses)
    assert Exact.losses == CG.losses == (Squared,)
    assert CuttingPlane.losses == (Hinge,)
