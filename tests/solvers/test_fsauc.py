"""FSAUC: projection against plain references, the answer against the minimiser in the ball, streams."""

import os

import numpy as np
import pytest
from oracles.saddle import dykstra, onto_set
from problems import FORMS, a9a, auc, make_problem, minimum_in_ball, resumed_and_not, run_epochs, shifted_table
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifier
from aucmax.penalties import project_l1
from aucmax.solvers import FSAUC, Exact
from aucmax.solvers.published.fsauc_stages import StageLimits, project, stage_sizes
from aucmax.solvers.published.saddle_function import in_ball


def make(X, y, weight=None, alpha=0.1, **options):
    return make_problem(X, y, weight, l2=alpha, **options)


def cases(number):
    """Points, starts inside the set, and limits, most of them with both constraints active."""
    rng = np.random.default_rng(0)
    for _ in range(number):
        limits = StageLimits(rng.uniform(0.5, 3.0), rng.uniform(0.2, 2.0), rng.uniform(0.1, 1.5), np.inf)
        yield 3.0 * rng.normal(size=8), onto_set(rng.normal(size=8), limits.l1, limits.bound), limits


def test_projection_is_that_of_dykstra():
    moved = 0
    for v, start, limits in cases(25):
        expected = dykstra(v, start, limits.l1, limits.bound, limits.around)
        project(v, start, limits)
        np.testing.assert_allclose(v, expected, atol=1e-8)
        moved += (
            np.abs(v - onto_set(v, limits.l1, limits.bound)).max() < 1e-12
            and np.linalg.norm(v - start) > 0.999 * limits.around
        )
    assert moved > 12


