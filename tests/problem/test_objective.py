"""The objective against all pairs, its gradient against finite differences, the certificate against the truth."""

import numpy as np
import pytest
from problems import make_data
from scipy import sparse

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Moments, Problem, automatic_alpha
from aucmax.problem.data import column_scale
from aucmax.solvers import Exact

FORMS = {"dense": np.asarray, "csr": sparse.csr_array}
PENALTIES = {
    "l2": ElasticNet(0.0, 0.1),
    "elastic net": ElasticNet(0.03, 0.02),
    "l1": ElasticNet(0.05, 0.0),
    "none": ElasticNet(0.0, 0.0),
}


def make(table, form=np.asarray, penalty=PENALTIES["l2"], *, full=True, standardize=True, **options):
    X, y, weight = table(**options)
    data = make_data(form(X), y, weight, standardize=standardize, full=full)
    return Problem(data, Squared(), penalty), X / data.scale, y, weight


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_objective_is_the_mean_over_all_pairs(table, pairs, form, full, standardize):
    problem, X, y, weight = make(table, form, full=full, standardize=standardize)
    w = np.random.default_rng(1).normal(size=X.shape[1])
    expected = pairs(X, y, weight).squared(w) + 0.05 * w @ w
    assert problem.objective(w) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("full", [True, False])
def test_gradient_is_the_slope_of_the_pairs(table, pairs, full):
    problem, X, y, weight = make(table, full=full)
    w = np.random.default_rng(1).normal(size=X.shape[1])
    brute, step = pairs(X, y, weight).squared, 1e-5
    slopes = [(brute(w + step * unit) - brute(w - step * unit)) / (2 * step) for unit in np.eye(w.size)]
    np.testing.assert_allclose(problem.gradient(w), slopes, rtol=1e-8, atol=1e-9)  # differences of 1e-5


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("full", [True, False])
def test_gap_bounds_the_excess_from_above(table, penalty, full):
    problem, *_ = make(table, penalty=penalty, full=full)
    best = Exact(tol=1e-14).solve(make(table, penalty=penalty)[0]).coef
    rng = np.random.default_rng(2)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        w = best + size * rng.normal(size=best.size)
        objective, gap = problem.certify(w)
        assert gap >= objective - problem.objective(best) - 1e-14


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
def test_gap_closes_at_the_optimum(table, penalty):
    problem, *_ = make(table, penalty=penalty)
    solution = Exact(tol=1e-12).solve(problem)
    assert solution.gap <= 1e-12 * solution.objective


def test_translations_change_nothing(table):
    X, y, weight = table()
    moved = make_data(X + 5.0, y, weight, standardize=True, full=True)
    data = make_data(X, y, weight, standardize=True, full=True)
    np.testing.assert_allclose(moved.within, data.within, atol=1e-12)
    np.testing.assert_allclose(moved.delta, data.delta, atol=1e-12)


@pytest.mark.parametrize("full", [True, False])
def test_columns_are_divided_by_their_deviation_over_both_classes(table, full):
    X, y, weight = table(unscaled=True)
    data = make_data(X, y, weight, standardize=True, full=full)
    variances = np.cov(X.T, aweights=weight, ddof=0).diagonal()
    np.testing.assert_allclose(data.scale, np.sqrt(variances), rtol=1e-12)


def test_a_weight_of_k_scales_as_k_copies(table):
    X, y, _ = table(100, 4)
    copies = np.arange(100) % 3
    repeated = Data.of(np.repeat(X, copies, axis=0), np.repeat(y, copies), np.ones(copies.sum()), standardize=True)
    weighted = Data.of(X, y, copies.astype(float), standardize=True)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-13)


def test_values_whose_squares_overflow_between_the_classes_are_scaled():
    X, y = np.array([[0.0], [0.0], [4e200], [4e200]]), np.array([-1.0, -1.0, 1.0, 1.0])
    assert column_scale(Moments.of(X, y)) == pytest.approx([2e200])


@pytest.mark.parametrize(
    ("column", "expected"),
    [([3, 3, 3, 3], 3.0), ([0, 0, 4, 4], 2.0), ([-1e9, -1e9, -1e9, -1e9], 1e9), ([0, 0, 0, 0], 1.0)],
)
def test_scale_of_a_column_without_spread(column, expected):
    X, y = np.array(column, dtype=float)[:, None], np.array([-1.0, -1.0, 1.0, 1.0])
    assert column_scale(Moments.of(X, y)) == pytest.approx([expected])


def test_automatic_alpha_is_the_trace_rule(table):
    X, y, _ = table(100, 5)
    data = Data.of_moments(Moments.of(X, y), standardize=False)
    trace = sum(np.cov(X[side].T, ddof=0).trace() for side in (y > 0, y < 0))
    assert automatic_alpha(data) == pytest.approx(trace * max(0.03 / 5, 1 / 100))


def test_single_precision_stays_single_and_is_summed_in_double(table):
    X, y, weight = table(500, 5)
    single = X.astype(np.float32)
    data = make_data(single, y, weight)
    w = np.arange(1.0, 6.0)
    assert data.X is single
    np.testing.assert_allclose(data.scores(w), single.astype(float) @ w, rtol=1e-13)
