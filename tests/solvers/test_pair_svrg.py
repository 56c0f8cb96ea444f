"""PairSVRG: lazy steps against one after the other, its sampling and constants over all pairs, and the optimum."""

from dataclasses import replace

import numpy as np
import pytest
from problems import EACH_FORM, KINDS, RATIOS, all_states, make_problem, problem_of_kind

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.solvers import Exact
from aucmax.solvers.pair_svrg import PairSVRG, _epoch, _pairs, skipped_steps
from aucmax.solvers.registry import check_penalty_supported
from aucmax.solvers.snapshot import take_snapshot


def tables(eta, l2, k):
    """d^k and d + ... + d^k, by repeated multiplication."""
    powers = np.cumprod(np.append(1.0, np.full(k, 1.0 / (1.0 + eta * l2))))
    return powers, np.append(0.0, np.cumsum(powers[1:]))


@pytest.mark.parametrize("l2", [0.0, 1e-9, 0.01, 0.5])
@pytest.mark.parametrize("l1", [0.0, 0.02, 0.3])
def test_skipped_steps_equal_one_after_the_other(l1, l2):
    rng = np.random.default_rng(0)
    eta = 0.1
    crossings = 0
    powers, sums = tables(eta, l2, 400)
    for _ in range(500):
        start = rng.normal() * rng.choice([0.0, 0.01, 0.3])
        mu = rng.normal() * rng.choice([0.01, 0.3])
        skipped = int(rng.integers(0, 400))
        w = start
        for _ in range(skipped):
            u = w - eta * mu
            w = np.sign(u) * max(abs(u) - eta * l1, 0.0) / (1.0 + eta * l2)
        crossings += start * w < 0
        assert skipped_steps(start, skipped, eta * mu, eta * l1, powers, sums) == pytest.approx(w, abs=1e-12)
    assert crossings > 10  # signs did change


@EACH_FORM
@pytest.mark.parametrize("penalty", [ElasticNet(0.03, 0.1), ElasticNet(0.05, 0.0), ElasticNet(0.0, 0.1)])
def test_lazy_steps_equal_dense_prox_steps_after_1000(table, form, penalty):
    X, y, _ = table(200, 30, sparsity=0.85)
    rng = np.random.default_rng(1)
    eta = 0.02
    m = 1000
    i, j = rng.choice(np.flatnonzero(y > 0), m), rng.choice(np.flatnonzero(y < 0), m)
    weight = rng.uniform(0.5, 2.0, m)
    mu = 0.1 * rng.normal(size=30)
    snapshot = 0.2 * rng.normal(size=30)
    w = snapshot.copy()
    for t in range(m):
        a = X[i[t]] - X[j[t]]
        w = penalty.prox(w - eta * (weight[t] * (a @ (w - snapshot)) * a + mu), eta)
    data = make_problem(form(X), y).data
    for run in (_epoch, getattr(_epoch, "py_func", _epoch)):  # compiled, and plain Python
        lazy = snapshot.copy()
        run(
            data.rows, i, j, eta * weight, X @ snapshot, eta * mu, eta * penalty.l1, *tables(eta, penalty.l2, m), lazy
        )
        np.testing.assert_allclose(lazy, w, atol=1e-10)


def test_snapshot_equals_all_pairs(table, pairs):
    problem = problem_of_kind(table, l1_ratio=0.3)
    w = np.random.default_rng(0).normal(size=problem.data.dim)
    P = pairs(problem.data.X, problem.data.y, problem.data.weight)
    point = take_snapshot(problem, w)
    assert point.objective == pytest.approx(P.squared(w) + problem.penalty.value(w), rel=1e-12)
    expected = -P.differences.T @ (P.weights * (1.0 - P.differences @ w))
    np.testing.assert_allclose(point.gradient, expected, atol=1e-12)
    np.testing.assert_allclose(point.scores, problem.data.X @ w, atol=1e-12)


