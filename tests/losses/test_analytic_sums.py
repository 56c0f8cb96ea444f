"""Sums of analytic functions of the margin against the sum over all pairs, from tiny to huge scores, and by parts."""

import numpy as np
import pytest
from scipy.special import expit

from aucmax.losses.analytic_sums import FAR, BoxedRows, BoxMoments, Line, MarginFunction
from aucmax.losses.logistic import LogisticEvaluation

FUNCTIONS = {
    "linear at both ends": (
        lambda m: np.logaddexp(0.0, -m) + 2.0 * np.logaddexp(0.0, m) + 3.0 * expit(m),
        Line(0.0, -1.0),
        Line(3.0, 2.0),
    ),
    "step": (lambda m: expit(-m), Line(1.0), Line()),
    "bump": (lambda m: expit(m) * expit(-m), Line(), Line()),
    "wave": (lambda m: np.cos(m) / np.cosh(m), Line(), Line()),  # singular at a distance of pi/2
}
each_function = pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "wave"])
SIZES = [0.0, 1e-9, 1.0, 30.0, 1e3, 1e9, 2.0**53, 2.0**60, 1e200]


def make(n=60, *, size=1.0, ties=False, seed=0):
    """Scores, labels and weights, with few rows far apart from the others."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n) * np.where(rng.random(n) < 0.2, 5.0, 1.0)
    scores = np.round(2.0 * scores) / 2.0 if ties else scores
    return size * scores, np.where(np.arange(n) % 3 == 0, 1.0, -1.0), rng.uniform(0.2, 3.0, size=n)


def margins(scores, y):
    return scores[y > 0][:, None] - scores[y < 0]


@each_function
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ties", [False, True])
def test_sums_are_those_over_all_pairs(name, size, ties):
    scores, y, weight = make(size=size, ties=ties)
    function, low, high = FUNCTIONS[name]
    values = function(margins(scores, y))
    p, q = weight[y > 0], weight[y < 0]
    rows = BoxedRows.of(scores, y)
    f = MarginFunction.of(function, low, high)
    moments = rows.moments(weight)
    accuracy = {"rtol": 1e-12, "atol": 1e-14}
    np.testing.assert_allclose(moments.over_pairs(f), p @ values @ q, **accuracy)
    sums = rows.values(moments, f)
    np.testing.assert_allclose(sums[y > 0], values @ q, **accuracy)
    np.testing.assert_allclose(sums[y < 0], p @ values, **accuracy)


@each_function
def test_mirrored_is_the_function_of_minus_the_margin(name):
    function, low, high = FUNCTIONS[name]
    mirrored = MarginFunction.of(function, low, high).mirrored
    scores, y, weight = make(size=30.0)
    expected = weight[y > 0] @ function(-margins(scores, y)) @ weight[y < 0]
    assert BoxedRows.of(scores, y).moments(weight).over_pairs(mirrored) == pytest.approx(expected, rel=1e-12)


def test_the_nearest_singularity_sets_the_accuracy():
    function = FUNCTIONS["wave"][0]
    scores, y, weight = make()
    expected = weight[y > 0] @ function(margins(scores, y)) @ weight[y < 0]
    found = BoxedRows.of(scores, y).moments(weight).over_pairs(MarginFunction.of(function))
    assert found == pytest.approx(expected, rel=1e-9)  # 18 terms at a distance of pi/2: 6.4^-18 is 3e-15, per pair


@pytest.mark.parametrize("shift", [0, 1, 7, FAR - 1, FAR, FAR + 1, FAR + 2])
@pytest.mark.parametrize("base", [0.0, 2.0**53 - 1.0, 2.0**53, -(2.0**53) - 40.0])
def test_boxes_are_found_near_the_largest_consecutive_integers(base, shift):
    """There base + FAR is not a double: a box 41 away must not be looked up in the table."""
    for sign in (1.0, -1.0):
        scores = np.array([base, base + sign * shift])
        y = np.array([1.0, -1.0])
        f = MarginFunction.of(lambda m: np.logaddexp(0.0, -m), low=Line(slope=-1.0))
        expected = np.logaddexp(0.0, scores[1] - scores[0])
        found = BoxedRows.of(scores, y).moments(np.ones(2)).over_pairs(f)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-17)


@pytest.mark.parametrize("size", [1.0, 30.0, 1e9])
def test_moments_of_parts_add_up_to_those_of_the_whole(size):
    scores, y, weight = make(2000, size=size)
    whole = BoxedRows.of(scores, y).moments(weight)
    rng = np.random.default_rng(1)
    part_of = rng.integers(7, size=y.size)
    parts = [BoxedRows.of(scores[part_of == k], y[part_of == k]).moments(weight[part_of == k]) for k in range(7)]
    for _ in range(5):
        merged = BoxMoments.merged([parts[k] for k in rng.permutation(7)])
        np.testing.assert_array_equal(merged.at, whole.at)
        scale = np.abs(whole.pos[:, :1]) + np.abs(whole.neg[:, :1])
        assert (np.abs(merged.pos - whole.pos) <= 1e-13 * scale).all()
        assert (np.abs(merged.neg - whole.neg) <= 1e-13 * scale).all()
        f = MarginFunction.of(*FUNCTIONS["linear at both ends"])
        assert merged.over_pairs(f) == pytest.approx(whole.over_pairs(f), rel=1e-13)


def test_a_part_may_lack_a_class():
    scores, y, weight = make()
    parts = [BoxedRows.of(scores[y == k], y[y == k]).moments(weight[y == k]) for k in (1.0, -1.0)]
    f = MarginFunction.of(*FUNCTIONS["step"])
    whole = BoxedRows.of(scores, y).moments(weight).over_pairs(f)
    assert BoxMoments.merged(parts).over_pairs(f) == pytest.approx(whole, rel=1e-13)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_make_all_sums_nan(bad):
    scores, y, weight = make()
    scores[5] = bad
    f = MarginFunction.of(*FUNCTIONS["step"])
    rows = BoxedRows.of(scores, y)
    moments = rows.moments(weight)
    assert np.isnan(moments.over_pairs(f)) and np.isnan(rows.values(moments, f)[y > 0]).all()
    assert np.isnan(LogisticEvaluation(scores, weight, rows, moments).value)


def logistic(size, shift=0.0):
    scores, y, weight = make(size=size)
    r = weight / np.where(y > 0, weight[y > 0].sum(), weight[y < 0].sum())
    return LogisticEvaluation.of(scores + shift, y, r), scores, y, r


@pytest.mark.parametrize("size", SIZES)
def test_logistic_derivatives_are_those_of_all_pairs(size):
    evaluation, scores, y, r = logistic(size)
    m = margins(scores, y)
    pair = r[y > 0][:, None] * r[y < 0]
    assert evaluation.value == pytest.approx((pair * np.logaddexp(0.0, -m)).sum(), rel=1e-12)
    first = -pair * expit(-m)
    c = evaluation.coefficients()
    np.testing.assert_allclose(c[y > 0], first.sum(1), rtol=1e-11, atol=1e-16)
    np.testing.assert_allclose(c[y < 0], -first.sum(0), rtol=1e-11, atol=1e-16)
    second = pair * expit(m) * expit(-m)
    assert evaluation.curvature == pytest.approx(second.sum(), rel=1e-12, abs=1e-16)
    u = np.random.default_rng(2).normal(size=y.size)
    moved = second * (u[y > 0][:, None] - u[y < 0])
    for shift in (0.0, 1e3):
        h = evaluation.product(u + shift)
        atol = 1e-15 * (1.0 + shift)
        np.testing.assert_allclose(h[y > 0], moved.sum(1), rtol=1e-11, atol=atol)
        np.testing.assert_allclose(h[y < 0], -moved.sum(0), rtol=1e-11, atol=atol)


def test_logistic_does_not_see_a_shift():
    near, far = logistic(1.0)[0], logistic(1.0, shift=2.0**20)[0]
    assert far.value == pytest.approx(near.value, rel=1e-9)
    np.testing.assert_allclose(far.coefficients(), near.coefficients(), rtol=1e-8)


def test_satisfied_pairs_keep_their_digits():
    """Margins near 30 have a loss near exp(-30), which is not lost among rounding errors of 1."""
    y = np.repeat([1.0, -1.0], 5)
    scores = 15.0 * y + np.linspace(-1.0, 1.0, 10)
    evaluation = LogisticEvaluation.of(scores, y, np.full(10, 0.2))
    expected = np.log1p(np.exp(-margins(scores, y))).mean()
    assert evaluation.value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(
        evaluation.coefficients()[y > 0], -0.2 * expit(-margins(scores, y)).mean(1), rtol=1e-12
    )
