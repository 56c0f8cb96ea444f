"""VRSPAM against its equations in plain NumPy, its linear rate, its guard and its sampling."""

import os
from types import SimpleNamespace

import numpy as np
import pytest
from oracles.gradient_steps import directions, gradient, probabilities
from problems import CASES, EACH_FORM, make_problem, resumed_and_not, run_epochs, soft, table_of_case
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from aucmax import datasets
from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Problem, automatic_alpha
from aucmax.solvers import VRSPAM, Exact
from aucmax.solvers.published.row_sampling import RowSampling

L2, NET, L1 = ElasticNet(0.0, 0.3), ElasticNet(0.02, 0.3), ElasticNet(0.02, 0.0)


def make(X, y, weight, penalty=L2, **options):
    return make_problem(X, y, weight, penalty, **options)


@pytest.fixture
def in_given_order(monkeypatch):
    """Make the solver visit the rows in the order given."""

    def set_order(order):
        monkeypatch.setattr(RowSampling, "draw", lambda self, data, length, independent, rng: order[:length])

    return set_order


@EACH_FORM
@pytest.mark.parametrize("estimator", ["centred", "printed"])
@pytest.mark.parametrize(
    "sampling, penalty, size",
    [("uniform", L2, 1), ("importance", L2, 1), ("uniform", ElasticNet(0.0, 500.0), 1), ("importance", NET, 8)],
)
def test_thousand_steps_equal_the_equations(table, in_given_order, form, estimator, sampling, penalty, size):
    """Also where s would underflow (l2 = 500)."""
    X, y, weight = table(250)
    rng = np.random.default_rng(1)
    order = rng.integers(250, size=1000)
    z = rng.normal(size=6)
    eta = 1 / 300
    in_given_order(order)
    p = probabilities(X, y, weight, sampling, estimator)
    w = z.copy()
    for batch in order.reshape(-1, size):
        d = directions(X, y, weight, p, z, w, estimator, batch).mean(axis=0)
        w = soft(w - eta * d, eta * penalty.l1) / (1 + eta * penalty.l2)
    solver = VRSPAM(estimator=estimator, sampling=sampling, step=eta, batch_size=size, inner_length=4)
    problem = make(form(X), y, weight, penalty)
    state = run_epochs(solver, problem, w=z, rng=rng)
    assert state.eta == eta  # the guard did not interfere
    np.testing.assert_allclose(state.snapshot.w, w, atol=1e-10)
    np.testing.assert_allclose(state.snapshot.gradient, gradient(X, y, weight, w), atol=1e-10)
    assert state.snapshot.objective == pytest.approx(problem.objective(w))
    D = directions(X, y, weight, p, z, w, estimator)
    np.testing.assert_allclose(p @ D, gradient(X, y, weight, w), atol=1e-10)  # unbiased


def test_mean_of_directions_is_the_gradient_of_all_pairs(table, pairs):
    X, y, weight = table(40)
    rng = np.random.default_rng(2)
    z, w = rng.normal(size=(2, 6))
    P = pairs(X, y, weight)
    expected = [(P.squared(w + 1e-6 * unit) - P.squared(w - 1e-6 * unit)) / 2e-6 for unit in np.eye(6)]
    for estimator in ("centred", "printed"):
        for sampling in ("uniform", "importance"):
            p = probabilities(X, y, weight, sampling, estimator)
            np.testing.assert_allclose(p @ directions(X, y, weight, p, z, w, estimator), expected, atol=1e-8)