def test_projection_is_the_minimum_of_the_distance():
    for v, start, limits in cases(5):

        def distance(z, v=v):
            w = z[:6] - z[6:12]  # |w|_1 made smooth by two parts of one sign
            step = np.concatenate([w, z[12:]]) - v
            return 0.5 * step @ step, np.concatenate([step[:6], -step[:6], step[6:]])

        def within(z, start=start, limits=limits):
            step = np.concatenate([z[:6] - z[6:12], z[12:]]) - start
            return limits.around**2 - step @ step

        result = minimize(
            distance,
            np.concatenate([np.maximum(start[:6], 0), np.maximum(-start[:6], 0), start[6:]]),
            jac=True,
            bounds=[(0, None)] * 12 + [(-limits.bound, limits.bound)] * 2,
            constraints=[
                {"type": "ineq", "fun": lambda z, limits=limits: limits.l1 - z[:12].sum()},
                {"type": "ineq", "fun": within},
            ],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        project(v, start, limits)
        found = np.concatenate([result.x[:6] - result.x[6:12], result.x[12:]])
        np.testing.assert_allclose(v, found, atol=1e-5)  # what SLSQP with numerical slopes can do


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("radius", [None, 0.3])
def test_approaches_the_minimum_in_the_ball(weighted, radius):
    X, y, weight = shifted_table(n=2000, dim=10)
    problem = make(X, y, weight if weighted else None, full=True)
    ball = in_ball(problem, radius, 1)
    lowest = ball.objective(minimum_in_ball(ball, project_l1))
    trace = FSAUC(radius=radius, max_epochs=64, tol=0.0).solve(problem, rng=np.random.default_rng(0)).trace
    excess = trace["objective"] - lowest
    assert (excess >= -1e-12).all()
    assert (trace["gap"] >= excess - 1e-12).all()
    assert excess[-1] < 2e-2 * lowest
    slope = np.polyfit(np.log(trace["epoch"]), np.log(excess), 1)[0]
    assert slope < -0.3  # more epochs, a better answer


def test_schedule_of_the_theorem_improves_with_epochs():
    problem = make(*shifted_table(n=2000, dim=10))
    trace = FSAUC(schedule="theorem", max_epochs=20, tol=0.0).solve(problem, rng=np.random.default_rng(0)).trace
    assert trace["objective"][-1] < trace["objective"][0]


def test_weights_are_in_the_ball():
    found = FSAUC(radius=0.2, max_epochs=3).solve(make(*shifted_table()), rng=np.random.default_rng(0))
    assert np.abs(found.coef).sum() <= 0.2 * (1 + 1e-12)


def test_dense_equals_csr():
    X, y, weight = shifted_table()
    solver = FSAUC(batch_size=3)
    dense, csr = (run_epochs(solver, make(form(X), y, weight), 3) for form in FORMS.values())
    np.testing.assert_allclose(dense.w, csr.w, atol=1e-12)


def test_same_seed_same_answer():
    problem = make(*shifted_table())
    first, second, other = (run_epochs(FSAUC(), problem, 2, seed).w for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


def test_resumes_from_a_pickled_state():
    resumed, state = resumed_and_not(FSAUC(), make(*shifted_table()))
    np.testing.assert_array_equal(resumed.w, state.w)
    assert resumed.passes == 4


def test_one_percent_positives():
    problem = make(*shifted_table(n=4000, dim=6, rate=0.01)[:2], full=True)
    best = Exact().solve(problem)
    found = FSAUC(max_epochs=30, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert auc(problem.data, found.coef) > auc(problem.data, best.coef) - 0.01


def test_few_rows_and_equal_class_means():
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    for schedule in ("halving", "theorem"):
        found = FSAUC(schedule=schedule, max_epochs=3).solve(make(X, np.array([1.0, 1.0, -1.0, -1.0])))
        assert np.isfinite(found.coef).all()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 300, 10_000, 123_457])
def test_stages_visit_every_row(n):
    sizes = stage_sizes(n)
    assert sum(sizes) == n
    assert min(sizes) >= 1 and max(sizes) - min(sizes) <= 1


def stream(solver, X, y, cuts):
    """`partial_fit` on the parts between the cuts."""
    model = AUCClassifier(solver=solver, standardize=False, alpha=0.1, random_state=0)
    for part in np.split(np.arange(y.size), cuts):
        model.partial_fit(X[part], y[part], classes=[-1, 1])
    return model


@pytest.mark.parametrize("statistics", ["data", "running"])
@pytest.mark.parametrize("cuts", [range(10, 6000, 10), [1, 2, 3, 900, 4000]], ids=["small", "uneven"])
def test_a_stream_of_known_length_comes_near_the_minimum_in_the_ball(statistics, cuts):
    X, y, _ = shifted_table(n=6000, dim=6)
    ball = in_ball(make(X, y, full=True), None, 1)
    lowest = ball.objective(minimum_in_ball(ball, project_l1))
    model = stream(FSAUC(statistics=statistics, horizon=6000), X, y, list(cuts))
    assert ball.objective(model.coef_.ravel()) < 1.1 * lowest


def test_a_stream_may_widen_and_rescale_its_columns():
    X, y, _ = shifted_table(n=900, dim=6)
    X = X * np.array([1.0, 100.0, 1.0, 1.0, 0.01, 1.0])
    model = AUCClassifier(solver=FSAUC(statistics="running", horizon=900), random_state=0)
    for start in range(0, 900, 100):
        X[start : start + 100, 3] *= 1.0 + start / 100  # its spread grows
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[-1, 1])
    assert np.isfinite(model.coef_).all()
    assert roc_auc_score(y, model.decision_function(X)) > 0.7


def test_invalid_settings_are_named():
    problem = make(*shifted_table())
    with pytest.raises(ValueError, match=r"delta=1\.0; give a number above 0 and below 1"):
        FSAUC(delta=1.0).solve(problem)
    with pytest.raises(ValueError, match="horizon=0; give None or an integer from 1 to 1000000000000000"):
        FSAUC(horizon=0).solve(problem)
    with pytest.raises(ValueError, match=r"horizon=10{400}; give None or an integer from 1 to 1000000000000000"):
        FSAUC(horizon=10**400).solve(problem)
    with pytest.raises(ValueError, match="statistics='seen'; give one of"):
        FSAUC(statistics="seen").solve(problem)
    with pytest.raises(ValueError, match="schedule='cosine'; give one of"):
        FSAUC(schedule="cosine").solve(problem)
    with pytest.raises(ValueError, match="eta=-1; give None or a finite number above 0"):
        FSAUC(eta=-1).solve(problem)
    with pytest.raises(ValueError, match="radius='a'; give None or a finite number above 0"):
        FSAUC(radius="a").solve(problem)
    with pytest.raises(ValueError, match=r"batch_size=2\.5; give None or an integer of 1 or more"):
        FSAUC(batch_size=2.5).solve(problem)


@pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="AUCMAX_DATA is not set")
def test_a9a_within_a_hundredth_of_the_optimum():
    problem = make(*a9a(), alpha=1e-3)
    found = FSAUC(max_epochs=10).solve(problem, rng=np.random.default_rng(0))
    assert auc(problem.data, found.coef) > 0.9021 - 0.01
