"""Interval regression against a generic solver, finite differences and reference values."""

import numpy as np
import pandas as pd
import pytest
from changepoint_problems import stored, stored_only
from scipy.optimize import minimize, minimize_scalar

from aucmax.changepoint import IntervalRegression, interval_regression_path
from aucmax.changepoint.interval_loss import IntervalLoss
from aucmax.changepoint.interval_path import alpha_grid


def random_limits(rng, n=60, dim=4):
    X = rng.normal(size=(n, dim))
    middle = X @ rng.normal(size=dim) + rng.normal(size=n)
    limits = np.column_stack([middle - rng.exponential(2, size=n), middle + rng.exponential(2, size=n)])
    limits[rng.random((n, 2)) < 0.3] = np.nan
    return X, np.where(np.isnan(limits), [-np.inf, np.inf], limits)


def objective(X, limits, w, constant, alpha):
    f = X @ w + constant
    below, above = np.maximum(1 - (f - limits[:, 0]), 0), np.maximum(1 - (limits[:, 1] - f), 0)
    return np.mean(below**2 + above**2) + alpha * np.abs(w).sum()


def generic_minimum(X, limits, alpha):
    """By a general solver, the weights split into positive and negative parts."""
    dim = X.shape[1]
    run = minimize(
        lambda z: objective(X, limits, z[:dim] - z[dim:-1], z[-1], 0.0) + alpha * z[:-1].sum(),
        np.zeros(2 * dim + 1), bounds=[(0, None)] * (2 * dim) + [(None, None)],
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000, "maxfun": 10**6},
    )  # fmt: skip
    return run.fun