SETTINGS = {
    "default": {},
    "printed": {"estimator": "printed"},
    "importance": {"sampling": "importance"},
    "geometric": {"inner": "geometric", "start": "zero", "sampling": "uniform"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("penalty", [L2, NET], ids=["l2", "elastic net"])
@EACH_FORM
def test_reaches_the_exact_optimum(table, settings, case, penalty, form):
    X, y, weight = table_of_case(table, case)
    solver = VRSPAM(tol=1e-10, max_epochs=400, **settings)
    solution = solver.solve(make(form(X), y, weight, penalty, standardize=True), rng=np.random.default_rng(0))
    best = Exact(tol=1e-14).solve(make(X, y, weight, penalty, standardize=True, full=True))
    assert solution.converged
    np.testing.assert_allclose(solution.coef, best.coef, atol=1e-4 * np.abs(best.coef).max())
    assert solution.objective == pytest.approx(best.objective, rel=1e-9)


def digits():
    X, y = load_digits(return_X_y=True)
    data = make_problem(X, np.where(y == 8, 1.0, -1.0), standardize=True).data
    return Problem(data, Squared(), ElasticNet(0.0, automatic_alpha(data)))


def test_converges_linearly():
    """The gap is a straight line on a log scale."""
    solution = VRSPAM(tol=1e-10).solve(digits(), rng=np.random.default_rng(0))
    gap = np.log10(solution.trace["gap"])
    assert solution.converged
    assert np.corrcoef(gap, np.arange(gap.size))[0, 1] < -0.98


@pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="AUCMAX_DATA does not name the folder of the data sets")
@pytest.mark.parametrize("name", ["a9a", "w8a", "splice_scale"])
@pytest.mark.parametrize("alpha", [1e-2, 1e-3])
def test_reaches_ten_digits_on_the_papers_data(name, alpha):
    dataset = datasets.load(name)
    problem = make(dataset.X, np.where(dataset.y > 0, 1.0, -1.0), np.ones(dataset.y.size), ElasticNet(0.0, alpha))
    assert VRSPAM(tol=1e-10).solve(problem, rng=np.random.default_rng(0)).converged


def test_importance_draws_are_chosen_for_outliers_only(table):
    X, y, weight = table(300, rate=0.5)
    weight[:] = 1.0
    assert VRSPAM()._sampling(make(X, y, weight), 0.0).p is None
    X[3] *= 30.0
    sampling = VRSPAM()._sampling(make(X, y, weight), 0.0)
    assert sampling.p is not None
    assert sampling.L < VRSPAM(sampling="uniform")._sampling(make(X, y, weight), 0.0).L / 4


def test_uniform_draws_of_extreme_rows_are_named_with_the_remedy(table):
    X, y, weight = table(600)
    X[7] *= 200.0
    with pytest.warns(RuntimeWarning, match=r"standardize=True, importance sampling"):
        VRSPAM(sampling="uniform").init(make(X, y, weight), np.zeros(6))
    VRSPAM().init(make(X, y, weight), np.zeros(6))


@pytest.mark.parametrize("p", [None, np.arange(1.0, 11.0) / 55.0])
@pytest.mark.parametrize("independent", [True, False])
def test_rows_are_drawn_with_their_probabilities(p, independent):
    sampling = RowSampling(p, np.ones(10), np.ones(10), 1, 1.0)
    drawn = sampling.draw(
        SimpleNamespace(n=10, y=np.tile([1.0, -1.0], 5)), 55_000, independent, np.random.default_rng(0)
    )
    expected = np.full(10, 5500.0) if p is None else 55_000 * p
    slack = 6 * np.sqrt(expected) if independent else 1.0
    assert (np.abs(np.bincount(drawn, minlength=10) - expected) <= slack).all()


@pytest.mark.parametrize("penalty", [L2, NET], ids=["l2", "elastic net"])
@pytest.mark.parametrize("multiple", [20.0, 1e8])
def test_a_step_that_diverges_is_cut_and_named(table, penalty, multiple):
    problem = make(*table(300), penalty)
    step = multiple / VRSPAM(batch_size=1)._sampling(problem, 0.0).L
    with pytest.warns(ConvergenceWarning, match="diverges") as caught:
        solution = VRSPAM(step=step, batch_size=1).solve(problem, rng=np.random.default_rng(0))
    assert len(caught) == 1
    assert f"step={step!r}" in str(caught[0].message)
    assert solution.converged


def test_at_the_floor_every_snapshot_is_taken_and_the_best_returned(table):
    """A step below 1/(3L): independent draws, random length, and P may rise now and then."""
    problem = make(*table(100), ElasticNet(0.0, 0.01))
    solver = VRSPAM(step=0.3, sampling="importance")
    rng = np.random.default_rng(0)
    solver.step /= solver._sampling(problem, 0.0).L
    state = solver.init(problem, np.zeros(6))
    lowest = np.inf
    for _ in range(20):
        state = solver.epoch(problem, state, rng)
        lowest = min(lowest, state.snapshot.objective)
        assert state.eta == solver.step
        assert problem.objective(state.w) == pytest.approx(lowest, rel=1e-12)


def test_the_papers_step_is_fixed_and_tiny(table):
    X, y, _ = table(100)
    problem = make(X, y, np.ones(100))
    solver = VRSPAM(step="paper", estimator="printed", sampling="uniform")
    state = solver.epoch(problem, solver.init(problem, np.zeros(6)), np.random.default_rng(0))
    p = np.mean(y > 0)
    M = np.sqrt((X**2).sum(axis=1).max())
    beta = 2 * p * (1 - p) * L2.l2
    assert state.eta == pytest.approx(2 * p * (1 - p) * beta / (128 * M**4))
    assert state.passes == 5.0  # SPAM, the first snapshot, an inner loop of 2 n steps and the next snapshot


@pytest.mark.parametrize("penalty", [L2, NET], ids=["l2", "elastic net"])
def test_certificate_is_that_of_the_problem(table, penalty):
    problem = make(*table(200), penalty)
    solver = VRSPAM()
    state = solver.epoch(problem, solver.init(problem, np.zeros(6)), np.random.default_rng(0))
    np.testing.assert_allclose(VRSPAM().certify(problem, state), problem.certify(state.w), rtol=1e-9)


def test_pure_l1_reaches_the_optimum(table):
    """Without l2 no linear rate is promised; the gap is then that of the problem."""
    X, y, weight = table(200)
    solution = VRSPAM(tol=1e-6, max_epochs=300).solve(make(X, y, weight, L1), rng=np.random.default_rng(0))
    best = Exact().solve(make(X, y, weight, L1, full=True)).objective
    assert solution.converged
    assert solution.objective == pytest.approx(best, rel=1e-6)


def test_a_warm_start_at_the_optimum_stays_there(table):
    problem = make(*table(200))
    best = Exact().solve(make(*table(200), full=True)).coef
    solution = VRSPAM(max_epochs=1).solve(problem, w=best, rng=np.random.default_rng(0))
    np.testing.assert_allclose(solution.coef, best, atol=1e-10)


@pytest.mark.parametrize("name, value", [("estimator", "center"), ("step", "armijo"), ("start", "spma")])
def test_unknown_settings_are_refused(table, name, value):
    with pytest.raises(ValueError, match=f"{name}='{value}'; give one of"):
        VRSPAM(**{name: value}).solve(make(*table()))


def test_single_precision_reaches_the_same_optimum(table):
    X, y, weight = table(200)
    problem = make(X.astype(np.float32), y, weight, standardize=True)
    solution = VRSPAM(tol=1e-9).solve(problem, rng=np.random.default_rng(0))
    assert solution.converged
    assert solution.coef.dtype == np.float64


@pytest.mark.parametrize("penalty", [L2, NET], ids=["l2", "elastic net"])
def test_continues_from_a_pickled_state_and_leaves_it_unchanged(table, penalty):
    """The state is pickled after the epochs that follow it."""
    resumed, state = resumed_and_not(VRSPAM(), make(*table(200), penalty))
    np.testing.assert_array_equal(resumed.w, state.w)


def test_a_start_whose_objective_overflows_ends(table):
    problem = make(*table(100))
    with np.errstate(over="ignore", invalid="ignore"):
        solution = VRSPAM().solve(problem, w=np.full(6, 1e200), rng=np.random.default_rng(0))
    assert not solution.converged
