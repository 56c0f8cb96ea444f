"""The AUM solver against descent from the definition."""

import numpy as np
import pytest
from oracles.aum import descend
from oracles.minimisers import minimiser, squared
from oracles.tables import EACH_FORM, EACH_TABLE, assert_close, drawn_table
from problems import make_problem, run_epochs

from aucmax.losses.area_under_min import AreaUnderMin
from aucmax.penalties import ElasticNet
from aucmax.solvers import AUM

pytestmark = pytest.mark.thorough


def problem_of(form, X, y, weight, l2):
    return make_problem(form(X), y, weight, l2=l2, loss=AreaUnderMin(), full=True)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("line_search", ["first_min", "all", "grid"])
def test_a_step(form, weighted, line_search):
    """From weights without ties among the scores, where there is but one subgradient."""
    X, y, weight = drawn_table(weighted, n=40)
    X[X == 0] = 0.01 * np.random.default_rng(1).normal(size=(X == 0).sum())  # rows that differ
    problem = problem_of(form, X, y, weight, 0.3)
    solver = AUM(line_search=line_search)
    for w in np.random.default_rng(0).normal(size=(10, 6)):
        w = w * np.sign(w @ problem.data.delta)
        expected = descend(X, y, weight, w, 0.3, 1, line_search)
        assert_close(run_epochs(solver, problem, 1, w=w).w, expected)


@EACH_FORM
@EACH_TABLE
def test_steps_on_a_grid_from_the_minimiser_of_the_squared_loss(form, weighted):
    X, y, weight = drawn_table(weighted, n=40)
    pos, neg = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    D = (X[pos][:, None] - X[neg][None]).reshape(-1, 6)
    share = np.outer(weight[pos], weight[neg]).ravel()
    start = minimiser(D, share / share.sum(), squared, ElasticNet(0.0, 0.3))
    expected = descend(X, y, weight, start, 0.3, 5, "grid")
    solver = AUM(line_search="grid", tol=0.0)
    assert_close(run_epochs(solver, problem_of(form, X, y, weight, 0.3), 5).w, expected)
