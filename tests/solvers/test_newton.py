"""Newton against liblinear on explicit pairs, its certificate against the optimum, and its limits."""

import pickle
from functools import partial

import numpy as np
import pytest
from problems import EACH_FORM, FORMS, liblinear, make_problem
from scipy.optimize import minimize

from aucmax.losses import Exponential, Logistic, SquaredHinge
from aucmax.penalties import ElasticNet
from aucmax.solvers import Newton
from aucmax.solvers.truncated_newton import subsample_of

PENALTIES = {"l2": ElasticNet(0.0, 0.02), "elastic net": ElasticNet(0.02, 0.01), "l1": ElasticNet(0.05, 0.0)}
GENERAL = {
    "exponential": (Exponential(), lambda m: np.exp(-m)),
    "logistic": (Logistic(), lambda m: np.logaddexp(0.0, -m)),
}
make = partial(make_problem, loss=SquaredHinge())


@pytest.mark.parametrize("l2", [1e-3, 0.1])
@EACH_FORM
def test_optimum_is_that_of_liblinear_on_all_pairs(table, pairs, l2, form):
    X, y, weight = table(n=40)
    problem = make(form(X), y, weight, ElasticNet(0.0, l2))
    best = problem.objective(liblinear(pairs(X, y, weight), l2, "squared_hinge"))
    solution = Newton(tol=1e-9).solve(problem)
    assert solution.objective == pytest.approx(best, rel=3e-5)
    assert solution.objective <= best * (1 + 1e-9)


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_gap_is_never_below_the_excess(table, penalty):
    problem = make(*table(n=200, dim=10), penalty)
    best = Newton(tol=1e-12).solve(problem).objective
    trace = Newton(tol=1e-12).solve(problem).trace
    assert (trace["gap"] >= trace["objective"] - best - 1e-14).all()
    assert (np.diff(trace["objective"]) <= 1e-14).all()


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("shape", [(300, 8), (20, 50), (400, 40)], ids=["tall", "n < dim", "wide"])
@pytest.mark.parametrize("unscaled", [False, True])
def test_reaches_the_tolerance(table, penalty, shape, unscaled):
    X, y, weight = table(n=shape[0], dim=shape[1], unscaled=unscaled)
    problem = make(X, y, weight, penalty, standardize=unscaled)
    solution = Newton(tol=1e-6).solve(problem)
    assert solution.converged
    objective, gap = problem.certify(solution.coef)
    assert objective == pytest.approx(solution.objective, rel=1e-12)
    assert gap <= 1.001e-6 * objective  # the solver updates scores, the problem computes them from scratch


def test_elastic_net_leaves_exact_zeros_where_the_optimum_has_them(table):
    problem = make(*table(n=200, dim=30), ElasticNet(0.1, 0.01))
    w = Newton(tol=1e-12).solve(problem).coef
    slope = problem.gradient(w) + 0.01 * w
    assert 0 < np.count_nonzero(w) < 30
    np.testing.assert_allclose(slope[w != 0], -0.1 * np.sign(w[w != 0]), atol=1e-7)
    assert (np.abs(slope[w == 0]) <= 0.1 + 1e-9).all()


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_csr_equals_dense(table, penalty):
    X, y, weight = table(n=300, dim=8)
    dense, csr = (Newton(tol=1e-12).solve(make(form(X), y, weight, penalty)).coef for form in FORMS.values())
    np.testing.assert_allclose(csr, dense, rtol=1e-5, atol=1e-6)


def test_a_weight_of_two_is_two_rows(table):
    X, y, _ = table()
    twice = np.where(np.arange(y.size) % 3 == 0, 2, 1)
    penalty = PENALTIES["l2"]
    weighted = Newton(tol=1e-12).solve(make(X, y, twice.astype(float), penalty)).coef
    repeated = Newton(tol=1e-12).solve(
        make(np.repeat(X, twice, axis=0), np.repeat(y, twice), np.ones(twice.sum()), penalty)
    )
    np.testing.assert_allclose(weighted, repeated.coef, rtol=1e-5, atol=1e-7)


def test_single_precision(table):
    X, y, weight = table(n=300, dim=8)
    types = (np.float32, float)
    single, double = (Newton().solve(make(X.astype(dtype), y, weight, PENALTIES["l2"])) for dtype in types)
    assert single.converged
    assert single.objective == pytest.approx(double.objective, rel=1e-5)


def test_separable_rows():
    X = np.concatenate([np.full((5, 1), 3.0), np.full((7, 1), 1.0)])
    problem = make(X, np.repeat([1.0, -1.0], [5, 7]), np.ones(12), ElasticNet(0.0, 1e-6))
    solution = Newton().solve(problem, w=np.array([5.0]))  # all pairs satisfied: only the penalty is left
    assert solution.converged
    assert solution.coef[0] == pytest.approx(0.5, rel=1e-5)


