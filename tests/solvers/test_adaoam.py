"""AdaOAM: the projection against a general minimiser, the ball and rotations; steps are in tests/oracles."""

import numpy as np
import pytest
from oracles.one_pass import in_ball
from problems import make_problem, run_epochs
from scipy.optimize import minimize

from aucmax import AUCClassifier
from aucmax.solvers import Exact
from aucmax.solvers.published.adaoam import AdaOAM, project


def test_projection_is_the_nearest_point_in_the_norm_of_h():
    rng = np.random.default_rng(0)
    for radius in (0.1, 1.0, 3.0, 100.0):
        u = 3.0 * rng.normal(size=6)
        squares = rng.exponential(size=6) ** 4
        delta = 1e-3
        h = delta + np.sqrt(squares)
        found = u.copy()
        project(found, squares, delta, radius)
        inside = {"type": "ineq", "fun": lambda w, radius=radius: radius**2 - w @ w, "jac": lambda w: -2.0 * w}
        start = u * min(1.0, 0.9 * radius / np.linalg.norm(u))
        best = minimize(
            lambda w, h=h, u=u: ((w - u) * h) @ (w - u),
            start,
            jac=lambda w, h=h, u=u: 2.0 * h * (w - u),
            constraints=[inside],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert np.linalg.norm(found) <= radius * (1 + 1e-11)
        np.testing.assert_allclose(found, best.x, atol=2e-5 * radius)  # SLSQP's accuracy
        np.testing.assert_allclose(found, in_ball(u, np.diag(h), radius), rtol=1e-9)


@pytest.mark.parametrize("root", ["diagonal", "full"])
def test_weights_stay_in_the_ball(table, root):
    X, y, weight = table(n=300)
    for l2 in (0.1, 10.0, 1e4):
        state = run_epochs(AdaOAM(eta=1.0, root=root), make_problem(X, y, weight, l2=l2))
        assert np.linalg.norm(state.w) <= (1 + 1e-9) / np.sqrt(l2)


def test_invalid_settings_are_refused():
    with pytest.raises(ValueError, match=r"covariance='sketched'; give one of \['full', 'diagonal'\]"):
        AdaOAM(covariance="sketched").check_settings()
    with pytest.raises(ValueError, match="delta=None; give a finite number above 0"):
        AdaOAM(delta=None).check_settings()
    with pytest.raises(ValueError, match=r"root='sparse'; give one of \['diagonal', 'full'\]"):
        AdaOAM(root="sparse").check_settings()
    with pytest.raises(ValueError, match="eigenvectors of a 501 x 501 matrix for every row; above 500"):
        AdaOAM(root="full").init(make_problem(np.zeros((4, 501)), np.array([1.0, -1.0, 1.0, -1.0])), np.zeros(501))
    with pytest.raises(ValueError, match="above 2000 columns"):
        AdaOAM().init(make_problem(np.zeros((4, 2001)), np.array([1.0, -1.0, 1.0, -1.0])), np.zeros(2001))


@pytest.mark.parametrize("value", ["x", 0.0, 2])
def test_a_fit_refuses_a_forgetting_that_no_stream_would_take(table, value):
    X, y, _ = table()
    with pytest.raises(ValueError, match=f"forgetting={value!r}; give a number above 0 and at most 1"):
        AUCClassifier(solver=Exact(forgetting=value)).fit(X, y)


def test_the_full_root_does_not_mind_a_rotation_of_the_columns(table):
    X, y, weight = table(n=300)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]
    solver = AdaOAM(root="full", delta=1e-3, order="stream")
    w, turned = (run_epochs(solver, make_problem(rows, y, weight)).w for rows in (X, X @ Q))
    np.testing.assert_allclose(Q @ turned, w, atol=1e-9)
    diagonal = AdaOAM(delta=1e-3, order="stream")
    w, turned = (run_epochs(diagonal, make_problem(rows, y, weight)).w for rows in (X, X @ Q))
    assert np.abs(Q @ turned - w).max() > 1e-3
