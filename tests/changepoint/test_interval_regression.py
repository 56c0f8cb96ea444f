"""Interval regression against a generic solver, finite differences and reference values."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize, minimize_scalar

from aucmax.changepoint import IntervalRegression, interval_path
from aucmax.changepoint.hinges import Hinges
from aucmax.changepoint.lasso import strengths


def random_limits(rng, n=60, dim=4):
    X = rng.normal(size=(n, dim))
    middle = X @ rng.normal(size=dim) + rng.normal(size=n)
    limits = np.column_stack([middle - rng.exponential(2, size=n), middle + rng.exponential(2, size=n)])
    limits[rng.random((n, 2)) < 0.3] = np.nan
    return X, np.where(np.isnan(limits), [-np.inf, np.inf], limits)


def objective(X, limits, w, constant, rho):
    f = X @ w + constant
    below, above = np.maximum(1 - (f - limits[:, 0]), 0), np.maximum(1 - (limits[:, 1] - f), 0)
    return np.mean(below**2 + above**2) + rho * np.abs(w).sum()


def generic_minimum(X, limits, rho):
    """By a general solver, the weights split into positive and negative parts."""
    dim = X.shape[1]
    run = minimize(
        lambda z: objective(X, limits, z[:dim] - z[dim:-1], z[-1], 0.0) + rho * z[:-1].sum(),
        np.zeros(2 * dim + 1), bounds=[(0, None)] * (2 * dim) + [(None, None)],
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000, "maxfun": 10**6},
    )  # fmt: skip
    return run.fun


def test_slopes_are_finite_differences():
    rng = np.random.default_rng(5)
    _, limits = random_limits(rng)
    hinges, f = Hinges.of(limits), rng.normal(size=60)
    for i in range(0, 60, 7):
        ahead, behind = f.copy(), f.copy()
        ahead[i] += 1e-6
        behind[i] -= 1e-6
        difference = 60 * (hinges.value(ahead) - hinges.value(behind)) / 2e-6
        assert hinges.slope(f)[i] == pytest.approx(difference, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_best_constant_is_the_minimum(seed):
    rng = np.random.default_rng(seed)
    _, limits = random_limits(rng)
    hinges, f = Hinges.of(limits), 3 * rng.normal(size=60)
    truth = minimize_scalar(lambda c: hinges.value(f + c), options={"xtol": 1e-12}).fun
    assert hinges.value(f + hinges.best_constant(f)) <= truth * (1 + 1e-12)


def test_best_constant_of_limits_on_one_side_costs_nothing():
    hinges = Hinges.of(np.array([[1.0, np.inf], [3.0, np.inf]]))
    assert hinges.value(np.zeros(2) + hinges.best_constant(np.zeros(2))) == 0.0


@pytest.mark.parametrize("rho", [0.003, 0.1, 1.0])
def test_path_reaches_the_minimum_of_a_generic_solver(rho):
    for seed in range(4):
        X, limits = random_limits(np.random.default_rng(seed))
        [found] = interval_path(X, limits, np.array([rho]), tol=1e-9)
        truth = generic_minimum(X, limits, rho)
        value = objective(X, limits, found.w, found.constant, rho)
        assert found.converged and value <= truth + 1e-8
        assert truth >= value - found.gap - 1e-12


def test_gap_bounds_the_error_of_a_run_cut_short():
    X, limits = random_limits(np.random.default_rng(0), dim=8)
    [found] = interval_path(X, limits, np.array([0.01]), max_steps=2)
    error = objective(X, limits, found.w, found.constant, 0.01) - generic_minimum(X, limits, 0.01)
    assert not found.converged and 0.0 < error <= found.gap


def test_copied_columns_are_solved_for():
    X, limits = random_limits(np.random.default_rng(0))
    twice = np.hstack([X, X])
    [found] = interval_path(twice, limits, np.array([0.01]))
    value = objective(twice, limits, found.w, found.constant, 0.01)
    assert found.converged and value == pytest.approx(generic_minimum(X, limits, 0.01), rel=1e-6)


def test_first_strength_of_the_path_is_the_first_with_zero_weights():
    X, limits = random_limits(np.random.default_rng(0))
    rhos = strengths(X, limits)
    first, second = interval_path(X, limits, rhos[:2])
    assert not first.w.any() and second.w.any()
    assert rhos[-1] == 0.001


@pytest.mark.skipif("AUCMAX_FIXTURES" not in os.environ, reason="set AUCMAX_FIXTURES to the reference problems")
def test_stored_path():
    path = Path(os.environ["AUCMAX_FIXTURES"]) / "aum" / "changepoint" / "interval_regression.json"
    given = json.loads(path.read_text())
    X, limits = np.array(given["X"]), np.array(given["targets"], dtype=object).astype(float)  # "Inf" is a string
    for rho, truth in zip(given["regularization"], given["param_original_scale"]):
        model = IntervalRegression(rho, tol=1e-10).fit(X, limits)
        np.testing.assert_allclose([model.intercept_, *model.coef_], truth, atol=2e-8)  # its own accuracy


def test_columns_that_are_not_finite_or_constant_are_left_out():
    X, limits = random_limits(np.random.default_rng(0))
    strange = np.column_stack([X, np.full(60, 3.0), np.where(np.arange(60) == 7, -np.inf, 1.0)])
    plain, model = (IntervalRegression(0.05).fit(table, limits) for table in (X, strange))
    np.testing.assert_allclose(model.coef_, [*plain.coef_, 0.0, 0.0])


def test_cells_beyond_the_range_of_training_count_as_its_end():
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
        ({}, np.eye(2), [[0.0, 1.0]] * 2, "cv=5, but 2 rows"),
        ({}, np.eye(2), [[0.0, 1.0], [np.inf, np.inf]], "limits inf .. inf of row 1 are not an interval"),
        ({}, np.eye(2), [[-np.inf, -np.inf], [0.0, 1.0]], "limits -inf .. -inf of row 0 are not an interval"),
        ({"rho": -1.0}, np.eye(2), [[0.0, 1.0]] * 2, "rho=-1.0"),
        ({"rho": "a"}, np.eye(2), [[0.0, 1.0]] * 2, "rho='a'; give a finite number above zero"),
        ({"tol": -1}, np.eye(2), [[0.0, 1.0]] * 2, "tol=-1; give a finite number that is not negative"),
        ({"cv": 2.5}, np.eye(2), [[0.0, 1.0]] * 2, "cv=2.5; give a whole number"),
    ],
)
def test_bad_input_is_refused_with_the_reason(settings, X, limits, message):
    with pytest.raises(ValueError, match=message):
        IntervalRegression(**settings).fit(X, limits)


def test_other_columns_than_in_training_are_refused():
    model = IntervalRegression(0.1).fit(*random_limits(np.random.default_rng(0)))
    with pytest.raises(ValueError, match="X has 2 features, but IntervalRegression is expecting 4"):
        model.predict(np.ones((1, 2)))


def test_columns_of_other_names_or_order_than_in_training_are_refused():
    X, limits = random_limits(np.random.default_rng(0))
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = IntervalRegression(0.1).fit(frame, limits)
    assert model.n_features_in_ == 4 and list(model.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(model.predict(frame), IntervalRegression(0.1).fit(X, limits).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["d", "c", "b", "a"]])


def test_lists_are_taken_by_the_path():
    X, limits = random_limits(np.random.default_rng(0))
    [plain], [listed] = (interval_path(*each, [0.1]) for each in ((X, limits), (X.tolist(), limits.tolist())))
    np.testing.assert_array_equal(listed.w, plain.w)
