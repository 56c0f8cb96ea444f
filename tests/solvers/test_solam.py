"""SOLAM: the saddle against all pairs, the answers against exact minimisers, streams; steps are in tests/oracles."""

import os

import numpy as np
import pytest
from oracles.saddle import onto_l1, onto_l2
from problems import FORMS, a9a, auc, make_problem, minimum_in_ball, resumed_and_not, run_epochs, shifted_table

from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Moments, Problem
from aucmax.solvers import SOLAM, Exact
from aucmax.solvers.published.saddle_function import RowScaling, in_ball, slopes

OBJECTIVES = ["regularised", "l2_ball", "l1_ball"]


def make(X, y, weight=None, alpha=0.1, l1_ratio=0.0, **options):
    return make_problem(X, y, weight, ElasticNet.of(alpha, l1_ratio), **options)


def test_saddle_value_is_the_pair_loss():
    X, y, weight = shifted_table(n=60)
    scaling = RowScaling.of(make(X, y, weight).data, centred=True, scaled=True)
    rows = (X - scaling.centre) / scaling.unit
    w = np.random.default_rng(1).normal(size=X.shape[1])
    pos, neg = y > 0, y < 0
    p = weight[pos].sum() / weight.sum()
    s = weight / weight.mean()
    q = rows @ w

    def mean_F(a, b, al):
        """The papers' saddle function, in their scale."""
        F = np.where(pos, (1 - p) * (q - a) ** 2, p * (q - b) ** 2) + 2 * (1 + al) * np.where(
            neg, p * q, -(1 - p) * q
        )
        return np.mean(s * F) - p * (1 - p) * al**2

    def gradient(a, b, al):
        """Mean of the slopes that the solver uses, in the scale of the library."""
        return np.mean([slopes(y[i], scaling.e[i], 1.0, q[i], a, b, al)[1:] for i in range(y.size)], axis=0)

    a, b = np.average(q[pos], weights=weight[pos]), np.average(q[neg], weights=weight[neg])
    pairs = np.outer(weight[pos], weight[neg])
    square = np.average((1 - q[pos][:, None] + q[neg][None, :]) ** 2, weights=pairs)
    value = mean_F(a, b, b - a)
    assert value == pytest.approx(p * (1 - p) * (square - 1), abs=1e-12)
    np.testing.assert_allclose(gradient(a, b, b - a), 0.0, atol=1e-12)
    for step in (-0.1, 0.1):
        assert mean_F(a + step, b, b - a) > value
        assert mean_F(a, b + step, b - a) > value
        assert mean_F(a, b, b - a + step) < value
    h = 1e-6
    at = np.array([0.3, -0.2, 0.5])
    differences = [(mean_F(*(at + h * d)) - mean_F(*(at - h * d))) / (2 * h) for d in np.eye(3)]
    np.testing.assert_allclose(gradient(*at), np.array(differences) / (2 * p * (1 - p)), atol=1e-8)


def optimum(problem, form):
    if form == "regularised":
        return Exact().solve(problem).objective
    adapted = in_ball(problem, None, 2 if form == "l2_ball" else 1)
    return adapted.objective(minimum_in_ball(adapted, onto_l2 if form == "l2_ball" else onto_l1))


@pytest.mark.parametrize("form", OBJECTIVES)
@pytest.mark.parametrize("weighted", [False, True])
def test_approaches_the_minimum_of_its_problem(form, weighted):
    X, y, weight = shifted_table(n=2000, dim=10)
    problem = make(X, y, weight if weighted else None, full=True)
    lowest = optimum(problem, form)
    solver = SOLAM(form=form, max_epochs=64, tol=0.0)
    trace = solver.solve(problem, rng=np.random.default_rng(0)).trace
    excess = trace["objective"] - lowest
    assert (excess >= -1e-12).all()
    assert (trace["gap"] >= excess - 1e-12).all()
    assert excess[-1] < 2e-3 * lowest
    # the theorem promises 1/sqrt(t); the tilted average does better
    slope = np.polyfit(np.log(trace["epoch"]), np.log(excess), 1)[0]
    assert slope < -0.5


