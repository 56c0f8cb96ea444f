"""What every name in SOLVERS guarantees, and the exact optima that all others are compared with."""

import pickle
import re

import numpy as np
import pytest
from problems import CASES, EACH_FORM, FORMS, make_problem, run_epochs, table_of_case
from promises import PROMISES
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import ElasticNet as ScikitElasticNet
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifier
from aucmax.losses import LOSSES, Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Monitor, Problem
from aucmax.solvers import CG, SOLVERS, Exact, State
from aucmax.solvers.registry import losses_of

SPARSE_FORMS = {**FORMS, "csr_matrix": sparse.csr_matrix}
SHAPES = {"more rows": (60, 6), "more columns": (20, 45)}
EXACT = {"exact": Exact(tol=1e-15), "cg": CG(tol=1e-18)}
EACH_SOLVER = pytest.mark.parametrize("name", SOLVERS)
L2 = ElasticNet(0.0, 0.2)


def make(X, y, weight, solver, penalty, *, standardize=True):
    """The problem of the first loss that the solver takes."""
    return make_problem(X, y, weight, penalty, loss=solver.losses[0](), standardize=standardize)


@pytest.mark.parametrize("solver", EXACT.values(), ids=EXACT)
@pytest.mark.parametrize("form", SPARSE_FORMS.values(), ids=SPARSE_FORMS)
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
@pytest.mark.parametrize("form", SPARSE_FORMS.values(), ids=SPARSE_FORMS)
@pytest.mark.parametrize("penalty", [ElasticNet(0.02, 0.03), ElasticNet(0.05, 0.0)], ids=["elastic net", "l1"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_elastic_net_equals_scikit_learn_on_the_equivalent_rows(table, solver, form, penalty, shape):
    """Rows sqrt(r)(x - mean) with target 0 and the row delta with target 1 (docs/mathematics.md, section 4)."""
    X, y, weight = table(*shape)
    problem = make(form(X), y, weight, solver, penalty)
    r = np.empty(y.size)
    means = np.empty_like(X)
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


@pytest.mark.parametrize("form", SPARSE_FORMS.values(), ids=SPARSE_FORMS)
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


# By what they promise: the minimum of the penalised objective, for the squared loss and for others, that of
# the loss over their ball, or without a certificate the ranking alone.
PENALISED = [name for name, promise in PROMISES.items() if not promise.in_ball]
OF_SQUARED_LOSS = [name for name in PENALISED if Squared in SOLVERS[name].losses]
OF_OTHER_LOSSES = [name for name in PENALISED if name not in OF_SQUARED_LOSS]  # see also their own files
IN_BALL = [name for name in PROMISES if name not in PENALISED]
UNCERTIFIED = [name for name in SOLVERS if name not in PROMISES]
EACH_CASE = pytest.mark.parametrize("case", CASES)


@pytest.mark.parametrize("name", OF_SQUARED_LOSS)
@EACH_CASE
@EACH_FORM
def test_reaches_the_minimum(table, name, case, form):
    near, epochs, _ = PROMISES[name]
    solver = SOLVERS[name](tol=near / 2, max_epochs=epochs)
    X, y, weight = table_of_case(table, case)
    best = Exact().solve(make(form(X), y, weight, Exact(), L2)).objective
    solution = solver.solve(make(form(X), y, weight, solver, L2), rng=np.random.default_rng(0))
    excess = solution.objective - best
    assert excess <= near * best
    assert solution.gap >= excess - 1e-13


@pytest.mark.parametrize("name", OF_OTHER_LOSSES)
@EACH_CASE
@EACH_FORM
def test_certifies_its_own_loss(table, name, case, form):
    near, epochs, _ = PROMISES[name]
    solver = SOLVERS[name](tol=near, max_epochs=epochs)
    X, y, weight = table_of_case(table, case)
    solution = solver.solve(make(form(X), y, weight, solver, L2), rng=np.random.default_rng(0))
    assert solution.converged and solution.gap <= near * solution.objective


@pytest.mark.parametrize("name", UNCERTIFIED)
@EACH_CASE
def test_ranks_nearly_as_the_exact_solver(table, name, case):
    X, y, weight = table_of_case(table, case)
    loss = SOLVERS[name].losses[0].name
    model = AUCClassifier(alpha=0.2, solver=SOLVERS[name](max_epochs=5), loss=loss, random_state=0)
    aucs = [
        roc_auc_score(y, fitted.fit(X, y, weight).decision_function(X), sample_weight=weight)
        for fitted in (model, AUCClassifier(alpha=0.2))
    ]
    assert aucs[0] >= aucs[1] - 0.04


@pytest.mark.parametrize("name", IN_BALL)
@EACH_CASE
def test_comes_near_the_minimum_on_its_ball(table, name, case):
    near, epochs, _ = PROMISES[name]
    solver = SOLVERS[name](tol=near, max_epochs=epochs)
    problem = make(*table_of_case(table, case), solver, L2)
    solution = solver.solve(problem, rng=np.random.default_rng(0))
    assert solution.gap <= near * solution.objective


@EACH_SOLVER
def test_dense_equals_sparse(table, name):
    solver = SOLVERS[name](max_epochs=3, tol=0.0)
    if "batch_size" in solver.get_params():  # else it follows from the number of entries stored
        solver.batch_size = 4
    X, y, weight = table(200)
    runs = [
        solver.solve(make(form(X), y, weight, solver, L2), rng=np.random.default_rng(1)).coef
        for form in FORMS.values()
    ]
    np.testing.assert_allclose(*runs, atol=1e-10 * max(1.0, np.abs(runs[0]).max()))


@EACH_SOLVER
def test_continues_from_a_pickled_state_as_if_it_had_not_stopped(table, name):
    solver = SOLVERS[name]()
    rng = np.random.default_rng(2)
    problem = make(*table(200), solver, L2)
    state = run_epochs(solver, problem, rng=rng)
    pickled = pickle.dumps((state, rng))
    after = run_epochs(solver, problem, state=state, rng=rng)
    again, again_rng = pickle.loads(pickled)
    np.testing.assert_array_equal(run_epochs(solver, problem, state=again, rng=again_rng).w, after.w)


@EACH_SOLVER
def test_states_keep_to_the_contract(table, name):
    solver = SOLVERS[name]()
    problem = make(*table(200), solver, L2)
    state = run_epochs(solver, problem, 2)
    assert isinstance(state, State)
    assert state.w.shape == (6,) and state.passes > 0
    assert isinstance(state.ended, bool)
    objective, gap = solver.certify(problem, state)
    expected = solver.constrained(problem) if hasattr(solver, "constrained") else problem
    assert gap >= 0
    if name != "rankopt":  # on a sphere
        assert objective == pytest.approx(expected.objective(state.w), rel=1e-9)
    with pytest.raises(AttributeError):
        state.passes = 0.0


@EACH_SOLVER
def test_every_setting_has_a_constraint_that_its_default_satisfies(name):
    solver = SOLVERS[name]()
    constrained = {
        setting for kind in type(solver).__mro__ for setting in vars(kind).get("parameter_constraints", ())
    }
    assert set(solver.get_params()) == constrained
    solver.check_settings()


@EACH_SOLVER
def test_wrong_settings_are_refused_before_anything_else(name):
    for setting in SOLVERS[name]().get_params():
        solver = SOLVERS[name]().set_params(**{setting: object()})
        with pytest.raises(ValueError, match=f"{setting}=.*; give "):
            solver.solve(None)


class UnknownPenalty(ElasticNet):
    kind = "unknown"


@EACH_SOLVER
def test_a_run_refuses_a_penalty_that_the_solver_does_not_declare(table, name):
    solver = SOLVERS[name]()
    with pytest.raises(ValueError, match=r"supports the penalties .*, not 'unknown'"):
        solver.solve(make(*table(), solver, UnknownPenalty(0.0, 0.1)))


FEW_DIGITS = {"spam", "solam", "mba"}
WITH_L1 = [
    (name, loss)
    for name, kind in SOLVERS.items()
    if kind.certified and "l1" in kind.penalties and name not in FEW_DIGITS
    for loss in losses_of(kind)
]


@pytest.mark.parametrize(("name", "loss"), WITH_L1, ids="-".join)
def test_an_l1_penalty_alone_is_certified_for_every_loss(table, name, loss):
    solver = SOLVERS[name](tol=1e-5, max_epochs=PROMISES[name].epochs)
    problem = make_problem(*table(), ElasticNet(0.05, 0.0), loss=LOSSES[loss](), standardize=True)
    assert solver.solve(problem, rng=np.random.default_rng(0)).converged


@EACH_SOLVER
def test_other_losses_and_penalties_are_refused_by_name(table, name, monkeypatch):
    class Cubic:
        name = "cubic"

    monkeypatch.setitem(LOSSES, "cubic", Cubic)
    X, y, _ = table()
    taken = losses_of(SOLVERS[name])
    with pytest.raises(ValueError, match=re.escape(f"does not support loss='cubic'; it supports {taken}")):
        AUCClassifier(solver=name, loss="cubic").fit(X, y)
    refused = {"l1": 1.0, "elastic net": 0.5}
    for kind, ratio in refused.items():
        if kind not in SOLVERS[name].penalties:
            with pytest.raises(ValueError, match=f"not '{kind}'.*change alpha or l1_ratio"):
                AUCClassifier(solver=name, loss=SOLVERS[name].losses[0].name, l1_ratio=ratio).fit(X, y)


@pytest.mark.parametrize(
    "settings", [{"max_epochs": 0}, {"max_epochs": 2.5}, {"tol": np.nan}, {"tol": "1e-3"}], ids=str
)
def test_limits_of_a_run_are_checked(table, settings):
    X, y, _ = table()
    with pytest.raises(ValueError, match=f"{next(iter(settings))}=.*; give an? "):
        AUCClassifier(solver=SOLVERS["cg"](**settings)).fit(X, y)


def test_fsauc_refuses_the_l1_norm(table):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"supports the penalties .*, not 'l1'"):
        AUCClassifier(solver="fsauc", l1_ratio=1.0).fit(X, y)


@EACH_SOLVER
def test_rows_sorted_by_label_do_no_harm(table, name):
    solver = SOLVERS[name](max_epochs=5, tol=0.0)
    X, y, weight = table(600)
    order = np.argsort(y)
    objectives = [
        solver.solve(make(X[rows], y[rows], weight[rows], solver, L2), rng=np.random.default_rng(3))
        for rows in (order, np.random.default_rng(4).permutation(600))
    ]
    assert objectives[0].objective == pytest.approx(objectives[1].objective, rel=0.05)


@EACH_SOLVER
def test_survives_clone_and_pickle(name):
    solver = SOLVERS[name](max_epochs=7)
    assert clone(solver).get_params() == pickle.loads(pickle.dumps(solver)).get_params() == solver.get_params()


@EACH_SOLVER
def test_stops_when_the_callback_returns_true(table, name):
    solver = SOLVERS[name](tol=0.0, max_epochs=50)
    problem = make(*table(), solver, ElasticNet(0.0, 0.1))
    seen = []
    solution = solver.solve(
        problem, rng=np.random.default_rng(0), callback=lambda record: seen.append(record) or True
    )
    assert solution.n_epochs == len(seen) == len(solution.trace) == 1


@EACH_SOLVER
def test_same_seed_same_answer(table, name):
    solver = SOLVERS[name](max_epochs=3)
    problem = make(*table(), solver, ElasticNet(0.0, 0.1))
    runs = [solver.solve(problem, rng=np.random.default_rng(5)).coef for _ in range(2)]
    np.testing.assert_array_equal(*runs)


SUBLINEAR = [name for name, kind in SOLVERS.items() if kind.certificates == "doubling"]
SCHEDULES = [
    (1, [1]),
    (2, [2]),
    (3, [3]),
    (4, [2, 4]),
    (5, [2, 5]),
    (7, [2, 4, 7]),
    (8, [2, 4, 8]),
    (12, [2, 4, 12]),
    (100, [2, 4, 8, 16, 32, 64, 100]),
]


@pytest.mark.parametrize("name", [name for name, kind in SOLVERS.items() if kind.certificates in ("second", "last")])
def test_solvers_with_costly_certificates_compute_every_second_one_or_the_last(table, name):
    solver = SOLVERS[name](tol=0.0, max_epochs=5)
    problem = make(*table(), solver, L2)
    assert solver.certificates == "second" or not solver.certified
    alone = solver.solve(problem, rng=np.random.default_rng(0))
    watched = solver.solve(problem, rng=np.random.default_rng(0), callback=lambda record: None)
    assert alone.trace["epoch"].tolist() == ([2, 4, 5] if solver.certificates == "second" else [5])
    assert watched.trace["epoch"].tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(alone.coef, watched.coef)


@pytest.mark.parametrize("name", SUBLINEAR)
@pytest.mark.parametrize("epochs, certified", SCHEDULES)
def test_slow_solvers_compute_few_certificates(table, name, epochs, certified, monkeypatch):
    """If one costs 0.41 of an epoch (SPAM on a9a), no run of two epochs or more takes over 1.25 times its epochs."""
    count = []
    certify = Problem.certify
    monkeypatch.setattr(Problem, "certify", lambda self, w: count.append(w) or certify(self, w))
    solver = SOLVERS[name](tol=0.0, max_epochs=epochs)
    problem = make(*table(), solver, L2)
    solution = solver.solve(problem, rng=np.random.default_rng(0))
    assert solution.trace["epoch"].tolist() == certified
    assert len(count) == len(certified)
    assert epochs == 1 or 0.41 * len(count) <= 0.25 * epochs
    assert solution.n_epochs == epochs
    assert solution.trace["objective"][-1] == solution.objective
    assert solution.objective == pytest.approx(solver.certify(problem, solution.state)[0], rel=1e-12)


@pytest.mark.parametrize("name", SUBLINEAR)
@pytest.mark.parametrize(
    "watch", [{"callback": lambda record: None}, {"monitor": Monitor()}], ids=["callback", "monitor"]
)
def test_a_watched_run_records_every_epoch(table, name, watch):
    solver = SOLVERS[name](tol=0.0, max_epochs=11)
    problem = make(*table(), solver, L2)
    watched = solver.solve(problem, rng=np.random.default_rng(0), **watch)
    assert watched.trace["epoch"].tolist() == list(range(1, 12))
    np.testing.assert_array_equal(watched.coef, solver.solve(problem, rng=np.random.default_rng(0)).coef)
