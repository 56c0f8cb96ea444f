"""What every name in SOLVERS promises."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import ElasticNet as ScikitElasticNet

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem
from aucmax.solvers import CG, SOLVERS, Exact

FORMS = {"dense": np.asarray, "csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
SHAPES = {"more rows": (60, 6), "more columns": (20, 45)}
EXACT = {"exact": Exact(tol=1e-15), "cg": CG(tol=1e-18)}


def make(X, y, weight, solver, penalty, *, standardize=True):
    full = solver.wants_scatter(*X.shape, penalty)
    return Problem(Data.of(X, y, weight, standardize=standardize, full=full), Squared(), penalty)


@pytest.mark.parametrize("solver", EXACT.values(), ids=EXACT)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("unscaled", [False, True])
def test_l2_equals_a_solve_over_all_pairs(table, pairs, solver, form, shape, standardize, unscaled):
    if unscaled and not standardize and isinstance(solver, CG) and shape == SHAPES["more columns"]:
        pytest.skip("conjugate gradients need standardised columns where the spread of scales is 1e6 and n < dim")
    X, y, weight = table(*shape, unscaled=unscaled)
    problem = make(form(X), y, weight, solver, ElasticNet(0.0, 0.05), standardize=standardize)
    w = solver.solve(problem).coef
    expected = pairs(X / problem.data.scale, y, weight).ridge(0.05)
    np.testing.assert_allclose(w, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("solver", EXACT.values(), ids=EXACT)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("penalty", [ElasticNet(0.02, 0.03), ElasticNet(0.05, 0.0)], ids=["elastic net", "l1"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_elastic_net_equals_scikit_learn_on_the_equivalent_rows(table, solver, form, penalty, shape):
    """Rows sqrt(r)(x - mean) with target 0 and the row delta with target 1 (spec 0.5)."""
    X, y, weight = table(*shape)
    problem = make(form(X), y, weight, solver, penalty)
    r, means = np.empty(y.size), np.empty_like(X)
    for side in (y > 0, y < 0):
        r[side] = weight[side] / weight[side].sum()
        means[side] = np.average(X[side], axis=0, weights=weight[side])
    delta = means[y > 0][0] - means[y < 0][0]
    rows = np.vstack([np.sqrt(r)[:, None] * (X - means), delta]) / problem.data.scale
    target = np.append(np.zeros(y.size), 1.0)
    alpha = penalty.l1 + penalty.l2
    oracle = ScikitElasticNet(
        alpha=alpha / target.size, l1_ratio=penalty.l1 / alpha, fit_intercept=False, tol=1e-15, max_iter=10**6
    ).fit(rows, target)
    solution = solver.solve(problem)
    np.testing.assert_allclose(solution.coef, oracle.coef_, atol=1e-8)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_no_penalty_gives_the_shortest_minimiser(table, pairs, form, shape):
    X, y, weight = table(*shape)
    X[:, 1] = X[:, 0]  # collinear: infinitely many minimisers
    solver = Exact()
    problem = make(form(X), y, weight, solver, ElasticNet(0.0, 0.0), standardize=False)
    P = pairs(X, y, weight)
    root = np.sqrt(P.weights)
    expected = np.linalg.lstsq(root[:, None] * P.differences, root, rcond=1e-10)[0]
    np.testing.assert_allclose(solver.solve(problem).coef, expected, atol=1e-8)


def test_zero_is_the_answer_above_the_largest_useful_l1(table):
    X, y, weight = table()
    solver = Exact()
    delta = make(X, y, weight, solver, ElasticNet(1.0, 0.0)).data.delta
    for factor, zero in ((1.001, True), (0.99, False)):
        problem = make(X, y, weight, solver, ElasticNet(factor * np.abs(delta).max(), 0.0))
        assert (not solver.solve(problem).coef.any()) == zero


def test_cg_and_columns_take_many_columns(table):
    """Above 3000 columns the Gram matrix is left aside; both routes give one answer."""
    X, y, weight = table(80, 3100, sparsity=0.97)
    for penalty in (ElasticNet(0.0, 0.5), ElasticNet(0.05, 0.1)):
        answers = [
            solver.solve(make(sparse.csr_array(X), y, weight, solver, penalty))
            for solver in (Exact(tol=1e-13), CG(tol=1e-13))
        ]
        np.testing.assert_allclose(answers[0].coef, answers[1].coef, atol=1e-6)
        assert all(answer.converged for answer in answers)


@pytest.mark.parametrize("name", SOLVERS)
def test_survives_clone_and_pickle(name):
    solver = SOLVERS[name](max_epochs=7)
    assert clone(solver).get_params() == pickle.loads(pickle.dumps(solver)).get_params() == solver.get_params()


@pytest.mark.parametrize("name", SOLVERS)
def test_stops_when_told(table, name):
    solver = SOLVERS[name](tol=0.0, max_epochs=50)
    problem = make(*table(), solver, ElasticNet(0.0, 0.1))
    seen = []
    solution = solver.solve(
        problem, rng=np.random.default_rng(0), callback=lambda record: seen.append(record) or True
    )
    assert solution.n_epochs == len(seen) == len(solution.trace) == 1


@pytest.mark.parametrize("name", SOLVERS)
def test_same_seed_same_answer(table, name):
    solver = SOLVERS[name](max_epochs=3)
    problem = make(*table(), solver, ElasticNet(0.0, 0.1))
    runs = [solver.solve(problem, rng=np.random.default_rng(5)).coef for _ in range(2)]
    np.testing.assert_array_equal(*runs)
