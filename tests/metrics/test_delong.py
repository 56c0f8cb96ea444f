"""DeLong: interval, paired test and influence, equal to brute force and with the nominal coverage."""

import numpy as np
import pytest
from scipy import stats
from scored_samples import brute_auc, sample, wins
from sklearn.metrics import roc_auc_score

from aucmax import metrics
from aucmax.metrics import auc_influence, auc_interval, auc_test
from aucmax.metrics.delong import auc_limits


def brute_delong(y, scores):
    """Covariance of the AUCs of several scores, from the components of every row."""
    V = np.stack([wins(y, score) for score in scores])
    return np.cov(V.mean(axis=2)) / V.shape[1] + np.cov(V.mean(axis=1)) / V.shape[2]


@pytest.mark.parametrize("seed", range(10))
def test_paired_test_equals_brute_force(seed):
    y, a, _ = sample(seed)
    b = sample(seed + 100)[1] + y / 2
    cov = brute_delong(y, [a, b])
    result = metrics.auc_test(y, a, b)
    std_error = np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1])
    z = (brute_auc(y, a, np.ones(60)) - brute_auc(y, b, np.ones(60))) / std_error
    assert (result.auc_a, result.auc_b) == (metrics.roc_auc(y, a), metrics.roc_auc(y, b))
    assert result.std_error == pytest.approx(std_error, abs=1e-12)
    assert result.z == pytest.approx(z, abs=1e-11)
    assert result.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), abs=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_interval_has_the_error_of_delong(seed):
    y, score, _ = sample(seed)
    result = metrics.auc_interval(y, score, confidence=0.9)
    std_error = np.sqrt(brute_delong(y, [score, score])[0, 0])
    logit = np.log(result.auc / (1 - result.auc))
    reach = stats.norm.ppf(0.95) * std_error / (result.auc * (1 - result.auc))
    assert result.auc == metrics.roc_auc(y, score)
    assert result.std_error == pytest.approx(std_error, abs=1e-12)
    assert result.low == pytest.approx(1 / (1 + np.exp(reach - logit)), abs=1e-12)
    assert result.high == pytest.approx(1 / (1 + np.exp(-reach - logit)), abs=1e-12)


def test_interval_has_the_nominal_coverage():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [25, 60])
    truth = stats.norm.cdf(1.2 / np.sqrt(2))
    results = [metrics.auc_interval(y, rng.normal(size=85) + 1.2 * y) for _ in range(3000)]
    # A coverage of 95 % is measured to +-0.4 points.
    assert 0.93 < np.mean([result.low <= truth <= result.high for result in results]) < 0.97


def test_interval_of_a_perfect_ranking_is_not_a_point():
    y = np.repeat([0, 1], [30, 10])
    perfect = metrics.auc_interval(y, y)
    reversed_ = metrics.auc_interval(y, -y)
    assert perfect == pytest.approx((1.0, 0.05 ** (1 / 10), 1.0, 0.0))
    assert reversed_ == pytest.approx((0.0, 0.0, 1 - 0.05 ** (1 / 10), 0.0))


def test_paired_test_without_variance():
    y, score, _ = sample(12)
    assert metrics.auc_test(y, score, 2 * score)[2:] == (0.0, 0.0, 0.0, 1.0)
    assert metrics.auc_test(y, y, -y)[2:] == (1.0, 0.0, np.inf, 0.0)


@pytest.mark.parametrize("name", ["auc_interval", "auc_test"])
def test_delong_needs_two_rows_of_each_class(name):
    scores = [[1.0, 2.0, 3.0]] * (2 if name == "auc_test" else 1)
    with pytest.raises(ValueError, match=r"1 positive and 2 negative rows; .* pass more rows"):
        getattr(metrics, name)([0, 0, 1], *scores)


@pytest.fixture
def two_scores():
    rng = np.random.default_rng(1)
    y = rng.random(80) < 0.3
    return y, np.round(rng.normal(size=80) + y, 1), np.round(rng.normal(size=80) + y, 1)


def test_squared_influences_are_the_delong_variance(two_scores):
    y, score, _ = two_scores
    phi = auc_influence(y, score)
    assert np.linalg.norm(phi) == pytest.approx(auc_interval(y, score).std_error, rel=1e-12)


def test_squared_differences_of_influence_are_the_paired_variance(two_scores):
    y, a, b = two_scores
    found = np.linalg.norm(auc_influence(y, a) - auc_influence(y, b))
    assert found == pytest.approx(auc_test(y, a, b).std_error, rel=1e-12)


def test_influence_does_not_depend_on_the_scale_of_the_weights(two_scores):
    y, score, _ = two_scores
    weight = np.arange(1.0, 81.0)
    scaled = auc_influence(y, score, sample_weight=7 * weight)
    assert scaled == pytest.approx(auc_influence(y, score, sample_weight=weight), rel=1e-12)


def test_weighted_influence_is_the_derivative_of_the_auc(two_scores):
    y, score, _ = two_scores
    weight = np.linspace(1.0, 2.0, 80)
    phi = auc_influence(y, score, sample_weight=weight)
    i = int(np.flatnonzero(y)[3])
    step = np.zeros(80)
    step[i] = 1e-6 * weight[i]
    change = roc_auc_score(y, score, sample_weight=weight + step) - roc_auc_score(y, score, sample_weight=weight)
    share = weight[y] / weight[y].sum()
    assert phi[i] * np.sqrt(1 - share @ share) == pytest.approx(change / 1e-6, rel=1e-3)  # of a difference quotient


def test_limits_are_those_of_the_interval(two_scores):
    y, score, _ = two_scores
    auc, low, high, std_error = auc_interval(y, score)
    assert auc_limits(auc, std_error, int(y.sum())) == pytest.approx((low, high), rel=1e-12)


def test_limits_of_a_perfect_ranking_are_not_a_point():
    low, high = auc_limits(1.0, 0.0, 20)
    assert (low, high) == (pytest.approx(0.05 ** (1 / 20)), 1.0)
