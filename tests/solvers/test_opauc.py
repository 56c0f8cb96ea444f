"""OPAUC: gradients against all pairs, the limit against the exact minimiser, the sketch against its definition."""

from dataclasses import replace

import numpy as np
import pytest
from problems import make_problem, run_epochs

from aucmax.problem import Moments
from aucmax.solvers import OPAUC, Exact
from aucmax.solvers.published.covariance_sketch import row_signs
from aucmax.solvers.published.one_pass import total_variance


def test_every_step_is_the_gradient_over_all_pairs_so_far(table):
    """Rows so small that the bound on the step lies above 1: with eta = 1 a step is the gradient itself."""
    X, y, _ = table(n=80)
    X = 0.1 * X
    l2 = 0.05
    learner = OPAUC(eta=1.0, order="stream")
    rng = np.random.default_rng(0)
    state = None
    steps = 0
    for i in range(80):
        rows = slice(i, i + 1)
        problem = make_problem(X[rows], y[rows], l2=l2, seen=Moments.of(X[: i + 1], y[: i + 1], full=False))
        state = learner.init(problem, np.zeros(6)) if state is None else state
        w = state.w
        state = learner.epoch(problem, state, rng)
        others = X[:i][y[:i] != y[i]]
        if len(others):
            z = y[i] * (X[i] - others)
            gradient = l2 * w - ((1.0 - z @ w)[:, None] * z).mean(axis=0)
            np.testing.assert_allclose(w - state.w, gradient, atol=1e-13)
            steps += 1
    assert steps > 70


def test_no_eta_makes_it_diverge(table):
    X, y, _ = table(n=500, unscaled=True)
    for covariance in ("full", "diagonal", "sketched"):
        problem = make_problem(X, y, l2=1e-3)
        assert problem.objective(run_epochs(OPAUC(eta=1e9, covariance=covariance, tau=5), problem, 5).w) < 5.0


def test_automatic_step_is_a_twentieth_over_the_total_variance(table):
    X, y, weight = table(n=200)
    problem = make_problem(X, y, weight)
    given = OPAUC(eta=0.05 / total_variance(problem.data))
    np.testing.assert_array_equal(run_epochs(OPAUC(), problem).w, run_epochs(given, problem).w)


def test_small_constant_steps_lead_close_to_the_exact_minimiser(table):
    X, y, weight = table(n=200)
    problem = make_problem(X, y, weight, l2=0.1, full=True)
    best = Exact().solve(problem)
    eta = 0.05 / total_variance(problem.data)
    excess = [
        problem.objective(run_epochs(OPAUC(eta=eta / slower), problem, 20 * slower).w) - best.objective
        for slower in (1, 5, 25)
    ]
    assert excess[2] < 1e-3 * best.objective
    assert excess[0] > 2 * excess[1] > 4 * excess[2] > 0


def test_diagonal_is_full_where_columns_are_uncorrelated():
    """Over a complete design and its mirror images the covariances are diagonal after every block."""
    rng = np.random.default_rng(0)
    cube = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
    X = np.concatenate([cube - 0.3, cube + 0.3])
    y = np.repeat([-1.0, 1.0], 8)
    first = {c: run_epochs(OPAUC(covariance=c, order="stream"), make_problem(X, y)) for c in ("full", "diagonal")}
    found = first["full"].statistics.scatter
    np.testing.assert_allclose(found, [np.diag(d) for d in first["diagonal"].statistics.scatter], atol=1e-12)
    later = {}
    for covariance, state in first.items():
        x = rng.normal(size=(1, 3)) if not later else later["x"]
        later["x"] = x
        problem = make_problem(x, np.ones(1), seen=Moments.of(np.vstack([X, x]), np.append(y, 1.0), full=False))
        zero = replace(state, w=np.zeros(3))
        later[covariance] = OPAUC(covariance=covariance).epoch(problem, zero, rng).w
    np.testing.assert_allclose(later["full"], later["diagonal"], rtol=1e-12)


