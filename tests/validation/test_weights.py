"""Weights outside 1e-100 to 1e100 are refused, everywhere alike; inside this range their unit does not matter."""

import numpy as np
import pytest

from aucmax import AUCClassifier, AUCClassifierCV, AUCTreeClassifier, AUMClassifier, KernelAUCClassifier, metrics

ESTIMATORS = [
    AUCClassifier(),
    AUCClassifier(loss="squared_hinge"),
    AUCClassifier(loss="logistic"),
    AUCClassifierCV(random_state=0),
    KernelAUCClassifier(random_state=0),
    AUMClassifier(random_state=0),
    AUCTreeClassifier(),
]
RANKING = [metrics.roc_auc, metrics.roc_curve, metrics.lift_curve, metrics.partial_auc, metrics.break_even]
EXTREME = [1e307, 1e101, 1e-101, 5e-324]
REFUSED = r"sample_weight\[\d+\] is .*; give 0, or a number from 1e-100 to 1e\+100"


def sample(n=60):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(int)
    return rng.normal(size=(n, 3)) + 0.7 * y[:, None], y, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("size", EXTREME)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_estimators_refuse_extreme_weights(estimator, size):
    X, y, weight = sample()
    with pytest.raises(ValueError, match=REFUSED):
        estimator.fit(X, y, weight * size)


@pytest.mark.parametrize("size", EXTREME)
def test_streams_refuse_extreme_weights(size):
    X, y, weight = sample()
    with pytest.raises(ValueError, match=REFUSED):
        AUCClassifier().partial_fit(X, y, classes=[0, 1], sample_weight=weight * size)


@pytest.mark.parametrize("size", EXTREME)
@pytest.mark.parametrize("metric", [*RANKING, metrics.auc_influence, metrics.area_under_lift])
def test_metrics_refuse_extreme_weights(metric, size):
    X, y, weight = sample()
    with pytest.raises(ValueError, match=REFUSED):
        metric(y, X[:, 0], sample_weight=weight * size)


def test_f_beta_refuses_extreme_weights():
    X, y, weight = sample()
    with pytest.raises(ValueError, match=REFUSED):
        metrics.f_beta(y, (X[:, 0] > 0).astype(int), sample_weight=weight * 5e-324)


@pytest.mark.parametrize("power", [-330, 330])
@pytest.mark.parametrize("metric", RANKING[:1] + RANKING[3:])
def test_metrics_of_weights_near_the_limits_are_those_of_ordinary_ones(metric, power):
    X, y, weight = sample()
    assert metric(y, X[:, 0], sample_weight=weight * 2.0**power) == metric(y, X[:, 0], sample_weight=weight)


@pytest.mark.parametrize("power", [-330, 330])
@pytest.mark.parametrize("loss", ["squared", "squared_hinge", "logistic", "hinge"])
def test_weights_near_the_limits_fit_as_ordinary_ones(loss, power):
    X, y, weight = sample()
    model = AUCClassifier(alpha=0.01, loss=loss)
    expected = model.fit(X, y, weight).coef_.copy()
    np.testing.assert_allclose(model.fit(X, y, weight * 2.0**power).coef_, expected, rtol=1e-6)


def test_single_tiny_weights_count_as_zero():
    X, y, weight = sample()
    tiny = np.arange(y.size) % 3 == 0
    expected = AUCClassifier(alpha=0.01).fit(X, y, np.where(tiny, 0.0, weight)).coef_
    found = AUCClassifier(alpha=0.01).fit(X, y, np.where(tiny, 5e-324, weight)).coef_
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    score = X[:, 0]
    assert metrics.roc_auc(y, score, sample_weight=np.where(tiny, 5e-324, weight)) == pytest.approx(
        metrics.roc_auc(y, score, sample_weight=np.where(tiny, 0.0, weight)), rel=1e-12
    )


@pytest.mark.parametrize("bad", ["a", 1j, [1.0]])
def test_weights_that_are_no_real_numbers_are_named(bad):
    X, y, _ = sample()
    with pytest.raises(ValueError, match="sample_weight has values that are not real numbers; give weights of 0 or"):
        AUCClassifier().fit(X, y, [bad] + [1.0] * (y.size - 1))