def test_no_pair_is_steeper_than_L(table):
    problem = problem_of_kind(table, "weighted", l1_ratio=0.3)
    state = PairSVRG().init(problem, np.zeros(problem.data.dim))
    X = problem.data.X
    y = problem.data.y
    h = state.h
    r = problem.data.r
    squares = np.square(X[y > 0][:, None] - X[y < 0][None]).sum(axis=2)
    both = h[y > 0][:, None] + h[y < 0][None]
    mean = np.sum(r[y > 0][:, None] * r[y < 0][None] * both)
    steepest = (mean / both * squares).max()
    assert steepest <= state.L
    assert 4.0 * steepest >= state.L  # and L is not far above


def test_pairs_are_drawn_as_often_as_they_should(table):
    X, y, weight = table(12, 3)
    problem = make_problem(X, y, weight, ElasticNet(0.1, 0.1))
    h = PairSVRG().init(problem, np.zeros(3)).h
    r = problem.data.r
    m = 200_000
    i, j = _pairs(problem.data, h, m, np.random.default_rng(2))
    counts = np.zeros((12, 12))
    np.add.at(counts, (i, j), 1.0)
    probability = np.where((y[:, None] > 0) & (y[None] < 0), np.outer(r, r) * (h[:, None] + h[None]), 0.0)
    probability /= probability.sum()
    deviation = np.sqrt(m * probability * (1.0 - probability))
    assert (np.abs(counts - m * probability) <= 5.0 * deviation).all()


@EACH_FORM
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l1_ratio", RATIOS.values(), ids=RATIOS)
def test_reaches_the_optimum(table, form, kind, l1_ratio):
    problem = problem_of_kind(table, kind, form, l1_ratio=l1_ratio)
    exact = Exact(tol=1e-13, max_epochs=10**5).solve(problem)
    solution = PairSVRG(tol=1e-10).solve(problem, rng=np.random.default_rng(0))
    assert solution.converged
    assert solution.objective - exact.objective <= 1e-10 * exact.objective
    away = solution.coef - exact.coef
    assert 0.5 * problem.penalty.l2 * away @ away <= 2e-10 * exact.objective  # strong convexity


@pytest.mark.thorough
@EACH_FORM
@pytest.mark.parametrize("kind", ["weighted", "rare"])
def test_l1_alone_reaches_the_optimum(table, form, kind):
    problem = problem_of_kind(table, kind, form, l1_ratio=1.0)
    exact = Exact(tol=1e-13, max_epochs=10**5).solve(problem)
    solution = PairSVRG(tol=1e-10).solve(problem, rng=np.random.default_rng(0))
    assert solution.converged
    assert solution.objective - exact.objective <= 1e-10 * exact.objective
    np.testing.assert_array_equal(solution.coef == 0, exact.coef == 0)


@pytest.mark.parametrize("l1_ratio", RATIOS.values(), ids=RATIOS)
def test_convergence_is_linear(table, l1_ratio):
    problem = problem_of_kind(table, "weighted", l1_ratio=l1_ratio)
    gap = PairSVRG(tol=1e-12).solve(problem, rng=np.random.default_rng(0)).trace["gap"]
    line = np.corrcoef(np.arange(gap.size), np.log(gap))[0, 1]
    assert gap.size >= 8
    assert line < 0
    assert line**2 > 0.98


def test_the_shortest_step_takes_every_snapshot_and_returns_the_best(table):
    problem = problem_of_kind(table, "weighted", l1_ratio=0.3)
    start = PairSVRG().init(problem, np.zeros(problem.data.dim))
    states = all_states(PairSVRG(), problem, 60, state=replace(start, eta=0.3 / start.L))
    assert problem.gap(states[-1].w) <= 1e-10 * states[-1].best.objective
    assert (np.diff([state.best.objective for state in states]) <= 1e-14).all()  # up to rounding
    assert np.unique(np.diff([state.passes for state in states])).size > 3  # epochs of random length


def test_no_penalty_is_refused():
    with pytest.raises(ValueError, match=r"PairSVRG supports the penalties.* not 'none'.* use one of.*'exact'"):
        check_penalty_supported(PairSVRG(), ElasticNet(0.0, 0.0), Squared())
