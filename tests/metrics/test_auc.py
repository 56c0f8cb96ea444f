"""roc_auc: equal to brute force over pairs and to scikit-learn, with ties, weights and labels of any type."""

import numpy as np
import pytest
from scored_samples import brute_auc, sample
from sklearn import metrics as sk

from aucmax import metrics
from aucmax.metrics.auc import auc_of_classes


# Sums of at most 1e3 doubles of one sign: 1e-12 is 1e4 roundings.
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("levels", [1, 2, 7, 10**6])
def test_auc_is_the_mean_over_all_pairs(seed, levels):
    y, score, weight = sample(seed, levels=levels)
    assert metrics.roc_auc(y, score) == pytest.approx(brute_auc(y, score, np.ones(60)), abs=1e-12)
    weighted = metrics.roc_auc(y, score, sample_weight=weight)
    assert weighted == pytest.approx(brute_auc(y, score, weight), abs=1e-12)
    assert weighted == pytest.approx(sk.roc_auc_score(y, score, sample_weight=weight))


def test_auc_of_ties_counts_half():
    """The >= and > versions give 0.75 and 0.25 here."""
    assert metrics.roc_auc([0, 0, 1, 1], [1.0, 2.0, 1.0, 2.0]) == 0.5


@pytest.mark.parametrize("rate", [0.5, 0.05])
def test_auc_of_many_rows_is_rounded_once(rate):
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < rate
    score = np.round(rng.normal(size=y.size) + y, 2)
    pos, neg = score[y], np.sort(score[~y])
    twice = int(np.searchsorted(neg, pos, "left").sum() + np.searchsorted(neg, pos, "right").sum())
    assert metrics.roc_auc(y, score) == twice / (2 * pos.size * neg.size)


@pytest.mark.parametrize("size", [1.0, 1e-99, 1e99])
def test_weighted_auc_of_perfect_rankings_and_of_ties_is_exact(size):
    rng = np.random.default_rng(0)
    for _ in range(50):
        y = rng.permutation(np.repeat([0, 1], [30, 20]))
        weight = size * rng.uniform(0.1, 3.0, size=50)
        assert metrics.roc_auc(y, y + 0.5 * rng.random(50), sample_weight=weight) == 1.0
        assert metrics.roc_auc(y, -y - 0.5 * rng.random(50), sample_weight=weight) == 0.0
        assert metrics.roc_auc(y, np.zeros(50), sample_weight=weight) == 0.5


def test_auc_of_classes_equals_roc_auc():
    y, score, weight = sample(3)
    pos, neg = score[y == 1], score[y == 0]
    assert auc_of_classes(pos, neg) == metrics.roc_auc(y, score)
    both = auc_of_classes(pos, neg, weight[y == 1], weight[y == 0])
    assert both == pytest.approx(metrics.roc_auc(y, score, sample_weight=weight), abs=1e-12)
    one = auc_of_classes(pos, neg, neg_weight=weight[y == 0])
    assert one == pytest.approx(brute_auc(y, score, np.where(y == 1, 1.0, weight)), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f8", np.int32, object])
def test_scores_of_any_type(dtype):
    y, score, _ = sample(4)
    score = 4 * score
    assert metrics.roc_auc(y, score.astype(dtype)) == metrics.roc_auc(y, score)


def test_scores_may_be_lists_views_and_read_only():
    y, score, _ = sample(4)
    wide = np.column_stack([score, score])
    fixed = score.copy()
    fixed.flags.writeable = False
    expected = metrics.roc_auc(y, score)
    assert metrics.roc_auc(y.tolist(), score.tolist()) == expected
    assert metrics.roc_auc(y[::-1], wide[::-1, 1]) == expected
    assert metrics.roc_auc(y, fixed) == expected


@pytest.mark.parametrize(
    "labels",
    [(0, 1), (-1, 1), (1, 2), (0.5, 2.5), (False, True), ("ham", "spam"), (np.uint8(3), np.uint8(200))],
    ids=str,
)
def test_larger_label_is_positive_by_default(labels):
    y, score, _ = sample(5)
    named = np.array(labels)[y]
    auc = metrics.roc_auc(y, score)
    assert metrics.roc_auc(named, score) == auc
    assert metrics.roc_auc(named.astype(object), score) == auc
    assert metrics.roc_auc(named, score, pos_label=labels[1]) == auc
    assert metrics.roc_auc(named, score, pos_label=labels[0]) == pytest.approx(1 - auc, abs=1e-15)
