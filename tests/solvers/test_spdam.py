"""SPDAM: its proximal step by a numerical argmin, its constants, the exact optimum; steps are in tests/oracles."""

import numpy as np
import pytest
from oracles.dual import saddle_rows
from problems import EACH_FORM, KINDS, RATIOS, make_problem, problem_of_kind, run_epochs
from scipy import optimize

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.solvers import Exact
from aucmax.solvers.published.spdam import SPDAM, SPDAMSteps, _epoch, _shortfall
from aucmax.solvers.registry import check_penalty_supported


@pytest.mark.parametrize("l1_ratio", RATIOS.values(), ids=RATIOS)
def test_saddle_function_is_the_objective(table, pairs, l1_ratio):
    problem = problem_of_kind(table, l1_ratio=l1_ratio)
    Z, delta = saddle_rows(problem.data)
    w = 0.3 * np.random.default_rng(0).normal(size=delta.size)
    beta = Z @ w  # where the maximum over beta is attained
    saddle = np.mean(beta * (Z @ w) - beta**2 / 2) + 0.5 * (1.0 - w @ delta) ** 2
    assert saddle == pytest.approx(pairs(problem.data.X, problem.data.y, problem.data.weight).squared(w), rel=1e-12)


@EACH_FORM
def test_compiled_equals_plain_python(table, form):
    problem = problem_of_kind(table, "weighted", form, l1_ratio=0.3)
    solver = SPDAM()
    state = solver.init(problem, np.zeros(problem.data.dim))
    data = problem.data
    results = []
    for run in (_epoch, getattr(_epoch, "py_func", _epoch)):
        beta = state.beta.copy()
        u = state.u.copy()
        w = state.w.copy()
        v = state.v.copy()
        rows = (data.rows, data.y, np.sqrt(data.e), np.arange(data.n).reshape(-1, 10), data.means, data.delta)
        run(*rows, problem.penalty.l1, problem.penalty.l2, state.steps, beta, u, w, v)
        results.append(w)
    np.testing.assert_allclose(*results, atol=1e-12)


@pytest.mark.parametrize("l1", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_primal_step_is_the_argmin(l1, seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=5)
    delta = rng.normal(size=5)
    c = 0.5
    s = _shortfall(q, delta, l1, c, rng.normal())
    z = q + s * delta
    w = np.sign(z) * np.maximum(np.abs(z) - l1, 0.0) / c

    def split(parts):  # w = parts[:5] - parts[5:], both not negative: smooth
        w = parts[:5] - parts[5:]
        return -q @ w + 0.5 * (1.0 - w @ delta) ** 2 + l1 * parts.sum() + 0.5 * c * w @ w

    found = optimize.minimize(
        split, np.full(10, 0.1), bounds=[(0, None)] * 10, options={"ftol": 1e-15, "gtol": 1e-10}
    )
    np.testing.assert_allclose(w, found.x[:5] - found.x[5:], atol=1e-4)  # L-BFGS, finite differences
    assert split(np.concatenate([np.maximum(w, 0), np.maximum(-w, 0)])) <= found.fun + 1e-12
    assert 1.0 - w @ delta == pytest.approx(s, abs=1e-12)


@pytest.mark.parametrize("m", [1, 3, 100, 1000])
@pytest.mark.parametrize("kappa2, l2", [(1.0, 0.1), (1e4, 1e-3), (1e-3, 10.0)])
def test_steps_satisfy_the_identities_of_the_theorem(m, kappa2, l2):
    n = 1000
    sigma, tau, theta = SPDAMSteps.of(n, m, kappa2, l2)
    assert 4.0 * kappa2 * m * sigma**2 == pytest.approx(2.0 * l2 * (n - m) * sigma + l2 * n)
    assert 4.0 * sigma * tau * kappa2 == pytest.approx(1.0)
    assert 1 / m + 1 / (2 * sigma * m) - 1 / n == pytest.approx(theta * (1 / m + 1 / (2 * sigma * m)))
    assert 1 / (2 * tau) == pytest.approx(theta * (1 / (2 * tau) + l2))


@EACH_FORM
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l1_ratio", RATIOS.values(), ids=RATIOS)
def test_reaches_the_optimum(table, form, kind, l1_ratio):
    problem = problem_of_kind(table, kind, form, l1_ratio=l1_ratio)
    exact = Exact(tol=1e-13, max_epochs=10**5).solve(problem)
    solution = SPDAM(tol=1e-10).solve(problem, rng=np.random.default_rng(0))
    assert solution.converged
    assert solution.objective - exact.objective <= 1e-10 * exact.objective
    away = solution.coef - exact.coef
    assert 0.5 * problem.penalty.l2 * away @ away <= 2e-10 * exact.objective  # strong convexity


@pytest.mark.parametrize("batch_size", [1, 37, 300, 5000])
def test_every_batch_size_reaches_the_optimum(table, batch_size):
    problem = problem_of_kind(table, "weighted", l1_ratio=0.3)
    solution = SPDAM(batch_size=batch_size, tol=1e-10, max_epochs=5000).solve(problem, rng=np.random.default_rng(0))
    assert solution.converged


def test_a_start_at_the_optimum_stays_there(table):
    problem = problem_of_kind(table, "weighted", l1_ratio=0.3)
    best = Exact(tol=1e-14).solve(problem).coef
    solver = SPDAM()
    state = solver.epoch(problem, solver.init(problem, best), np.random.default_rng(0))
    np.testing.assert_allclose(state.w, best, atol=1e-6)


@pytest.mark.parametrize("penalty", [ElasticNet(0.1, 0.0), ElasticNet(0.0, 0.0)])
def test_penalties_without_l2_are_refused(penalty):
    with pytest.raises(ValueError, match=r"SPDAM supports the penalties.* not.* use one of.*'exact'"):
        check_penalty_supported(SPDAM(), penalty, Squared())


def test_an_impossible_batch_size_is_refused(table):
    with pytest.raises(ValueError, match="batch_size=0"):
        SPDAM(batch_size=0).solve(problem_of_kind(table))


@pytest.mark.parametrize("share, rows", [(0.1, 20), (0.0125, 2), (1e-6, 1), (0.999, 200)])
def test_a_batch_below_one_is_a_share_of_the_rows(table, share, rows):
    problem = make_problem(*table(200))
    one, other = (run_epochs(SPDAM(batch_size=size), problem, 2).w for size in (share, rows))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_the_printed_steps_lead_to_the_same_optimum(table, share):
    problem = problem_of_kind(table, "weighted")
    best = Exact().solve(problem)
    solution = SPDAM(batch_size=share, steps="printed", tol=1e-8, max_epochs=5000).solve(
        problem, rng=np.random.default_rng(0)
    )
    assert solution.converged
    assert solution.objective == pytest.approx(best.objective, rel=1e-8)


def test_unknown_steps_are_refused(table):
    with pytest.raises(ValueError, match=r"steps='theorem'; give one of \['corrected', 'printed'\]"):
        SPDAM(steps="theorem").solve(problem_of_kind(table))