def test_derivatives_are_finite_differences():
    rng = np.random.default_rng(5)
    _, limits = random_limits(rng)
    loss, f = IntervalLoss.of(limits), rng.normal(size=60)
    for i in range(0, 60, 7):
        ahead, behind = f.copy(), f.copy()
        ahead[i] += 1e-6
        behind[i] -= 1e-6
        difference = 60 * (loss.value(ahead) - loss.value(behind)) / 2e-6
        assert loss.derivative(f)[i] == pytest.approx(difference, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_best_constant_is_the_minimum(seed):
    rng = np.random.default_rng(seed)
    _, limits = random_limits(rng)
    loss, f = IntervalLoss.of(limits), 3 * rng.normal(size=60)
    truth = minimize_scalar(lambda c: loss.value(f + c), options={"xtol": 1e-12}).fun
    assert loss.value(f + loss.best_constant(f)) <= truth * (1 + 1e-12)


def test_best_constant_of_limits_on_one_side_costs_nothing():
    loss = IntervalLoss.of(np.array([[1.0, np.inf], [3.0, np.inf]]))
    assert loss.value(np.zeros(2) + loss.best_constant(np.zeros(2))) == 0.0


@pytest.mark.parametrize("alpha", [0.003, 0.1, 1.0])
def test_path_reaches_the_minimum_of_a_generic_solver(alpha):
    for seed in range(4):
        X, limits = random_limits(np.random.default_rng(seed))
        [found] = interval_regression_path(X, limits, np.array([alpha]), tol=1e-9)
        truth = generic_minimum(X, limits, alpha)
        value = objective(X, limits, found.w, found.constant, alpha)
        assert found.converged and value <= truth + 1e-8
        assert truth >= value - found.gap - 1e-12


def test_gap_bounds_the_error_of_a_run_cut_short():
    X, limits = random_limits(np.random.default_rng(0), dim=8)
    [found] = interval_regression_path(X, limits, np.array([0.01]), max_epochs=2)
    error = objective(X, limits, found.w, found.constant, 0.01) - generic_minimum(X, limits, 0.01)
    assert not found.converged and 0.0 < error <= found.gap


def test_copied_columns_are_solved_for():
    X, limits = random_limits(np.random.default_rng(0))
    twice = np.hstack([X, X])
    [found] = interval_regression_path(twice, limits, np.array([0.01]))
    value = objective(twice, limits, found.w, found.constant, 0.01)
    assert found.converged and value == pytest.approx(generic_minimum(X, limits, 0.01), rel=1e-6)


def test_the_grid_starts_at_the_smallest_alpha_with_zero_weights():
    X, limits = random_limits(np.random.default_rng(0))
    alphas = alpha_grid(X, limits)
    first, second = interval_regression_path(X, limits, alphas[:2])
    assert not first.w.any() and second.w.any()
    assert alphas[-1] == 0.001


@stored_only
def test_stored_path():
    given = stored("interval_regression")
    X, limits = np.array(given["X"]), np.array(given["targets"], dtype=object).astype(float)  # "Inf" is a string
    for alpha, truth in zip(given["regularization"], given["param_original_scale"]):
        model = IntervalRegression(alpha, tol=1e-10).fit(X, limits)
        np.testing.assert_allclose([model.intercept_, *model.coef_], truth, atol=2e-8)  # its own accuracy


def test_columns_that_are_constant_or_not_finite_are_ignored():
    X, limits = random_limits(np.random.default_rng(0))
    strange = np.column_stack([X, np.full(60, 3.0), np.where(np.arange(60) == 7, -np.inf, 1.0)])
    plain, model = (IntervalRegression(0.05).fit(table, limits) for table in (X, strange))
    np.testing.assert_allclose(model.coef_, [*plain.coef_, 0.0, 0.0])


def test_values_are_clipped_to_the_training_range():
    X, limits = random_limits(np.random.default_rng(0))
    model = IntervalRegression(0.05).fit(X, limits)
    beyond, ends = np.array([[np.inf, -np.inf, 1e9, np.nan]]), [X[:, 0].max(), X[:, 1].min(), X[:, 2].max()]
    assert model.predict(beyond) == pytest.approx(model.predict([[*ends, X[:, 3].mean()]]))


@pytest.mark.parametrize(
    "settings, X, limits, message",
    [
        ({}, np.eye(2), [[1.0, 0.0], [0.0, 1.0]], "of row 0 are not an interval"),
        ({}, np.eye(2), [[-np.inf, np.inf]] * 2, "no limit is finite"),
        ({}, np.eye(2), [[0.0, 1.0]], "limits has shape"),
        ({}, np.eye(1), [[0.0, 1.0]], "X has 1 row"),
        ({}, np.full((2, 5), np.nan), [[0.0, 1.0]] * 2, "none of the 5 columns"),
        ({}, np.eye(2), [[0.0, 1.0]] * 2, "cv=5, but only 2 rows"),
        ({}, np.eye(2), [[0.0, 1.0], [np.inf, np.inf]], "limits inf .. inf of row 1 are not an interval"),
        ({}, np.eye(2), [[-np.inf, -np.inf], [0.0, 1.0]], "limits -inf .. -inf of row 0 are not an interval"),
        ({"alpha": -1.0}, np.eye(2), [[0.0, 1.0]] * 2, "alpha=-1.0; give 'auto' or a finite number above 0"),
        ({"alpha": "a"}, np.eye(2), [[0.0, 1.0]] * 2, "alpha='a'; give 'auto' or a finite number above 0"),
        ({"tol": -1}, np.eye(2), [[0.0, 1.0]] * 2, "tol=-1; give a finite number of 0 or more"),
        ({"cv": 2.5}, np.eye(2), [[0.0, 1.0]] * 2, "cv=2.5; give an integer of 2 or more"),
        ({"cv": 1}, np.eye(2), [[0.0, 1.0]] * 2, "cv=1; give an integer of 2 or more"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(settings, X, limits, message):
    with pytest.raises(ValueError, match=message):
        IntervalRegression(**settings).fit(X, limits)


def test_other_columns_than_in_training_are_refused():
    model = IntervalRegression(0.1).fit(*random_limits(np.random.default_rng(0)))
    with pytest.raises(ValueError, match="X has 2 features, but IntervalRegression is expecting 4"):
        model.predict(np.ones((1, 2)))


def test_other_column_names_or_order_than_in_training_are_refused():
    X, limits = random_limits(np.random.default_rng(0))
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = IntervalRegression(0.1).fit(frame, limits)
    assert model.n_features_in_ == 4 and list(model.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(model.predict(frame), IntervalRegression(0.1).fit(X, limits).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["d", "c", "b", "a"]])


def test_the_path_accepts_lists():
    X, limits = random_limits(np.random.default_rng(0))
    tables = (X, limits), (X.tolist(), limits.tolist())
    [plain], [listed] = (interval_regression_path(*each, [0.1]) for each in tables)
    np.testing.assert_array_equal(listed.w, plain.w)
