"""Pairwise losses against the sum over all pairs, with ties and weights; slopes against finite differences."""

import numpy as np
import pytest
from problems import FORMS, make_problem
from scipy.special import entr, expit

from aucmax.losses import LOSSES, Exponential, Hinge, SquaredHinge, pairwise_sums, rounding
from aucmax.losses.hinges import HuberisedHinge
from aucmax.losses.pairwise_sums import SortedScores
from aucmax.penalties import Ball, ElasticNet
from aucmax.problem import Problem

WIDTH = 0.5
EXACT = {"rel": 1e-9, "abs": 1e-12}


def huber(z):
    return np.where(z >= WIDTH, z - WIDTH / 2, np.maximum(z, 0.0) ** 2 / (2 * WIDTH))


BRUTE = {
    "squared": lambda m: 0.5 * (1.0 - m) ** 2,
    "squared_hinge": lambda m: np.maximum(1.0 - m, 0.0) ** 2,
    "hinge": lambda m: np.maximum(1.0 - m, 0.0),
    "exponential": lambda m: np.exp(-m),
    "logistic": lambda m: np.logaddexp(0.0, -m),
    "sigmoid": lambda m: 1.0 / (1.0 + np.exp(m)),
}
SMOOTH = {
    "squared_hinge": (SquaredHinge(), BRUTE["squared_hinge"], lambda z: 2.0 * (z > 0)),
    "huberised": (HuberisedHinge(WIDTH), lambda m: huber(1.0 - m), lambda z: ((z > 0) & (z <= WIDTH)) / WIDTH),
    "exponential": (LOSSES["exponential"](), BRUTE["exponential"], lambda z: np.exp(z - 1.0)),
    "logistic": (LOSSES["logistic"](), BRUTE["logistic"], lambda z: expit(1.0 - z) * expit(z - 1.0)),
}


def make(table, *, form=np.asarray, ties=False, weighted=True, dtype=float, **options):
    X, y, weight = table(**options)
    X = np.round(X) if ties else X
    weight = weight if weighted else np.ones(y.size)
    return make_problem(form(X.astype(dtype)), y, weight).data, X, y, weight


def weights(dim, seed=1):
    return np.random.default_rng(seed).normal(size=dim)


def slopes(function, w, step=1e-5):
    return [(function(w + step * unit) - function(w - step * unit)) / (2 * step) for unit in np.eye(w.size)]


def test_every_loss_of_pairs_is_compared():
    assert set(BRUTE) == set(LOSSES) - {"aum"}


@pytest.mark.parametrize("name", BRUTE)
def test_the_default_bounds_on_rounding_errors_are_for_slopes_of_at_most_1(name):
    m = np.linspace(-50.0, 50.0, 1001)
    steepest = np.abs(np.diff(BRUTE[name](m)) / np.diff(m)).max()
    assert steepest <= 1 + 1e-9 or name in {"squared", "exponential", *rounding._BOUNDS}


@pytest.mark.parametrize("name", BRUTE)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_is_the_mean_over_all_pairs(table, pairs, name, ties, weighted):
    data, X, y, weight = make(table, ties=ties, weighted=weighted)
    w = np.array([1.0, -1.0, 0.0, 2.0, 1.0, -1.0]) if ties else weights(6)  # integers: margins of exactly 1
    all_pairs = pairs(X, y, weight)
    expected = all_pairs.weights @ BRUTE[name](all_pairs.differences @ w)
    assert LOSSES[name]().value_and_gradient(data, w)[0] == pytest.approx(expected, **EXACT)


@pytest.mark.parametrize("name", BRUTE)
def test_gradient_is_the_slope_of_the_pairs(table, pairs, name):
    data, X, y, weight = make(table)
    w = weights(6)
    all_pairs = pairs(X, y, weight)
    expected = slopes(lambda v: all_pairs.weights @ BRUTE[name](all_pairs.differences @ v), w, step=1e-6)
    np.testing.assert_allclose(LOSSES[name]().value_and_gradient(data, w)[1], expected, rtol=1e-7, atol=1e-8)


