"""ROC and lift curves and their areas: equal to scikit-learn, to AUC and to fine integrals."""

from fractions import Fraction

import numpy as np
import pytest
from scored_samples import brute_auc, sample
from sklearn import metrics as sk

from aucmax import metrics


@pytest.mark.parametrize("use_weight", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_roc_curve_equals_sklearn(seed, use_weight):
    y, score, weight = sample(seed, levels=40)
    weight = weight if use_weight else None
    expected = sk.roc_curve(y, score, sample_weight=weight, drop_intermediate=False)
    for ours, theirs in zip(metrics.roc_curve(y, score, sample_weight=weight), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_area_under_roc_curve_is_auc():
    y, score, weight = sample(7)
    fpr, tpr, thresholds = metrics.roc_curve(y, score, sample_weight=weight)
    assert np.trapezoid(tpr, fpr) == pytest.approx(metrics.roc_auc(y, score, sample_weight=weight), abs=1e-12)
    assert (fpr[0], tpr[0], thresholds[0]) == (0.0, 0.0, np.inf)
    assert (fpr[-1], tpr[-1]) == (1.0, 1.0)


@pytest.mark.parametrize("max_fpr", [0.01, 0.2, 0.5, 0.999])
@pytest.mark.parametrize("seed", range(5))
def test_partial_auc_equals_sklearn(seed, max_fpr):
    y, score, weight = sample(seed, levels=30)
    ours = metrics.partial_auc(y, score, max_fpr=max_fpr, standardize=True, sample_weight=weight)
    theirs = sk.roc_auc_score(y, score, max_fpr=max_fpr, sample_weight=weight)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_partial_auc_of_the_whole_range_is_auc():
    y, score, _ = sample(8)
    assert metrics.partial_auc(y, score) == pytest.approx(metrics.roc_auc(y, score), abs=1e-12)


def test_partial_auc_adds_up_over_ranges():
    y, score, _ = sample(9)
    parts = metrics.partial_auc(y, score, max_fpr=0.31) + metrics.partial_auc(y, score, min_fpr=0.31)
    assert parts == pytest.approx(metrics.roc_auc(y, score), abs=1e-12)


def test_partial_auc_counts_pairs_with_the_best_negatives():
    rng = np.random.default_rng(10)
    y = np.arange(50) % 2
    score = rng.normal(size=50)
    best = np.sort(score[y == 0])[-5:]
    pairs = np.sum(score[y == 1][:, None] > best)
    assert metrics.partial_auc(y, score, max_fpr=5 / 25) == pytest.approx(pairs / 625, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("min_tpr", [0.0, 0.3, 0.8])
def test_two_way_partial_auc_equals_a_fine_integral(seed, min_tpr):
    y, score, _ = sample(seed)
    fpr, tpr, _ = metrics.roc_curve(y, score)
    corners = np.linspace(0.1, 0.7, 400_001)
    x = (corners[1:] + corners[:-1]) / 2
    expected = 0.6 * np.mean(np.maximum(np.interp(x, fpr, tpr) - min_tpr, 0.0))
    ours = metrics.partial_auc(y, score, min_fpr=0.1, max_fpr=0.7, min_tpr=min_tpr)
    # The midpoint rule errs by a step of 1.5e-6 times the rise at the vertices.
    assert ours == pytest.approx(expected, abs=1e-6)


def test_two_way_partial_auc_is_standardised_between_random_and_perfect():
    ranges = {"max_fpr": 0.6, "min_tpr": 0.4, "standardize": True}
    y = np.arange(40) % 2
    assert metrics.partial_auc(y, y, **ranges) == pytest.approx(1.0)
    assert metrics.partial_auc(y, np.ones(40), **ranges) == pytest.approx(0.5)


@pytest.mark.parametrize("use_weight", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_area_under_lift_follows_from_auc(seed, use_weight):
    y, score, weight = sample(seed)
    used = weight if use_weight else np.ones(60)
    P = used[y == 1].sum()
    pi = P / used.sum()
    area = metrics.area_under_lift(y, score, sample_weight=weight if use_weight else None)
    assert area == pytest.approx(P * (pi / 2 + (1 - pi) * brute_auc(y, score, used)), rel=1e-12)


def test_area_under_lift_of_a_perfect_ranking():
    y = np.repeat([0, 1], [30, 10])
    assert metrics.area_under_lift(y, y) == pytest.approx(8.75)


def test_lift_curve_counts_positives():
    y, score, _ = sample(11)
    contacted, found, thresholds = metrics.lift_curve(y, score)
    np.testing.assert_array_equal(found, [np.sum(y[score >= t]) for t in thresholds])
    np.testing.assert_allclose(contacted, [np.mean(score >= t) for t in thresholds])


def test_area_under_lift_with_weights_over_24_decades():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(3, 12))
        y = np.append(rng.integers(0, 2, n), [0, 1])
        score = rng.integers(0, 6, n + 2).astype(float)
        weight = 10.0 ** rng.uniform(-12, 12, n + 2)
        exact = [Fraction(w) for w in weight]
        positives = [(s, w) for s, w, label in zip(score, exact, y) if label]
        total = sum(exact)
        area = sum(
            w * v * (Fraction(1, 2) if s == t else int(s > t)) for s, w in positives for t, v in zip(score, exact)
        )
        np.testing.assert_allclose(
            metrics.area_under_lift(y, score, sample_weight=weight), float(area / total), rtol=1e-13
        )
