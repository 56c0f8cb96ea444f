"""SPAM: its gradients against all pairs, its rates, its guard and its streams; steps are in tests/oracles."""

import re

import numpy as np
import pytest
from oracles.gradient_steps import largest_curvature
from problems import make_problem, resumed_and_not, run_epochs
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Moments, Problem
from aucmax.solvers import SPAM, SPDAM, VRSPAM, Exact, PairSVRG
from aucmax.solvers.published import spam

L2, NET = ElasticNet(0.0, 0.3), ElasticNet(0.02, 0.3)


def make(X, y, weight, penalty=L2, **options):
    return make_problem(X, y, weight, penalty, **options)


@pytest.fixture
def in_given_order(monkeypatch):
    """Make solvers visit the rows in the order given."""

    def set_order(order):
        monkeypatch.setattr(spam, "shuffled_blocks", lambda data, rng, run: order)

    return set_order


def test_elastic_net_step_is_the_prox_of_the_pair_objective(table, pairs):
    """All rows in one batch: w minimises |w - (w0 - eta g)|^2/2 + eta penalty(w), g by differences over all pairs."""
    X, y, weight = table(40)
    w = np.random.default_rng(2).normal(size=6)
    P = pairs(X, y, weight)
    eta = 1 / (50 + NET.l2)
    g = np.array([(P.squared(w + 1e-6 * unit) - P.squared(w - 1e-6 * unit)) / 2e-6 for unit in np.eye(6)])
    target = w - eta * g
    expected = [
        minimize_scalar(lambda z, u=u: (z - u) ** 2 / 2 + eta * (NET.l1 * abs(z) + NET.l2 / 2 * z**2), tol=1e-12).x
        for u in target
    ]
    state = run_epochs(SPAM(step=1 / 50, batch_size=40), make(X, y, weight, NET), 1, w=w)
    np.testing.assert_allclose(state.last, expected, atol=1e-7)


@pytest.mark.parametrize("centre", [True, False])
def test_mean_of_single_steps_is_the_gradient(table, pairs, in_given_order, centre):
    X, y, weight = table(40)
    w = np.random.default_rng(3).normal(size=6)
    eta = 1 / (50 + L2.l2)
    problem = make(X, y, weight)
    solver = SPAM(step=1 / 50, centre=centre)
    gradients = []
    for i in range(40):
        in_given_order(np.array([i]))
        gradients.append((w - (1 + eta * L2.l2) * run_epochs(solver, problem, 1, w=w).last) / eta)
    P = pairs(X, y, weight)
    expected = [(P.squared(w + 1e-6 * unit) - P.squared(w - 1e-6 * unit)) / 2e-6 for unit in np.eye(6)]
    np.testing.assert_allclose(np.mean(gradients, axis=0), expected, atol=1e-8)


def test_squared_distance_falls_as_one_over_t(table, monkeypatch):
    """With independent draws, as in the theorem; the mean of 24 runs of 64 epochs, over the last four octaves."""
    X, y, weight = table(1000, 5)
    monkeypatch.setattr(spam, "shuffled_blocks", lambda data, rng, run: rng.integers(data.n, size=data.n))
    solver = SPAM(average=False)
    problem = make(X, y, weight, ElasticNet(0.0, 0.5))
    best = Exact().solve(make(X, y, weight, ElasticNet(0.0, 0.5), full=True)).coef
    distance = np.zeros(64)
    for seed in range(24):
        rng = np.random.default_rng(seed)
        state = solver.init(problem, np.zeros(5))
        for k in range(64):
            state = solver.epoch(problem, state, rng)
            distance[k] += np.sum((state.w - best) ** 2)
    slope = np.polyfit(np.log(np.arange(4, 65)), np.log(distance[3:]), 1)[0]
    assert slope == pytest.approx(-1.0, abs=0.15)


@pytest.mark.parametrize("penalty", [L2, NET], ids=["l2", "elastic net"])
@pytest.mark.parametrize("case", [{}, {"n": 2000, "rate": 0.01}, {"unscaled": True}])
def test_comes_near_the_optimum(table, penalty, case):
    X, y, weight = table(**{"n": 400, **case})
    problem = make(X, y, weight, penalty, standardize=True)
    best = Exact().solve(make(X, y, weight, penalty, standardize=True, full=True)).objective
    objectives = [
        SPAM(max_epochs=60, tol=0.0).solve(problem, rng=np.random.default_rng(seed)).objective for seed in range(3)
    ]
    assert np.mean(objectives) <= best * 1.01


def test_translation_of_the_columns_changes_nothing(table):
    X, y, weight = table(200)
    runs = [run_epochs(SPAM(), make(X + shift, y, weight), 3).w for shift in (0.0, 100.0)]
    np.testing.assert_allclose(*runs, atol=1e-8)