@pytest.mark.parametrize("l1_ratio", [0.3, 1.0])
def test_approaches_the_elastic_net(l1_ratio):
    problem = make(*shifted_table(n=2000, dim=10), alpha=0.05, l1_ratio=l1_ratio, full=True)
    lowest = Exact().solve(problem).objective
    found = SOLAM(max_epochs=50, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert lowest - 1e-12 <= found.objective < 1.003 * lowest


@pytest.mark.parametrize("form", OBJECTIVES)
def test_published_average_converges_too(form):
    problem = make(*shifted_table(n=2000, dim=10), full=True)
    found = SOLAM(form=form, tilt=0.0, max_epochs=50, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert found.objective < 1.02 * optimum(problem, form)


@pytest.mark.parametrize("form", OBJECTIVES)
def test_dense_equals_csr(form):
    X, y, weight = shifted_table()
    solver = SOLAM(form=form, batch_size=3)
    dense, csr = (run_epochs(solver, make(kind(X), y, weight), 3) for kind in FORMS.values())
    np.testing.assert_allclose(dense.w, csr.w, atol=1e-12)
    np.testing.assert_allclose(dense.last, csr.last, atol=1e-12)


def test_single_precision_rows():
    X, y, _ = shifted_table()
    X = X.astype(np.float32)
    double, single = (run_epochs(SOLAM(), make(rows, y), 3).w for rows in (X.astype(float), X))
    np.testing.assert_allclose(single, double, rtol=1e-4)


@pytest.mark.parametrize("form", OBJECTIVES)
def test_same_seed_same_answer(form):
    problem = make(*shifted_table())
    first, second, other = (run_epochs(SOLAM(form=form), problem, 2, seed).w for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


@pytest.mark.parametrize("form", OBJECTIVES)
def test_resumes_from_a_pickled_state(form):
    resumed, state = resumed_and_not(SOLAM(form=form), make(*shifted_table()))
    np.testing.assert_array_equal(resumed.w, state.w)
    assert resumed.saddle == state.saddle
    assert resumed.passes == 4


@pytest.mark.parametrize("form", OBJECTIVES)
def test_one_percent_positives(form):
    X, y, _ = shifted_table(n=4000, dim=6, rate=0.01)
    problem = make(X, y, full=True)
    best = Exact().solve(problem)
    found = SOLAM(form=form, max_epochs=30, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert auc(problem.data, found.coef) > auc(problem.data, best.coef) - 0.01


def test_stream_of_small_batches_finds_the_optimum():
    X, y, weight = shifted_table(n=6000, dim=6)
    whole = make(X, y, weight, full=True)
    solver = SOLAM()
    rng = np.random.default_rng(0)
    seen = None
    state = None
    for start in range(0, y.size, 50):
        part = slice(start, start + 50)
        batch = Moments.of(X[part], y[part], weight[part], full=False)
        seen = batch if seen is None else seen + batch
        problem = Problem(Data(X[part], y[part], weight[part], seen, np.ones(6)), whole.loss, whole.penalty)
        state = solver.init(problem, np.zeros(6)) if state is None else state
        state = solver.epoch(problem, state, rng)
    assert state.saddle.t == y.size
    # measured 0.3 %: the class means were still moving while the first rows passed
    assert whole.objective(state.w) < 1.02 * Exact().solve(whole).objective


def test_continues_where_the_scale_has_changed():
    X, y, _ = shifted_table()
    ratio = np.linspace(0.5, 2.0, X.shape[1])
    state = run_epochs(SOLAM(), make(X, y), 2)
    solver = SOLAM()
    after = make(X / ratio, y)
    later = solver.epoch(after, state.rescaled(ratio), np.random.default_rng(0))
    assert later.saddle.t == state.saddle.t + y.size
    assert after.objective(later.w) < 1.1 * Exact().solve(make(X / ratio, y, full=True)).objective


@pytest.mark.parametrize("form", OBJECTIVES)
def test_starts_from_given_weights(form):
    problem = make(*shifted_table())
    best = Exact().solve(make(*shifted_table(), full=True)).coef
    solver = SOLAM(form=form)
    state = solver.init(problem, best)
    assert state.saddle.al == pytest.approx(-state.w @ problem.data.delta)
    found = SOLAM(form=form, max_epochs=1, tol=0.0).solve(problem, w=best, rng=np.random.default_rng(0))
    assert found.objective < 1.1 * problem.objective(best)


@pytest.mark.parametrize("form", OBJECTIVES)
def test_classes_with_equal_means_give_finite_weights(form):
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    found = SOLAM(form=form, max_epochs=3).solve(make(X, np.array([1.0, 1.0, -1.0, -1.0])))
    assert np.isfinite(found.coef).all()


@pytest.mark.parametrize("zeta", [1e-3, 1e6])
def test_any_step_stays_finite(zeta):
    found = SOLAM(zeta=zeta, max_epochs=3).solve(make(*shifted_table()), rng=np.random.default_rng(0))
    assert found.objective < 1.0
    uncapped = SOLAM(zeta=zeta, capped=False, max_epochs=3).solve(
        make(*shifted_table()), rng=np.random.default_rng(0)
    )
    assert np.isfinite(uncapped.coef).all()


@pytest.mark.parametrize("form", OBJECTIVES)
def test_the_running_prior_approaches_the_same_minimum(form):
    problem = make(*shifted_table(n=2000, dim=10), full=True)
    solver = SOLAM(form=form, prior="running", max_epochs=50, tol=0.0)
    assert solver.solve(problem, rng=np.random.default_rng(0)).objective < 1.01 * optimum(problem, form)


def test_invalid_settings_are_named():
    problem = make(*shifted_table())
    with pytest.raises(ValueError, match="form='l3'; give one of"):
        SOLAM(form="l3").solve(problem)
    with pytest.raises(ValueError, match=r"radius=-1.0; give None, 'printed' or a finite number above 0"):
        SOLAM(form="l2_ball", radius=-1.0).solve(problem)
    with pytest.raises(ValueError, match=r"radius=2.0 with form='regularised'; give None or 'printed'"):
        SOLAM(radius=2.0).solve(problem)
    with pytest.raises(
        ValueError, match=r"radius='printed' with form='l2_ball'; give None or a finite number above 0"
    ):
        SOLAM(form="l2_ball", radius="printed").solve(problem)
    with pytest.raises(ValueError, match="zeta=0"):
        SOLAM(zeta=0).solve(problem)
    with pytest.raises(ValueError, match=r"batch_size=2\.5; give None or an integer of 1 or more"):
        SOLAM(batch_size=2.5).solve(problem)
    with pytest.raises(ValueError, match="prior='seen'; give one of"):
        SOLAM(prior="seen").solve(problem)
    with pytest.raises(ValueError, match="capped=1; give True or False"):
        SOLAM(capped=1).solve(problem)
    with pytest.raises(ValueError, match="tilt='x'; give a number from 0 to 16"):
        SOLAM(tilt="x").solve(problem)
    with pytest.raises(ValueError, match=r"tilt=1e\+308; give a number from 0 to 16"):
        SOLAM(tilt=1e308).solve(problem)
    with pytest.raises(ValueError, match="needs a penalty; give alpha > 0"):
        SOLAM().solve(make(*shifted_table(), alpha=0.0))


def test_a_radius_whose_square_overflows_is_no_bound():
    problem = make(*shifted_table())
    huge, large = (
        SOLAM(form="l2_ball", radius=radius, max_epochs=2).solve(problem, rng=np.random.default_rng(0))
        for radius in (1e200, 1e6)
    )
    np.testing.assert_array_equal(huge.coef, large.coef)


@pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="AUCMAX_DATA is not set")
@pytest.mark.parametrize("form", OBJECTIVES)
def test_a9a_within_a_hundredth_of_the_optimum(form):
    problem = make(*a9a(), alpha=1e-3)
    found = SOLAM(form=form, max_epochs=20).solve(problem, rng=np.random.default_rng(0))
    assert auc(problem.data, found.coef) > 0.9021 - 0.01