def test_sketch_is_right_in_the_mean(table):
    """Far from centred rows, with weights; the mean of 2000 sketches is within five standard errors."""
    X, y, weight = table(n=40, dim=3)
    problem = make_problem(X + 5.0, y, weight)
    found = []
    for seed in range(2000):
        state = run_epochs(OPAUC(covariance="sketched", tau=4, order="stream"), problem, seed=seed)
        C = state.M[:, 0]
        Z = state.M[:, 1:5]
        centred = Z - np.outer(C / state.T[0], state.r[0])
        found.append(centred @ centred.T / state.T[0])
    part = X[y < 0]
    share = weight[y < 0] / weight[y < 0].sum()
    centred = part - share @ part
    error = np.std(found, axis=0) / np.sqrt(2000)
    assert (np.abs(np.mean(found, axis=0) - (centred * share[:, None]).T @ centred) < 5 * error).all()


def test_rescaled_sketch_can_continue(table):
    X, y, weight = table(n=60, dim=4)
    ratio = np.array([0.5, 2.0, 1.0, 3.0])
    learner = OPAUC(covariance="sketched", tau=4, order="stream")
    state = run_epochs(learner, make_problem(X, y, weight)).rescaled(ratio)
    state = learner.epoch(make_problem(X / ratio, y, weight), state, np.random.default_rng(0))
    np.testing.assert_allclose(state.M[:, 0], 2.0 * weight[y < 0] @ X[y < 0] / ratio)
    np.testing.assert_allclose(state.M[:, 6], 2.0 * weight[y > 0] @ X[y > 0] / ratio)
    np.testing.assert_allclose(state.G, state.M.T @ state.M, atol=1e-9 * np.abs(state.G).max())
    np.testing.assert_allclose(state.w, state.M @ state.th)
    assert np.isfinite(state.w).all()


def test_signs_depend_on_the_seed_and_the_row_alone():
    for tau in (3, 64, 300):
        whole = row_signs(7, 0, 20, tau)
        assert whole.shape == (20, tau)
        np.testing.assert_array_equal(whole[11:], row_signs(7, 11, 9, tau))
        assert (whole != row_signs(8, 0, 20, tau)).any()
    assert abs(row_signs(0, 0, 10_000, 50).mean() - 0.5) < 5 * 0.5 / np.sqrt(500_000)


def test_gram_matrix_is_refreshed_after_a_million_rows(table, monkeypatch):
    monkeypatch.setattr("aucmax.solvers.published.covariance_sketch.REFRESH", 250)
    X, y, weight = table(n=200)
    state = run_epochs(OPAUC(covariance="sketched", tau=3), make_problem(X, y, weight), epochs=2)
    np.testing.assert_array_equal(state.G, state.M.T @ state.M)


def test_wide_tables_need_another_covariance():
    wide = make_problem(np.zeros((4, 2001)), np.array([1.0, -1.0, 1.0, -1.0]))
    with pytest.raises(ValueError, match="above 2000 columns use 'diagonal' or 'sketched'"):
        OPAUC().init(wide, np.zeros(wide.data.dim))
    OPAUC(covariance="sketched").init(wide, np.zeros(wide.data.dim))


def test_invalid_settings_are_refused():
    with pytest.raises(ValueError, match=r"covariance='sparse'; give one of \['full', 'diagonal', 'sketched'\]"):
        OPAUC(covariance="sparse").check_settings()


@pytest.mark.parametrize("setting", [{"tau": 1.5}, {"tau": None}, {"eta": "x"}], ids=str)
def test_settings_that_are_not_numbers_are_refused(setting):
    with pytest.raises(ValueError, match=f"{next(iter(setting))}=.*; give .*(an integer|a finite number)"):
        OPAUC(covariance="sketched", **setting).check_settings()


def test_a_fit_in_the_order_of_the_table_keeps_it_even_if_sorted_by_label(table):
    """All negatives first: the published pass, with the gradient over all pairs so far."""
    X, y, _ = table(n=300)
    order = np.argsort(y, kind="stable")
    X, y = 0.1 * X[order], y[order]
    l2 = 0.05
    w = np.zeros(6)
    for i in range(300):
        others = X[:i][y[:i] != y[i]]
        if len(others):
            z = y[i] * (X[i] - others)
            w = w - l2 * w + ((1.0 - z @ w)[:, None] * z).mean(axis=0)
    problem = make_problem(X, y, l2=l2)
    found = OPAUC(eta=1.0, order="stream").solve(problem, rng=np.random.default_rng(0)).coef
    np.testing.assert_allclose(found, w, atol=1e-12)
    shuffled = OPAUC(eta=1.0).solve(problem, rng=np.random.default_rng(0)).coef
    assert np.abs(shuffled - w).max() > 1e-3