@pytest.mark.parametrize("penalty", [ElasticNet(0.0, 0.01), ElasticNet(0.01, 0.01)], ids=["l2", "elastic net"])
@pytest.mark.parametrize("multiple", [20.0, 1e6])
def test_a_step_that_diverges_is_cut_and_named(table, penalty, multiple):
    X, y, weight = table(300)
    problem = make(X, y, weight, penalty)
    step = multiple / largest_curvature(X, y, weight, centre=True)
    with pytest.warns(ConvergenceWarning, match="diverges") as caught:
        solution = SPAM(step=step, batch_size=1, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert len(caught) == 1
    assert f"step={step!r}" in str(caught[0].message)
    assert f"{solution.state.cap:.3g}" in str(caught[0].message)
    assert solution.objective < 0.5
    assert solution.trace["passes"][-1] > 10  # the epochs that were thrown away are counted


def test_rows_of_extreme_length_are_named_with_the_remedy(table):
    X, y, weight = table(600)
    SPAM().init(make(X, y, weight), np.zeros(6))
    X[7] *= 200.0
    with pytest.warns(RuntimeWarning, match=r"mean squared norm.*standardize=True"):
        SPAM().init(make(X, y, weight), np.zeros(6))
    SPAM().init(make(X, y, weight, standardize=True), np.zeros(6))


@pytest.mark.parametrize("kind", [SPAM, VRSPAM])
@pytest.mark.parametrize("step", ["armijo", -1.0, 0, None, True, np.inf])
def test_a_step_is_a_name_or_a_number_above_zero(table, kind, step):
    with pytest.raises(ValueError, match=rf"step={step!r}; give .* or a finite number above 0"):
        kind(step=step).solve(make(*table(), NET))


@pytest.mark.parametrize("kind", [SPAM, VRSPAM, SPDAM])
@pytest.mark.parametrize("size", [2.5, -3, "8"])
def test_a_batch_size_is_an_integer(table, kind, size):
    with pytest.raises(ValueError, match=f"batch_size={size!r}; give .*an integer of 1 or more"):
        kind(batch_size=size).solve(make(*table(), NET))


@pytest.mark.parametrize("kind", [VRSPAM, PairSVRG])
@pytest.mark.parametrize("length", [0, 1001.0, 1e160, 1e308])
def test_the_length_of_an_inner_loop_is_above_zero_and_bounded(table, kind, length):
    message = re.escape(f"inner_length={length!r}; give a number above 0 and at most 1000")
    with pytest.raises(ValueError, match=message):
        kind(inner_length=length).solve(make(*table()))


@pytest.mark.parametrize("penalty", [L2, NET], ids=["l2", "elastic net"])
def test_continues_from_a_pickled_state_and_leaves_it_unchanged(table, penalty):
    """The state is pickled after the epochs that follow it."""
    resumed, state = resumed_and_not(SPAM(), make(*table(200), penalty))
    np.testing.assert_array_equal(resumed.w, state.w)


@pytest.mark.parametrize("penalty", [L2, NET], ids=["l2", "elastic net"])
def test_stream_of_batches_comes_near_the_optimum_of_all_rows(table, penalty):
    """Running means, the scale of all rows so far, batches of one class among them."""
    X, y, _ = table(6000)
    X = X * 10.0 ** np.arange(-3, 3)
    solver = SPAM()
    rng = np.random.default_rng(0)
    state = None
    scale = None
    moments = None
    batches = np.split(np.arange(6000), 60)
    batches[30] = np.flatnonzero(y > 0)[:100]
    for batch in batches:
        part = Moments.of(X[batch], y[batch], full=False)
        moments = part if moments is None else moments + part
        full_scale = np.sqrt(moments.variances)
        problem = Problem(Data(X[batch], y[batch], np.ones(batch.size), moments, full_scale), Squared(), penalty)
        state = solver.init(problem, np.zeros(6)) if state is None else state.rescaled(full_scale / scale)
        state = solver.epoch(problem, state, rng)
        scale = full_scale
    whole = Problem(Data(X, y, np.ones(6000), Moments.of(X, y), scale), Squared(), penalty)
    best = Exact().solve(whole).objective
    assert whole.objective(state.w) <= best * 1.02


def test_a_stream_weighs_rows_by_all_that_were_seen(table):
    """After twice the same rows, steps are as if the batch were all data, since class shares are the same."""
    X, y, weight = table(100)
    once, twice = Moments.of(X, y, weight, full=False), Moments.of(X, y, weight, full=False)
    problems = [Problem(Data(X, y, weight, moments, np.ones(6)), Squared(), L2) for moments in (once, once + twice)]
    runs = [run_epochs(SPAM(), problem, 2).w for problem in problems]
    np.testing.assert_allclose(*runs, atol=1e-12)