def test_huge_rows(table):
    X, y, weight = table()
    solution = Newton().solve(make(1e8 * X, y, weight, PENALTIES["l2"]))
    assert np.isfinite(solution.coef).all() and np.isfinite(solution.objective)


def test_constant_columns_and_rows_of_zeros(table):
    X, y, weight = table(n=100)
    X[:, 2] = 7.0
    X[:5] = 0.0
    solution = Newton().solve(make(X, y, weight, PENALTIES["l2"]))
    assert solution.converged


def test_tall_tables_only_are_subsampled(table):
    tall, wide = (make(*table(n=n, dim=dim), PENALTIES["l2"]).data for n, dim in ((4000, 5), (4000, 50)))
    subsample = subsample_of(tall)
    assert subsample is not None and subsample_of(wide) is None
    assert subsample.n <= 800 and set(subsample.y) == {-1.0, 1.0}


@pytest.mark.parametrize("rate", [0.002, 0.3, 0.998])
@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_tall_tables_start_from_a_subsample(table, rate, penalty):
    problem = make(*table(n=5000, dim=4, rate=rate), penalty)
    solution = Newton(tol=1e-8).solve(problem)
    assert solution.converged
    away = Newton(tol=1e-8).solve(problem, w=np.full(4, 0.1))
    assert away.objective == pytest.approx(solution.objective, rel=3e-8)


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_a_pickled_state_continues_as_if_never_stopped(table, penalty):
    problem = make(*table(n=400, dim=5), penalty)
    rng = np.random.default_rng(0)
    solver = Newton()
    first = solver.epoch(problem, solver.init(problem, np.zeros(5)), rng)
    kept = pickle.dumps(first)
    second = solver.epoch(problem, first, rng)
    np.testing.assert_array_equal(solver.epoch(problem, pickle.loads(kept), rng).w, second.w)
    np.testing.assert_array_equal(solver.epoch(problem, first, rng).w, second.w)


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@EACH_FORM
@pytest.mark.parametrize("name", GENERAL)
def test_optimum_is_that_of_a_general_minimiser_on_all_pairs(table, pairs, penalty, form, name):
    X, y, weight = table(n=60, dim=4)
    loss, function = GENERAL[name]
    problem = make_problem(form(X), y, weight, penalty, loss=loss)
    all_pairs = pairs(X, y, weight)

    def objective(parts):  # w = parts[:4] - parts[4:], which makes the l1 norm smooth
        w = parts[:4] - parts[4:]
        value = all_pairs.weights @ function(all_pairs.differences @ w)
        return value + penalty.l1 * parts.sum() + 0.5 * penalty.l2 * w @ w

    limits = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10**4, "maxfun": 10**6}
    best = minimize(objective, np.full(8, 0.1), method="L-BFGS-B", bounds=[(0, None)] * 8, options=limits).fun
    solution = Newton(tol=1e-9).solve(problem)
    assert solution.converged
    assert solution.objective == pytest.approx(best, rel=1e-7)
    assert solution.gap >= solution.objective - best - 1e-12
    assert (solution.trace["gap"] >= solution.trace["objective"] - best - 1e-9).all()


@pytest.mark.parametrize("name", GENERAL)
def test_separable_and_huge_rows_of_smooth_losses(table, name):
    X, y, weight = table(n=200)
    for rows in (X + 5.0 * y[:, None], 1e6 * X, 1e-6 * X):
        problem = make_problem(rows, y, weight, loss=GENERAL[name][0], l2=1e-4, standardize=True)
        assert Newton(tol=1e-6).solve(problem).converged


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("shape", [(5000, 4), (300, 8), (20, 50)], ids=["subsampled", "tall", "n < dim"])
def test_logistic_reaches_the_tolerance(table, penalty, shape):
    X, y, weight = table(n=shape[0], dim=shape[1])
    problem = make_problem(X, y, weight, penalty, loss=Logistic())
    solution = Newton(tol=1e-8).solve(problem)
    assert solution.converged
    objective, gap = problem.certify(solution.coef)
    assert objective == pytest.approx(solution.objective, rel=1e-12)
    assert gap <= 1.1e-8 * objective + 1e-16  # the solver updates scores, the problem computes them from scratch


def test_logistic_with_a_tiny_penalty_on_huge_rows(table):
    """The first steps overshoot: scores far beyond the boxes that the tables cover."""
    X, y, weight = table(n=200)
    solution = Newton(tol=1e-6).solve(make_problem(1e8 * X, y, weight, ElasticNet(0.0, 1e-2), loss=Logistic()))
    assert solution.converged