def test_hinge_subgradient_counts_the_pairs_strictly_inside_the_margin(table, pairs):
    data, X, y, weight = make(table, ties=True)
    w = np.array([1.0, -1.0, 0.0, 2.0, 1.0, -1.0])
    all_pairs = pairs(X, y, weight)
    margins = all_pairs.differences @ w
    assert (margins == 1.0).any()
    expected = -all_pairs.differences.T @ (all_pairs.weights * (margins < 1.0))
    np.testing.assert_allclose(Hinge().value_and_gradient(data, w)[1], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("ties", [False, True])
def test_evaluation_is_value_gradient_and_hessian_of_the_pairs(table, pairs, name, ties):
    data, X, y, weight = make(table, ties=ties)
    loss, value, second = SMOOTH[name]
    w = np.array([0.25, -0.25, 0.0, 0.5, 0.25, -0.25]) if ties else weights(6)
    v = weights(6, seed=2)
    all_pairs = pairs(X, y, weight)
    D = all_pairs.differences
    margins = all_pairs.differences @ w
    assert not ties or ((margins == 1.0).any() and (margins == 1.0 - WIDTH).any())
    evaluation = loss.at(data, data.scores(w))
    assert evaluation.value == pytest.approx(all_pairs.weights @ value(margins), **EXACT)
    step = 1e-7  # of the margin: the first derivative is continuous
    first = (value(margins + step) - value(margins - step)) / (2 * step)
    np.testing.assert_allclose(data.combine(evaluation.coefficients()), D.T @ (all_pairs.weights * first), atol=1e-6)
    expected = D.T @ (all_pairs.weights * second(1.0 - margins) * (D @ v))
    np.testing.assert_allclose(data.combine(evaluation.product(data.scores(v))), expected, rtol=1e-9, atol=1e-12)


def test_huberised_coefficients_are_exact(table, pairs):
    data, X, y, weight = make(table)
    w = weights(6)
    all_pairs = pairs(X, y, weight)
    z = 1.0 - all_pairs.differences @ w
    alpha = all_pairs.weights * np.clip(z / WIDTH, 0.0, 1.0)
    evaluation = HuberisedHinge(WIDTH).at(data, data.scores(w))
    np.testing.assert_allclose(data.combine(evaluation.coefficients()), -all_pairs.differences.T @ alpha, rtol=1e-9)
    assert evaluation.mass == pytest.approx(alpha.sum(), **EXACT)
    assert evaluation.hinge == pytest.approx(all_pairs.weights @ np.maximum(z, 0.0), **EXACT)
    assert evaluation.slack == pytest.approx(all_pairs.weights @ np.maximum(z, 0.0) - alpha @ z, **EXACT)


@pytest.mark.parametrize("name", BRUTE)
def test_csr_equals_dense(table, name):
    w = weights(6)
    value, gradient = LOSSES[name]().value_and_gradient(make(table)[0], w)
    other, slope = LOSSES[name]().value_and_gradient(make(table, form=FORMS["csr"])[0], w)
    assert other == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(slope, gradient, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", BRUTE)
def test_single_precision_rows(table, pairs, name):
    data, X, y, weight = make(table, dtype=np.float32)
    w = weights(6)
    all_pairs = pairs(X.astype(np.float32).astype(float), y, weight)
    expected = all_pairs.weights @ BRUTE[name](all_pairs.differences @ w)
    assert LOSSES[name]().value_and_gradient(data, w)[0] == pytest.approx(expected, rel=1e-9)  # sums are double


@pytest.mark.parametrize("name", ["squared_hinge", "hinge", "logistic"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_large_and_shifted_scores_keep_their_digits(table, pairs, name, offset, size):
    X, y, weight = table()
    X = np.round(X * 1024) / 1024 + offset  # differences of rows are exact
    data = make_problem(X, y, weight).data
    w = size * np.round(weights(6) * 64) / 64
    all_pairs = pairs(X, y, weight)
    expected = all_pairs.weights @ BRUTE[name](all_pairs.differences @ w)
    slack = 1e-9 * max(1.0, size * offset * 1e-6)  # the scores themselves are rounded
    assert LOSSES[name]().value_and_gradient(data, w)[0] == pytest.approx(expected, rel=slack)


@pytest.mark.parametrize("name", ["squared_hinge", "hinge"])
def test_satisfied_pairs_cost_nothing(name):
    X = np.concatenate([np.full((5, 1), 3.0), np.full((7, 1), 1.0)])
    data = make_problem(X, np.repeat([1.0, -1.0], [5, 7])).data
    value, gradient = LOSSES[name]().value_and_gradient(data, np.array([1.0]))
    assert value == 0.0 and gradient.tolist() == [0.0]


def test_exponential_does_not_overflow(table):
    data, *_ = make(table)
    value, gradient = Exponential().value_and_gradient(data, 1e6 * weights(6))
    assert np.isfinite(value) and np.isfinite(gradient).all() and np.linalg.norm(gradient) > 0


def test_exponential_does_not_see_a_shift(table):
    X, y, weight = table()
    w = weights(6)
    near, far = (make_problem(X + shift, y, weight).data for shift in (0.0, 1e4))
    expected = Exponential().value_and_gradient(near, w)[0]
    assert Exponential().value_and_gradient(far, w)[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("spread", [1.0, 1e-12, 0.0])
@pytest.mark.parametrize("n", [2, 3, 1000])
def test_sorting_puts_scores_in_order_however_close(spread, n):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    scores = np.where(rng.random(n) < 0.5, 1e3, 0.0) + spread * rng.normal(size=n)
    data = make_problem(np.zeros((n, 1)), y).data
    order = SortedScores.of(data, scores)
    for rows, ordered, sign in ((order.pos, order.a, 1.0), (order.neg, order.b, -1.0)):
        np.testing.assert_array_equal(ordered, np.sort(scores[y == sign]))
        np.testing.assert_array_equal(scores[rows], ordered)
        np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(y == sign))


def test_sorting_gives_up_repairs_that_take_too_long(monkeypatch):
    monkeypatch.setattr(pairwise_sums, "MOVES", 0)
    rng = np.random.default_rng(0)
    scores = 1e3 + 1e-10 * rng.normal(size=500)
    y = np.where(rng.random(500) < 0.5, 1.0, -1.0)
    scores[:100] = 0.0
    (rows, ordered), _ = pairwise_sums._sorted_classes(scores, y)
    np.testing.assert_array_equal(ordered, np.sort(scores[y > 0]))
    np.testing.assert_array_equal(scores[rows], ordered)


PENALTIES = {
    "l2": ElasticNet(0.0, 0.1),
    "elastic net": ElasticNet(0.02, 0.05),
    "l1": ElasticNet(0.05, 0.0),
    "none": ElasticNet(0.0, 0.0),
    "ball": Ball(0.8, 2),
}


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("name", BRUTE)
def test_certificate_is_below_every_other_point(table, name, penalty):
    problem = Problem(make(table)[0], LOSSES[name](), penalty)
    rng = np.random.default_rng(3)
    points = [penalty.prox(size * rng.normal(size=6), 1e-3) for size in (0.01, 0.1, 0.3, 1.0) for _ in range(8)]
    certified = [problem.certify(w) for w in points]
    lowest = min(objective for objective, _ in certified)
    assert all(gap >= 0 and objective - gap <= lowest + 1e-12 for objective, gap in certified)


def test_squared_hinge_gap_is_that_of_its_dual(table, pairs):
    data, X, y, weight = make(table)
    w = 0.2 * weights(6)
    l2 = 10.0  # at which the dual is positive: a negative one is a worse bound than zero
    all_pairs = pairs(X, y, weight)
    z = np.maximum(1.0 - all_pairs.differences @ w, 0.0)
    gradient = -2.0 * all_pairs.differences.T @ (all_pairs.weights * z)
    dual = all_pairs.weights @ (2.0 * z - z**2) - gradient @ gradient / (2 * l2)
    objective, gap = Problem(data, SquaredHinge(), ElasticNet(0.0, l2)).certify(w)
    assert dual > 0.0
    assert gap == pytest.approx(objective - dual, rel=1e-9)


def test_logistic_l1_bound_is_the_entropy_of_a_feasible_dual_point(table, pairs):
    data, X, y, weight = make(table)
    all_pairs = pairs(X, y, weight)
    for size, l1 in ((0.0, 0.05), (0.3, 0.05), (0.3, 10.0), (30.0, 0.2)):
        w = size * weights(6)
        alpha = expit(-all_pairs.differences @ w)
        alpha *= min(1.0, l1 / np.abs(all_pairs.differences.T @ (all_pairs.weights * alpha)).max())
        expected = all_pairs.weights @ (entr(alpha) + entr(1.0 - alpha))
        objective, gap = Problem(data, LOSSES["logistic"](), ElasticNet(l1, 0.0)).certify(w)
        assert objective - gap == pytest.approx(expected, **EXACT)


@pytest.mark.parametrize("name", ["sigmoid", "logistic"])
def test_boxes_of_scores_beyond_the_consecutive_integers(name):
    """2^53 - 1 + 40 is rounded to 2^53 + 40, 41 away: beyond the table of boxes that are near."""
    X = np.array([2.0**53 - 1.0, 2.0**53 + 40.0])
    X = np.concatenate([X, -X])[:, None]
    y = np.array([1.0, -1.0, 1.0, -1.0])
    margins = X[y > 0] - X[y < 0].T
    expected = expit(-margins).mean() if name == "sigmoid" else np.logaddexp(0.0, -margins).mean()
    assert LOSSES[name]().value_and_gradient(make_problem(X, y).data, np.ones(1))[0] == pytest.approx(expected)
