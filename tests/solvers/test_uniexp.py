"""Uni-Exp: the equivalence it rests on, the limit, and outliers; steps are in tests/oracles."""

from functools import partial

import numpy as np
import pytest
from problems import make_problem, run_epochs
from scipy.optimize import minimize

from aucmax.losses import Exponential
from aucmax.solvers import UniExp

problem_of = partial(make_problem, loss=Exponential(), l2=0.0)


def minimiser(value, size):
    return minimize(value, np.zeros(size), method="BFGS", options={"gtol": 1e-9}).x


def pair_loss(X, y):
    return lambda w: np.log(np.exp(-X[y > 0] @ w).mean()) + np.log(np.exp(X[y < 0] @ w).mean())


def test_weighted_unweighted_and_pairwise_losses_share_their_minimiser(table):
    X, y, _ = table(n=120, dim=3)
    pairs = minimiser(pair_loss(X, y), 3)
    for shares in (np.where(y > 0, 0.5 / (y > 0).sum(), 0.5 / (y < 0).sum()), np.full(120, 1 / 120)):
        single = minimiser(lambda u, s=shares: np.log(s @ np.exp(-y * (X @ u[:3] + u[3]))), 4)
        np.testing.assert_allclose(single[:3], pairs, atol=1e-6)


def test_many_passes_lead_to_the_minimiser_over_pairs(table):
    X, y, _ = table(n=200, dim=3, rate=0.2)
    best = minimiser(pair_loss(X, y), 3)
    problem = problem_of(X, y)
    lowest = problem.objective(best)
    excess = [problem.objective(run_epochs(UniExp(), problem, epochs).w) - lowest for epochs in (3, 300)]
    assert 0 <= excess[1] < 0.2 * excess[0]
    assert excess[1] < 0.01 * lowest


@pytest.mark.parametrize("l2", [0.03, 0.3, 3.0])
def test_many_passes_lead_to_the_minimum_of_the_objective(l2, table):
    X, y, weight = table(n=300, dim=3, rate=0.2)
    problem = problem_of(X, y, weight, l2=l2)
    best = problem.objective(minimiser(problem.objective, 3))
    of_the_root = minimiser(lambda w: np.sqrt(problem_of(X, y, weight).objective(w)) + 0.5 * l2 * w @ w, 3)
    found = problem.objective(run_epochs(UniExp(), problem, 300).w)
    assert found < best * 1.002
    assert found - best < 0.2 * (problem.objective(of_the_root) - best)  # what the published steps lead to


@pytest.mark.parametrize("l2", [0.03, 0.3])
def test_the_published_penalty_is_added_to_the_root_of_the_loss_of_pairs(l2, table):
    X, y, weight = table(n=300, dim=3, rate=0.2)
    problem = problem_of(X, y, weight, l2=l2)

    def published(w):
        return np.sqrt(problem_of(X, y, weight).objective(w)) + 0.5 * l2 * w @ w

    best = published(minimiser(published, 3))
    of_rows, of_pairs = (run_epochs(UniExp(penalised=which), problem, 300).w for which in ("row_loss", "pair_loss"))
    assert published(of_rows) < best * 1.002
    assert published(of_rows) - best < 0.2 * (published(of_pairs) - best)


def test_an_unknown_penalised_loss_is_refused():
    with pytest.raises(ValueError, match=r"penalised='both'; give one of \['pair_loss', 'row_loss'\]"):
        UniExp(penalised="both").check_settings()


def test_automatic_step_is_one_over_the_mean_size(table):
    X, y, weight = table(n=200)
    means = [np.average(X[y == k], axis=0, weights=weight[y == k]) for k in (1, -1)]
    size = np.average(((X - np.mean(means, axis=0)) ** 2).sum(axis=1), weights=weight)
    problem = problem_of(X, y, weight)
    given = UniExp(eta=1 / (1 + size))
    np.testing.assert_allclose(run_epochs(UniExp(), problem).w, run_epochs(given, problem).w, rtol=1e-9)


def test_centring_makes_columns_far_from_zero_harmless(table):
    X, y, _ = table(n=500)
    near, far = (run_epochs(UniExp(), problem_of(X + shift, y)).w for shift in (0.0, 1e6))
    np.testing.assert_allclose(far, near, rtol=1e-4, atol=1e-4)  # the shift costs ten digits


def test_an_outlier_moves_its_own_score_by_a_bounded_step(table):
    X, y, _ = table(n=300)
    X[-1] = -1e8 * y[-1] * run_epochs(UniExp(), problem_of(X[:-1], y[:-1])).w
    state = run_epochs(UniExp(eta=0.1, order="stream"), problem_of(X, y))
    before = run_epochs(UniExp(eta=0.1, order="stream"), problem_of(X[:-1], y[:-1]))
    assert np.isfinite(state.w).all()
    assert np.linalg.norm(state.w) < 10 * np.linalg.norm(before.w)
