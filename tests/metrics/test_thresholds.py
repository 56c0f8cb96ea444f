"""F-beta, break-even and thresholds: equal to scikit-learn and to a search over all thresholds."""

from itertools import product

import numpy as np
import pytest
from scored_samples import sample
from sklearn import metrics as sk

from aucmax import metrics


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0])
def test_f_beta_equals_sklearn_over_all_small_confusion_matrices(beta):
    for tp, fp, fn, tn in product(range(3), range(3), range(1, 3), range(1, 3)):
        y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
        predicted = np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])
        expected = sk.fbeta_score(y, predicted, beta=beta, zero_division=0)
        assert metrics.f_beta(y, predicted, beta=beta) == pytest.approx(expected, abs=1e-15)


def test_f_beta_takes_weights_and_labels_of_any_type():
    y, score, weight = sample(13)
    predicted = (score > 1).astype(int)
    expected = sk.fbeta_score(y, predicted, beta=2, sample_weight=weight)
    names = np.array(["no", "yes"])
    assert metrics.f_beta(
        names[y], names[predicted], beta=2.0, sample_weight=weight, pos_label="yes"
    ) == pytest.approx(expected)
    assert metrics.f_beta(y, predicted, pos_label=0) == pytest.approx(sk.f1_score(1 - y, 1 - predicted))


@pytest.mark.parametrize("seed", range(20))
def test_break_even_is_where_precision_equals_recall(seed):
    rng = np.random.default_rng(seed)
    y, score = rng.permutation(np.arange(40) % 4 == 0), rng.normal(size=40)
    precision, recall, _ = sk.precision_recall_curve(y, score)
    best = np.max(recall[np.isclose(precision, recall, rtol=1e-12)], initial=0.0)
    assert metrics.break_even(y, score) == pytest.approx(best, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_break_even_of_ties_is_the_mean_over_their_orders(seed):
    y, score, _ = sample(seed, levels=4)
    P = y.sum()
    cut = np.sort(score)[::-1][P - 1]
    above, block = score > cut, score == cut
    expected = (y[above].sum() + y[block].mean() * (P - above.sum())) / P
    assert metrics.break_even(y, score) == pytest.approx(expected, abs=1e-15)


def rates(y, score, weight, threshold):
    """FPR, TPR and precision of predicting positive at score >= threshold."""
    predicted = score >= threshold
    tp = np.sum(weight[predicted & (y == 1)])
    fp = np.sum(weight[predicted & (y == 0)])
    return fp / weight[y == 0].sum(), tp / weight[y == 1].sum(), tp / max(tp + fp, 1)


# Which thresholds meet the target, and which is the best of them (tuples are compared in order).
TARGETS = {
    "fpr": (lambda fpr, tpr, precision, bound: fpr <= bound, lambda fpr, tpr, precision: (tpr, -fpr)),
    "tpr": (lambda fpr, tpr, precision, bound: tpr >= bound, lambda fpr, tpr, precision: (-fpr, tpr)),
    "precision": (
        lambda fpr, tpr, precision, bound: precision >= bound,
        lambda fpr, tpr, precision: (tpr, -fpr),
    ),
}


@pytest.mark.parametrize("use_weight", [False, True])
@pytest.mark.parametrize("bound", [0.0, 0.1, 0.25, 0.45])
@pytest.mark.parametrize("rate", TARGETS)
def test_threshold_is_the_best_that_meets_the_target(rate, bound, use_weight):
    meets, merit = TARGETS[rate]
    for seed in range(10):
        y, score, weight = sample(seed)
        used = weight if use_weight else np.ones(60)
        chosen = metrics.threshold_for(y, score, sample_weight=weight if use_weight else None, **{rate: bound})
        every = [rates(y, score, used, t) for t in [np.inf, *np.unique(score)]]
        best = max(merit(*each) for each in every if meets(*each, bound))
        assert merit(*rates(y, score, used, chosen)) == pytest.approx(best, abs=1e-15)
        assert meets(*rates(y, score, used, chosen), bound)


@pytest.mark.parametrize("target", [{"fpr": 0.3}, {"tpr": 0.7}, {"precision": 0.6}])
def test_threshold_is_not_moved_by_the_rounding_of_weights(target):
    y = np.tile([0, 1], 10)
    score = np.arange(20.0) + 3.0 * y
    expected = metrics.threshold_for(y, score, **target)
    assert metrics.threshold_for(y, score, sample_weight=np.full(20, 0.1), **target) == expected


def test_threshold_for_full_recall_keeps_float32():
    y = np.array([0, 1, 1])
    score = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    assert np.array_equal(score >= metrics.threshold_for(y, score, tpr=1.0), y == 1)


@pytest.mark.parametrize(
    "target, message",
    [
        ({}, "0 targets given: .* give exactly one of fpr, tpr, precision"),
        ({"fpr": 0.1, "tpr": 0.9}, "2 targets given"),
        ({"fpr": 1.5}, "fpr=1.5; give a number from 0 to 1"),
        ({"precision": 0.9}, "no threshold reaches precision 0.9; give at most 0.5"),
    ],
)
def test_threshold_refuses_targets_it_cannot_meet(target, message):
    with pytest.raises(ValueError, match=message):
        metrics.threshold_for([0, 1, 0, 1], [3.0, 2.0, 1.0, 0.0], **target)
