"""FSAUC: projection and stages against plain references, the answer against the exact minimiser in the ball."""

import os

import numpy as np
import pytest
from problems import FORMS, a9a, auc, make_problem, minimum_in_ball, resumed_and_not, run_epochs, shifted_table
from scipy.optimize import minimize

from aucmax.penalties import project_l1
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.exact import Exact
from aucmax.solvers.fsauc import FSAUC, StageLimits, project
from aucmax.solvers.shared.saddle_function import RowScaling, in_ball
from aucmax.solvers.shared.visiting_order import shuffled_blocks


def make(X, y, weight=None, alpha=0.1, **options):
    return make_problem(X, y, weight, l2=alpha, **options)


def onto_set(v, limits):
    """On |w|_1 <= R and |a|, |b| <= R kappa alone."""
    return np.concatenate([project_l1(v[:-2], limits.l1), np.clip(v[-2:], -limits.bound, limits.bound)])


def dykstra(v, start, limits, rounds=100000):
    """The nearest point of the intersection by alternating projections with corrections.

    The point itself may rest for a while before it moves on: only when the corrections rest too, it has arrived.
    """
    now = np.stack([v, np.zeros_like(v), np.zeros_like(v)])
    for _ in range(rounds):
        v, p, q = before = now
        inner = onto_set(v + p, limits)
        step = inner + q - start
        after = start + step * min(1.0, limits.around / np.linalg.norm(step))
        now = np.stack([after, v + p - inner, inner + q - after])
        if np.abs(now - before).max() < 1e-12:
            break
    return now[0]


def cases(number):
    """Points, starts inside the set, and limits, most of them with both constraints active."""
    rng = np.random.default_rng(0)
    for _ in range(number):
        limits = StageLimits(rng.uniform(0.5, 3.0), rng.uniform(0.2, 2.0), rng.uniform(0.1, 1.5), np.inf)
        yield 3.0 * rng.normal(size=8), onto_set(rng.normal(size=8), limits), limits


def test_projection_is_that_of_dykstra():
    moved = 0
    for v, start, limits in cases(25):
        expected = dykstra(v, start, limits)
        project(v, start, limits)
        np.testing.assert_allclose(v, expected, atol=1e-8)
        moved += np.abs(v - onto_set(v, limits)).max() < 1e-12 and np.linalg.norm(v - start) > 0.999 * limits.around
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


def published(problem, order, solver):
    """One pass as published (docs/mathematics.md, section 8), from zero, with explicit rows, in the paper's scale."""
    X = problem.data.X
    y = problem.data.y
    s = problem.data.weight / problem.data.weight.mean()
    scaling = RowScaling.of(problem.data, centred=True)
    rows = (X - scaling.centre) / scaling.unit
    p = s[y > 0].sum() / s.sum()
    R = problem.penalty.radius * scaling.unit
    k = np.sqrt((rows**2).sum(axis=1).max())
    n = y.size
    m = max(1, int(np.floor(0.5 * np.log2(2 * n / np.log2(n)))) - 1)
    n0 = n // m
    delta = 0.1
    tail = np.sqrt(2 * np.log(12 / delta))
    xi = min(p, 1 - p) - np.sqrt(2 * np.log(12 / delta) / n0)
    G = max((1 + 4 * k) * k * (R + 1), 2 * k * (2 * R + 1 + 2 * R * k), 2 * k * (4 * k * R + 11 * R + 1))
    R_k = 2 * np.sqrt(1 + 2 * k**2) * R
    beta = 1 + 8 * k**2
    D = 2 * np.sqrt(2) * k * R_k
    v = np.zeros(X.shape[1] + 2)
    al = 0.0
    stages = []
    for number, part in enumerate(np.array_split(order, m)):
        if solver.schedule == "theorem":
            eta = np.sqrt(beta) * R_k / (G * np.sqrt(2 * n0))
        else:
            eta = solver.eta / (2 * p * (1 - p)) / 2**number
        start = v.copy()
        start_al = al
        total = np.zeros_like(v)
        count = -(-part.size // solver.batch_size)
        for b in range(count):
            batch = part[b * part.size // count : (b + 1) * part.size // count]
            dv = np.zeros_like(v)
            dal = -2 * p * (1 - p) * al
            for i in batch:
                x = rows[i]
                share = s[i] / batch.size
                q = v[:-2] @ x
                side = -2 if y[i] > 0 else -1
                c = 2 * (1 - p) if y[i] > 0 else 2 * p
                dv[:-2] += share * c * ((q - v[side]) - y[i] * (1 + al)) * x
                dv[side] -= share * c * (q - v[side])
                dal -= share * c * y[i] * q
            v = v - eta * dv
            limits = StageLimits(R, R * k, R_k, D)
            inside = onto_set(v, limits)
            v = inside if np.linalg.norm(inside - start) <= R_k else dykstra(v, start, limits)
            low, high = max(-2 * R * k, start_al - D), min(2 * R * k, start_al + D)
            al = np.clip(al + eta * dal, low, high)
            total += v / count
        v = total
        al = -(v[:-2] @ problem.data.delta) / scaling.unit
        stages.append(eta)
        R_k /= 2
        if xi > 0:
            beta = 1 + 8 * k**2 + 32 * k**2 * (1 + 2 * k) ** 2 * (2 + tail) ** 2 / xi
            D = 2 * np.sqrt(2) * k * R_k + 4 * np.sqrt(2) * k * (2 + tail) * (1 + 2 * k) * R / np.sqrt(xi * n0)
        else:
            D = np.inf
    return v[:-2] / scaling.unit, np.array(stages) * 2 * p * (1 - p)


# a step of 20 meets the balls around the starts, dozens of times
@pytest.mark.parametrize(("weighted", "size", "eta"), [(False, 1, 0.02), (True, 5, 0.02), (True, 1, 20.0)])
def test_stages_are_the_published_ones(weighted, size, eta):
    X, y, weight = shifted_table(n=600)
    solver = FSAUC(radius=0.3, eta=eta, batch_size=size)
    problem = solver.adapt(make(X, y, weight if weighted else None))
    order = shuffled_blocks(y.size, np.random.default_rng(0))
    expected, _ = published(problem, order, solver)
    for form in FORMS.values():
        data = Data(form(X), y, problem.data.weight, problem.data.raw_moments, problem.data.scale)
        state = solver.init(problem, np.zeros(8))
        state = solver.epoch(Problem(data, problem.loss, problem.penalty), state, np.random.default_rng(0))
        np.testing.assert_allclose(state.w, expected, atol=1e-8)


@pytest.mark.parametrize("n", [300, 4000])  # xi is not positive, positive
def test_schedule_of_the_theorem(n):
    X, y, _ = shifted_table(n=n)
    solver = FSAUC(radius=0.3, schedule="theorem", batch_size=1)
    problem = solver.adapt(make(X, y))
    order = shuffled_blocks(y.size, np.random.default_rng(0))
    expected, etas = published(problem, order, solver)
    stages = solver._stages(problem, RowScaling.of(problem.data, True), 1)
    np.testing.assert_allclose([eta for eta, _ in stages], etas, rtol=1e-12)
    state = solver.epoch(problem, solver.init(problem, np.zeros(8)), np.random.default_rng(0))
    np.testing.assert_allclose(state.w, expected, atol=1e-8)


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


def test_invalid_settings_are_named():
    problem = make(*shifted_table())
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
