"""Active-set steps against a bounded quadratic solver, and elastic nets with duplicated columns."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer

from aucmax import AUCClassifier
from aucmax.solvers.coordinate_descent import Quadratic, active_set_steps


def a_quadratic(l2, seed, dim=6):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2 * dim, dim))
    A = np.c_[A, A]
    return Quadratic(A.T @ A, A.T @ rng.normal(size=2 * dim), 0.3, l2), rng.normal(size=2 * dim)


def minimum_in_orthant(quadratic, signs):
    """The minimum with the given signs or zeros, by a method for bounds."""

    def value(v):
        w = signs * v
        return quadratic.value(w), signs * (quadratic.H @ w - quadratic.delta + quadratic.l2 * w) + quadratic.l1

    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-12}
    return minimize(value, np.ones(signs.size), jac=True, bounds=[(0, None)] * signs.size, options=options).fun


@pytest.mark.parametrize("l2", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("seed", range(5))
def test_the_steps_lower_the_objective_within_the_orthant(l2, seed):
    quadratic, w = a_quadratic(l2, seed)
    found = active_set_steps(quadratic, w)
    lowest = minimum_in_orthant(quadratic, np.sign(w))
    assert (found * w >= 0.0).all()
    assert lowest - 1e-9 <= quadratic.value(found) < quadratic.value(w)


@pytest.mark.parametrize("l2", [0.0, 1e-6, 0.1])
def test_at_the_end_the_gradient_vanishes_on_the_active_weights(l2):
    quadratic, w = a_quadratic(l2, seed=1)
    w = active_set_steps(quadratic, w)
    slope = quadratic.H @ w - quadratic.delta + l2 * w + quadratic.l1 * np.sign(w)
    assert np.abs(slope[w != 0]).max() < 1e-9


def test_zero_and_the_minimum_stay_where_they_are():
    quadratic, w = a_quadratic(0.1, seed=2)
    np.testing.assert_array_equal(active_set_steps(quadratic, np.zeros(12)), 0.0)
    w = active_set_steps(quadratic, w)
    np.testing.assert_allclose(active_set_steps(quadratic, w), w, rtol=1e-9)


@pytest.mark.parametrize("l1_ratio", [0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("alpha", [1e-3, 1e-5])
def test_duplicated_columns_do_not_delay_the_elastic_net(l1_ratio, alpha):
    """Without a warning, which would be an error, and with the objective of the single columns if there is no L2."""
    X, y = load_breast_cancer(return_X_y=True)
    model = AUCClassifier(alpha=alpha, l1_ratio=l1_ratio).fit(np.c_[X, X], y)
    assert model.gap_ <= 1e-6 * model.objective_
    if l1_ratio == 1.0:
        alone = AUCClassifier(alpha=alpha, l1_ratio=l1_ratio).fit(X, y)
        assert model.objective_ == pytest.approx(alone.objective_, rel=1e-7)


@pytest.mark.parametrize("l1_ratio", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("duplicated", [False, True])
def test_more_columns_than_rows_under_a_small_penalty_take_few_epochs(l1_ratio, duplicated):
    X, y = _wide_table(duplicated)
    model = AUCClassifier(alpha=1e-5, l1_ratio=l1_ratio).fit(X, y)  # a warning would be an error
    assert model.gap_ <= 1e-6 * model.objective_
    assert model.n_iter_ <= 20


def _wide_table(duplicated):
    rng = np.random.default_rng(0)
    y = (rng.random(60) < 0.4).astype(int)
    X = rng.normal(size=(60, 200)) + 0.3 * y[:, None] * rng.normal(size=200)
    return (np.c_[X, X] if duplicated else X), y
