"""Penalties: the proximal step is the argmin, projections are the nearest points, gaps are certificates."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from aucmax.losses import Squared
from aucmax.penalties import Ball, ElasticNet, project_l1, project_l2, soft_threshold
from aucmax.problem import Data, Problem

NETS = [ElasticNet(0.0, 0.5), ElasticNet(0.3, 0.5), ElasticNet(0.3, 0.0)]
BALLS = [Ball(0.4, 1), Ball(0.4, 2), Ball(50.0, 1), Ball(50.0, 2)]  # the larger ones do not bind


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(10, 6))


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    y = np.where(rng.random(80) < 0.3, 1.0, -1.0)
    X = rng.normal(size=(80, 6)) + 0.7 * np.outer(y, rng.normal(size=6))
    return Data.of(X, y, rng.uniform(0.5, 2.0, size=80), standardize=False)


def nearest(u, radius, norm):
    """The nearest point of a ball by a general solver; |w|_1 is made smooth by w = p - n with p, n >= 0."""
    dim = u.size
    if norm == 2:
        inside = {"type": "ineq", "fun": lambda w: radius**2 - w @ w, "jac": lambda w: -2 * w}
        start = np.zeros(dim)
        result = minimize(
            lambda w: 0.5 * (w - u) @ (w - u), start, jac=lambda w: w - u, constraints=inside, options={"ftol": 1e-15}
        )
        return result.x
    inside = {"type": "ineq", "fun": lambda z: radius - z.sum(), "jac": lambda z: -np.ones(2 * dim)}

    def distance(z):
        step = z[:dim] - z[dim:] - u
        return 0.5 * step @ step, np.concatenate([step, -step])

    start = np.zeros(2 * dim)
    options = {"ftol": 1e-15, "maxiter": 1000}
    result = minimize(
        distance, start, jac=True, bounds=[(0, None)] * 2 * dim, constraints=inside, method="SLSQP", options=options
    )
    return result.x[:dim] - result.x[dim:]


def descend(problem, steps=20000):
    """The minimiser by proximal gradient steps with the exact Lipschitz constant."""
    H = problem.data.within + np.outer(problem.data.delta, problem.data.delta)
    eta = 1.0 / np.linalg.eigvalsh(H)[-1]
    w = np.zeros(problem.data.dim)
    for _ in range(steps):
        w = problem.penalty.prox(w - eta * (H @ w - problem.data.delta), eta)
    return w


@pytest.mark.parametrize("penalty", NETS, ids=str)
@pytest.mark.parametrize("eta", [0.1, 3.0])
def test_prox_is_the_argmin(points, penalty, eta):
    for u in points:
        # separable: column by column, on both sides of the kink at zero
        argmin = [
            min(
                (
                    minimize_scalar(
                        lambda z, u_j=u_j: 0.5 * (z - u_j) ** 2 + eta * penalty.value(np.array([z])),
                        bounds=bounds,
                        method="bounded",
                        options={"xatol": 1e-12},
                    )
                    for bounds in ((-10.0, 0.0), (0.0, 10.0))
                ),
                key=lambda result: result.fun,
            ).x
            for u_j in u
        ]
        np.testing.assert_allclose(penalty.prox(u, eta), argmin, atol=1e-5)  # a bounded search finds an end to 1e-6


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("radius", [0.1, 1.0, 3.0])
def test_projection_is_the_nearest_point(points, radius, norm):
    for u in points:
        np.testing.assert_allclose(Ball(radius, norm).prox(u, 0.3), nearest(u, radius, norm), atol=1e-6)


@pytest.mark.parametrize("norm", [1, 2])
def test_projection_is_inside_and_leaves_the_inside_alone(points, norm):
    project = project_l1 if norm == 1 else project_l2
    for u in points:
        assert np.linalg.norm(project(u, 0.5), norm) == pytest.approx(0.5, abs=1e-14)
        np.testing.assert_array_equal(project(u, 100.0), u)


def test_projection_on_the_l1_ball_with_equal_entries():
    np.testing.assert_allclose(project_l1(np.array([2.0, -2.0, 2.0, 0.0]), 3.0), [1.0, -1.0, 1.0, 0.0])


def test_soft_threshold_is_the_prox_of_the_l1_norm():
    np.testing.assert_array_equal(soft_threshold(np.array([3.0, -0.5, -2.0]), 1.0), [2.0, 0.0, -1.0])


@pytest.mark.parametrize("penalty", [*NETS[:2], *BALLS], ids=str)
def test_gap_is_above_the_excess_and_zero_at_the_minimum(data, points, penalty):
    problem = Problem(data, Squared(), penalty)
    best = descend(problem)
    lowest = problem.objective(best)
    assert problem.gap(best) <= 1e-10
    for u in points:
        w = penalty.prox(u, 0.0)  # inside the ball
        assert problem.gap(w) >= problem.objective(w) - lowest - 1e-12


@pytest.mark.parametrize("penalty", [*NETS[:2], *BALLS], ids=str)
def test_fenchel_gap_is_value_plus_conjugate(points, penalty):
    for w, u in zip(points[:5], points[5:], strict=True):
        w = penalty.prox(w, 0.0)
        if isinstance(penalty, Ball):
            conjugate = penalty.radius * np.linalg.norm(u, 2 if penalty.norm == 2 else np.inf)
        else:
            best = np.sign(u) * np.maximum(np.abs(u) - penalty.l1, 0.0) / penalty.l2  # argmax of z.u - value(z)
            conjugate = best @ u - penalty.value(best)
        expected = penalty.value(w) + conjugate - w @ u
        assert penalty.fenchel_gap(w, u) == pytest.approx(expected, abs=1e-12)
        assert penalty.fenchel_gap(w, u) >= 0.0
