"""SDCA: its dual by brute force, its visits, and the exact optimum; steps are in tests/oracles."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from oracles.dual import Equations
from problems import EACH_FORM, KINDS, problem_of_kind

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.solvers import Exact
from aucmax.solvers.registry import check_penalty_supported
from aucmax.solvers.sdca import SDCA, _epoch, _systematic
from aucmax.solvers.visiting_order import shuffled_blocks


def visit(problem, state, visits, run=_epoch):
    """theta and w after visiting these rows."""
    theta = state.theta.copy()
    v = state.v.copy()
    means = problem.data.means
    args = (problem.data.rows, state.terms, np.asarray(visits), means @ means.T, problem.penalty.l2, theta, v)
    c = run(*args, *state.c, *(means @ state.w))
    return theta, v + np.array(c) @ means, v, c


@EACH_FORM
def test_compiled_equals_plain_python(table, form):
    problem = problem_of_kind(table, "weighted", form)
    state = SDCA().init(problem, np.zeros(problem.data.dim))
    visits = np.arange(problem.data.n)
    compiled = visit(problem, state, visits)
    plain = visit(problem, state, visits, getattr(_epoch, "py_func", _epoch))
    np.testing.assert_allclose(compiled[1], plain[1], atol=1e-12)


def test_every_step_raises_the_dual(table):
    problem = problem_of_kind(table, "weighted", alpha=0.02)
    state = SDCA().init(problem, np.zeros(problem.data.dim))
    equations = Equations(problem)
    value = equations.dual(state.theta)
    for i in np.random.default_rng(1).integers(0, problem.data.n, 300):
        theta, w, v, c = visit(problem, state, [i])
        state = replace(state, w=w, theta=theta, v=v, c=c)
        before = value
        value = equations.dual(theta)
        assert value >= before - 1e-15  # rounding of a number below 1/2
    assert value <= Exact().solve(problem).objective


def test_weights_are_the_minimiser_for_the_dual_variables(table):
    problem = problem_of_kind(table, "weighted")
    state = SDCA().init(problem, np.zeros(problem.data.dim))
    for _ in range(3):
        state = SDCA().epoch(problem, state, np.random.default_rng(2))
    np.testing.assert_allclose(state.w, Equations(problem).weights(state.theta), atol=1e-12)


def test_a_start_at_the_optimum_stays_there(table):
    problem = problem_of_kind(table, "weighted")
    best = Exact().solve(problem).coef
    np.testing.assert_allclose(SDCA().init(problem, best).w, best, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_a_warm_start_is_never_worse_than_zero(table, seed):
    problem = problem_of_kind(table, "weighted")
    equations = Equations(problem)
    w = 10.0 * np.random.default_rng(seed).normal(size=problem.data.dim)
    state = SDCA().init(problem, w)
    assert equations.dual(state.theta) >= equations.dual(np.zeros(problem.data.n))
    np.testing.assert_allclose(state.w, equations.weights(state.theta), atol=1e-10)


@EACH_FORM
@pytest.mark.parametrize("kind", KINDS)
def test_reaches_the_optimum(table, form, kind):
    problem = problem_of_kind(table, kind, form)
    exact = Exact().solve(problem)
    solution = SDCA(tol=1e-10).solve(problem, rng=np.random.default_rng(0))
    assert solution.converged
    assert solution.objective - exact.objective <= 1e-10 * exact.objective
    away = solution.coef - exact.coef
    assert 0.5 * problem.penalty.l2 * away @ away <= 2e-10 * exact.objective  # strong convexity


def test_systematic_visits_are_shares_rounded_up_or_down():
    frequency = np.random.default_rng(6).exponential(size=997) ** 3 + 0.01
    rng = np.random.default_rng(7)
    times = np.bincount(_systematic(frequency, rng.permutation(997), rng), minlength=997)
    share = 997 * frequency / frequency.sum()
    assert times.sum() == 997
    assert (np.abs(times - share) < 1.0 + 1e-9).all()


@pytest.mark.parametrize("n", [1, 5, 16, 1000])
def test_runs_visit_every_row_once(n):
    for y in (np.tile([1.0, -1.0], n)[:n], np.where(np.arange(n) < n // 2, 1.0, -1.0)):
        rows = SimpleNamespace(n=n, y=y)
        np.testing.assert_array_equal(np.sort(shuffled_blocks(rows, np.random.default_rng(8))), np.arange(n))


@pytest.mark.parametrize("penalty", [ElasticNet(0.1, 0.1), ElasticNet(0.0, 0.0)])
def test_other_penalties_are_refused(penalty):
    with pytest.raises(ValueError, match=r"SDCA supports the penalties \['l2'\], not.* use one of.*'exact'"):
        check_penalty_supported(SDCA(), penalty, Squared())
