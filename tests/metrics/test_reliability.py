"""Reliability: bins of equal weight keep ties together, weights are copies, limits are Wilson's."""

import numpy as np
import pytest
from scipy.stats import binomtest

from aucmax.metrics import reliability_curve


def sample(n=200, seed=0, digits=9):
    rng = np.random.default_rng(seed)
    prob = np.round(rng.random(n), digits)
    return (rng.random(n) < prob).astype(int), prob, rng.integers(0, 3, n)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_limits_are_those_of_scipy(confidence):
    y, prob, _ = sample()
    found = reliability_curve(y, prob, n_bins=5, confidence=confidence)
    order = np.argsort(prob)
    for k, rows in enumerate(np.split(order, 5)):
        test = binomtest(int(y[rows].sum()), rows.size).proportion_ci(confidence, method="wilson")
        assert (found.low[k], found.high[k]) == pytest.approx((test.low, test.high), rel=1e-9)
        assert found.predicted[k] == pytest.approx(prob[rows].mean())
        assert found.weight[k] == pytest.approx(0.2)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_a_weight_is_that_many_copies(strategy):
    y, prob, weight = sample(digits=2)
    weighted = reliability_curve(y, prob, sample_weight=weight, strategy=strategy)
    copies = reliability_curve(np.repeat(y, weight), np.repeat(prob, weight), strategy=strategy)
    for field in ("predicted", "observed", "weight"):
        np.testing.assert_allclose(getattr(weighted, field), getattr(copies, field), rtol=1e-12)


def test_equal_weights_of_any_size_leave_the_limits():
    y, prob, _ = sample()
    for size in (1e-90, 7.0, 1e90):
        found = reliability_curve(y, prob, sample_weight=np.full(y.size, size))
        np.testing.assert_allclose(np.array(found), np.array(reliability_curve(y, prob)), rtol=1e-12, atol=1e-15)


def test_equal_probabilities_stay_together():
    prob = np.repeat([0.1, 0.5, 0.9], [5, 90, 5])
    y = np.arange(100) % 2
    found = reliability_curve(y, prob, n_bins=10)
    np.testing.assert_allclose(found.predicted, [0.1, 0.5, 0.9])
    np.testing.assert_allclose(found.weight, [0.05, 0.9, 0.05])


def test_certain_bins_have_limits_within_0_and_1():
    found = reliability_curve([0, 0, 0, 1, 1, 1], [0.0, 0.1, 0.2, 0.8, 0.9, 1.0], n_bins=2)
    assert found.observed.tolist() == [0.0, 1.0]
    assert found.low[0] == 0.0 < found.high[0] < 1.0 and 0.0 < found.low[1] < found.high[1] == 1.0


def test_one_huge_weight_leaves_the_limits_of_other_bins_as_they_are():
    y, prob, _ = sample()
    weight = np.ones(y.size)
    weight[np.argmax(prob)] = 1e100
    huge = reliability_curve(y, prob, sample_weight=weight, n_bins=5, strategy="uniform")
    plain = reliability_curve(y, prob, n_bins=5, strategy="uniform")
    np.testing.assert_allclose(huge.low[:-1], plain.low[:-1])
    np.testing.assert_allclose(huge.high[:-1], plain.high[:-1])
    assert huge.observed[-1] == pytest.approx(y[np.argmax(prob)])
