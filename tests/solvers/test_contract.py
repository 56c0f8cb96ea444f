"""What every name in SOLVERS promises, and the exact optima that all others are held against."""

import pickle
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import ElasticNet as ScikitElasticNet
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifier
from aucmax.losses import LOSSES
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet
from aucmax.solvers import CG, SOLVERS, Exact

FORMS = {"dense": np.asarray, "csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}
SHAPES = {"more rows": (60, 6), "more columns": (20, 45)}
EXACT = {"exact": Exact(tol=1e-15), "cg": CG(tol=1e-18)}


def make(X, y, weight, solver, penalty, *, standardize=True):
    """The problem of the first loss that the solver takes."""
    full = solver.wants_scatter(*X.shape, penalty)
    return Problem(Data.of(X, y, weight, standardize=standardize, full=full), solver.losses[0](), penalty)


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


# How near to the minimum a solver of each name must come on small tables, in the epochs given. The first ones
# converge linearly; those of the online family as 1/t at best.
REACH = {
    "mba": (2e-2, 300),
    "exact": (1e-12, 5),
    "cg": (1e-12, 200),
    "sdca": (1e-10, 500),
    "vrspam": (1e-10, 300),
    "spdam": (1e-10, 2000),
    "pair_svrg": (1e-10, 500),
    "spam": (2e-2, 300),
    "solam": (2e-2, 300),
}
OTHER_LOSSES = {"newton": (1e-9, 100), "cutting_plane": (1e-4, 300)}  # held against liblinear in their own files
CONSTRAINED = {"fsauc": 0.2}  # minimises over a ball of its own: its certificate must shrink to this share
CASES = {
    "plain": {},
    "imbalanced": {"n": 600, "rate": 0.01},
    "badly scaled": {"unscaled": True},
    "collinear": {"seed": 3},
}


def table_of(table, case, form=np.asarray):
    X, y, weight = table(**{"n": 200, **CASES[case]})
    if case == "collinear":
        X[:, 1] = X[:, 0]
        X[:, 2] = X[:, 3] + X[:, 4]
    return form(X), y, weight


def test_every_solver_has_a_promise():
    uncertified = {name for name, kind in SOLVERS.items() if not kind.certified}
    assert set(SOLVERS) == set(REACH) | set(OTHER_LOSSES) | set(CONSTRAINED) | uncertified


@pytest.mark.parametrize("name", REACH)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_reaches_the_minimum(table, name, case, form):
    near, epochs = REACH[name]
    solver = SOLVERS[name](tol=near / 2, max_epochs=epochs)
    X, y, weight = table_of(table, case, form)
    problem = make(X, y, weight, solver, ElasticNet(0.0, 0.2))
    best = Exact().solve(make(X, y, weight, Exact(), ElasticNet(0.0, 0.2))).objective
    solution = solver.solve(problem, rng=np.random.default_rng(0))
    excess = solution.objective - best
    assert excess <= near * best
    assert solution.gap >= excess - 1e-13


@pytest.mark.parametrize("name", OTHER_LOSSES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_certifies_its_own_loss(table, name, case, form):
    near, epochs = OTHER_LOSSES[name]
    solver = SOLVERS[name](tol=near, max_epochs=epochs)
    X, y, weight = table_of(table, case, form)
    solution = solver.solve(make(X, y, weight, solver, ElasticNet(0.0, 0.2)), rng=np.random.default_rng(0))
    assert solution.converged and solution.gap <= near * solution.objective


@pytest.mark.parametrize("name", [name for name, kind in SOLVERS.items() if not kind.certified])
@pytest.mark.parametrize("case", CASES)
def test_ranks_nearly_as_the_exact_solver(table, name, case):
    X, y, weight = table_of(table, case)
    loss = SOLVERS[name].losses[0].name
    model = AUCClassifier(alpha=0.2, solver=SOLVERS[name](max_epochs=5), loss=loss, random_state=0)
    aucs = [
        roc_auc_score(y, fitted.fit(X, y, weight).decision_function(X), sample_weight=weight)
        for fitted in (model, AUCClassifier(alpha=0.2))
    ]
    assert aucs[0] >= aucs[1] - 0.04


@pytest.mark.parametrize("name", CONSTRAINED)
@pytest.mark.parametrize("case", CASES)
def test_comes_near_the_minimum_on_its_ball(table, name, case):
    solver = SOLVERS[name](tol=CONSTRAINED[name], max_epochs=300)
    problem = make(*table_of(table, case), solver, ElasticNet(0.0, 0.2))
    solution = solver.solve(problem, rng=np.random.default_rng(0))
    assert solution.gap <= CONSTRAINED[name] * solution.objective


@pytest.mark.parametrize("name", SOLVERS)
def test_dense_equals_sparse(table, name):
    solver = SOLVERS[name](max_epochs=3, tol=0.0)
    if hasattr(solver, "batch_size"):  # else it follows from the number of entries stored
        solver.batch_size = 4
    X, y, weight = table(200)
    runs = [
        solver.solve(make(form(X), y, weight, solver, ElasticNet(0.0, 0.2)), rng=np.random.default_rng(1)).coef
        for form in (np.asarray, sparse.csr_array)
    ]
    np.testing.assert_allclose(*runs, atol=1e-10 * max(1.0, np.abs(runs[0]).max()))


@pytest.mark.parametrize("name", SOLVERS)
def test_goes_on_from_a_pickled_state_as_if_it_had_not_stopped(table, name):
    solver, rng = SOLVERS[name](), np.random.default_rng(2)
    problem = solver.adapt(make(*table(200), solver, ElasticNet(0.0, 0.2)))
    state = solver.init(problem, np.zeros(problem.data.dim))
    state = solver.epoch(problem, state, rng)
    kept = pickle.dumps((state, rng))
    going_on = solver.epoch(problem, state, rng)
    again, again_rng = pickle.loads(kept)
    np.testing.assert_array_equal(solver.epoch(problem, again, again_rng).w, going_on.w)


@pytest.mark.parametrize("name", SOLVERS)
def test_other_losses_and_penalties_are_refused_by_name(table, name, monkeypatch):
    class Cubic:
        name = "cubic"

    monkeypatch.setitem(LOSSES, "cubic", Cubic)
    X, y, _ = table()
    taken = [loss for loss, kind in LOSSES.items() if issubclass(kind, SOLVERS[name].losses)]
    with pytest.raises(ValueError, match=re.escape(f"does not take loss='cubic'; it takes {taken}")):
        AUCClassifier(solver=name, loss="cubic").fit(X, y)
    refused = {"l1": 1.0, "elastic net": 0.5}
    for kind, ratio in refused.items():
        if kind not in SOLVERS[name].penalties:
            with pytest.raises(ValueError, match=f"not '{kind}'.*change these"):
                AUCClassifier(solver=name, loss=SOLVERS[name].losses[0].name, l1_ratio=ratio).fit(X, y)


@pytest.mark.parametrize(
    "settings", [{"max_epochs": 0}, {"max_epochs": 2.5}, {"tol": np.nan}, {"tol": "1e-3"}], ids=str
)
def test_limits_of_a_run_are_checked(table, settings):
    X, y, _ = table()
    with pytest.raises(ValueError, match=f"{next(iter(settings))}=.*; give a"):
        AUCClassifier(solver=SOLVERS["cg"](**settings)).fit(X, y)


def test_fsauc_does_not_pretend_to_heed_the_l1_norm(table):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"takes the penalties .*, not 'l1'"):
        AUCClassifier(solver="fsauc", l1_ratio=1.0).fit(X, y)


@pytest.mark.parametrize("name", SOLVERS)
def test_rows_sorted_by_label_do_no_harm(table, name):
    solver = SOLVERS[name](max_epochs=5, tol=0.0)
    X, y, weight = table(600)
    order = np.argsort(y)
    objectives = [
        solver.solve(make(X[rows], y[rows], weight[rows], solver, ElasticNet(0.0, 0.2)), rng=np.random.default_rng(3))
        for rows in (order, np.random.default_rng(4).permutation(600))
    ]
    assert objectives[0].objective == pytest.approx(objectives[1].objective, rel=0.05)


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
