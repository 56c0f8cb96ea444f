"""Measures: equal to brute force over pairs, to scikit-learn, and to enumeration of all rankings."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from aucmax import metrics

NAMES_OF_MEASURES = ["roc_auc", "roc_curve", "partial_auc", "lift_curve", "area_under_lift", "break_even"]
WEIGHTED = [getattr(metrics, name) for name in NAMES_OF_MEASURES]
SCORED = [*WEIGHTED, metrics.auc_interval]


def sample(seed, n=60, levels=7):
    """Labels and scores with heavy ties, and integer weights."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    score = rng.integers(0, levels, n) + y * rng.integers(0, 3, n)
    return y, score / 4.0, rng.integers(0, 4, n) + 1.0 * y


def wins(y, score):
    """Matrix of positives against negatives: 1 won, 1/2 tied, 0 lost."""
    pos, neg = score[y == 1], score[y == 0]
    return (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)


def brute_auc(y, score, weight):
    pair_weight = np.outer(weight[y == 1], weight[y == 0])
    return np.sum(wins(y, score) * pair_weight) / np.sum(pair_weight)


def copies(y, score, weight):
    k = weight.astype(int)
    return np.repeat(y, k), np.repeat(score, k)


# Sums of at most 1e3 doubles of one sign: 1e-12 is 1e4 roundings.
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("levels", [1, 2, 7, 10**6])
def test_auc_is_the_mean_over_all_pairs(seed, levels):
    y, score, weight = sample(seed, levels=levels)
    assert metrics.roc_auc(y, score) == pytest.approx(brute_auc(y, score, np.ones(60)), abs=1e-12)
    assert metrics.roc_auc(y, score, weight) == pytest.approx(brute_auc(y, score, weight), abs=1e-12)
    assert metrics.roc_auc(y, score, weight) == pytest.approx(sk.roc_auc_score(y, score, sample_weight=weight))


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


@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
def test_weighted_auc_of_perfect_rankings_and_of_ties_is_exact(size):
    rng = np.random.default_rng(0)
    for _ in range(50):
        y, weight = rng.permutation(np.repeat([0, 1], [30, 20])), size * rng.uniform(0.1, 3.0, size=50)
        assert metrics.roc_auc(y, y + 0.5 * rng.random(50), weight) == 1.0
        assert metrics.roc_auc(y, -y - 0.5 * rng.random(50), weight) == 0.0
        assert metrics.roc_auc(y, np.zeros(50), weight) == 0.5


def test_auc_of_classes_equals_roc_auc():
    y, score, weight = sample(3)
    pos, neg, ones = score[y == 1], score[y == 0], np.ones(60)
    assert metrics.auc_of_classes(pos, neg) == metrics.roc_auc(y, score)
    both = metrics.auc_of_classes(pos, neg, weight[y == 1], weight[y == 0])
    assert both == pytest.approx(metrics.roc_auc(y, score, weight), abs=1e-12)
    one = metrics.auc_of_classes(pos, neg, neg_weight=weight[y == 0])
    assert one == pytest.approx(brute_auc(y, score, np.where(y == 1, ones, weight)), abs=1e-12)


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
def test_larger_label_is_positive_unless_told(labels):
    y, score, _ = sample(5)
    named = np.array(labels)[y]
    auc = metrics.roc_auc(y, score)
    assert metrics.roc_auc(named, score) == auc
    assert metrics.roc_auc(named.astype(object), score) == auc
    assert metrics.roc_auc(named, score, pos_label=labels[1]) == auc
    assert metrics.roc_auc(named, score, pos_label=labels[0]) == pytest.approx(1 - auc, abs=1e-15)


@pytest.mark.parametrize("measure", WEIGHTED)
def test_weight_k_equals_k_copies(measure):
    y, score, weight = sample(6)
    whole = measure(*copies(y, score, weight))
    weighted = measure(y, score, sample_weight=weight)
    for a, b in zip(np.atleast_1d(weighted), np.atleast_1d(whole), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize("use_weight", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_roc_curve_equals_sklearn(seed, use_weight):
    y, score, weight = sample(seed, levels=40)
    weight = weight if use_weight else None
    expected = sk.roc_curve(y, score, sample_weight=weight, drop_intermediate=False)
    for ours, theirs in zip(metrics.roc_curve(y, score, weight), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_area_under_roc_curve_is_auc():
    y, score, weight = sample(7)
    fpr, tpr, thresholds = metrics.roc_curve(y, score, weight)
    assert np.trapezoid(tpr, fpr) == pytest.approx(metrics.roc_auc(y, score, weight), abs=1e-12)
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
    y, score = np.arange(50) % 2, rng.normal(size=50)
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


def test_two_way_partial_auc_is_standardised_between_chance_and_perfect():
    ranges = {"max_fpr": 0.6, "min_tpr": 0.4, "standardize": True}
    y = np.arange(40) % 2
    assert metrics.partial_auc(y, y, **ranges) == pytest.approx(1.0)
    assert metrics.partial_auc(y, np.ones(40), **ranges) == pytest.approx(0.5)


@pytest.mark.parametrize("use_weight", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_area_under_lift_follows_from_auc(seed, use_weight):
    y, score, weight = sample(seed)
    used = weight if use_weight else np.ones(60)
    P, pi = used[y == 1].sum(), used[y == 1].sum() / used.sum()
    area = metrics.area_under_lift(y, score, weight if use_weight else None)
    assert area == pytest.approx(P * (pi / 2 + (1 - pi) * brute_auc(y, score, used)), rel=1e-12)


def test_area_under_lift_of_a_perfect_ranking():
    y = np.repeat([0, 1], [30, 10])
    assert metrics.area_under_lift(y, y) == pytest.approx(8.75)


def test_lift_curve_counts_positives():
    y, score, _ = sample(11)
    contacted, found, thresholds = metrics.lift_curve(y, score)
    np.testing.assert_array_equal(found, [np.sum(y[score >= t]) for t in thresholds])
    np.testing.assert_allclose(contacted, [np.mean(score >= t) for t in thresholds])


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


def test_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(0)
    y, truth = np.repeat([1, 0], [25, 60]), stats.norm.cdf(1.2 / np.sqrt(2))
    results = [metrics.auc_interval(y, rng.normal(size=85) + 1.2 * y) for _ in range(3000)]
    # A coverage of 95 % is measured to +-0.4 points.
    assert 0.93 < np.mean([result.low <= truth <= result.high for result in results]) < 0.97


def test_interval_of_a_perfect_ranking_is_not_a_point():
    y = np.repeat([0, 1], [30, 10])
    perfect, reversed_ = metrics.auc_interval(y, y), metrics.auc_interval(y, -y)
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


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0])
def test_f_beta_equals_sklearn_over_random_tables(beta):
    for tp, fp, fn, tn in product(range(3), range(3), range(1, 3), range(1, 3)):
        y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
        called = np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])
        expected = sk.fbeta_score(y, called, beta=beta, zero_division=0)
        assert metrics.f_beta(y, called, beta) == pytest.approx(expected, abs=1e-15)


def test_f_beta_weighs_and_names_labels():
    y, score, weight = sample(13)
    called = (score > 1).astype(int)
    expected = sk.fbeta_score(y, called, beta=2, sample_weight=weight)
    names = np.array(["no", "yes"])
    assert metrics.f_beta(names[y], names[called], 2.0, sample_weight=weight) == pytest.approx(expected)
    assert metrics.f_beta(y, called, pos_label=0) == pytest.approx(sk.f1_score(1 - y, 1 - called))


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
    P, cut = y.sum(), np.sort(score)[::-1][y.sum() - 1]
    above, block = score > cut, score == cut
    expected = (y[above].sum() + y[block].mean() * (P - above.sum())) / P
    assert metrics.break_even(y, score) == pytest.approx(expected, abs=1e-15)


def rates(y, score, weight, threshold):
    """FPR, TPR and precision of calling score >= threshold positive."""
    called = score >= threshold
    tp, fp = np.sum(weight[called & (y == 1)]), np.sum(weight[called & (y == 0)])
    return fp / weight[y == 0].sum(), tp / weight[y == 1].sum(), tp / max(tp + fp, 1)


# Which thresholds meet the demand, and what is best among them (tuples are compared in order).
DEMANDS = {
    "fpr": (lambda fpr, tpr, precision, bound: fpr <= bound, lambda fpr, tpr, precision: (tpr, -fpr)),
    "tpr": (lambda fpr, tpr, precision, bound: tpr >= bound, lambda fpr, tpr, precision: (-fpr, tpr)),
    "precision": (
        lambda fpr, tpr, precision, bound: precision >= bound,
        lambda fpr, tpr, precision: (tpr, -fpr),
    ),
}


@pytest.mark.parametrize("use_weight", [False, True])
@pytest.mark.parametrize("bound", [0.0, 0.1, 0.25, 0.45])
@pytest.mark.parametrize("goal", DEMANDS)
def test_threshold_is_the_best_that_meets_the_demand(goal, bound, use_weight):
    meets, merit = DEMANDS[goal]
    for seed in range(10):
        y, score, weight = sample(seed)
        used = weight if use_weight else np.ones(60)
        chosen = metrics.threshold_for(y, score, sample_weight=weight if use_weight else None, **{goal: bound})
        every = [rates(y, score, used, t) for t in [np.inf, *np.unique(score)]]
        best = max(merit(*each) for each in every if meets(*each, bound))
        assert merit(*rates(y, score, used, chosen)) == pytest.approx(best, abs=1e-15)
        assert meets(*rates(y, score, used, chosen), bound)


@pytest.mark.parametrize("demand", [{"fpr": 0.3}, {"tpr": 0.7}, {"precision": 0.6}])
def test_threshold_does_not_lose_a_step_to_the_rounding_of_weights(demand):
    y = np.tile([0, 1], 10)
    score = np.arange(20.0) + 3.0 * y
    expected = metrics.threshold_for(y, score, **demand)
    assert metrics.threshold_for(y, score, sample_weight=np.full(20, 0.1), **demand) == expected


def test_threshold_for_full_recall_keeps_float32():
    y, score = np.array([0, 1, 1]), np.array([0.1, 0.2, 0.3], dtype=np.float32)
    assert np.array_equal(score >= metrics.threshold_for(y, score, tpr=1.0), y == 1)


@pytest.mark.parametrize(
    "demand, message",
    [
        ({}, "0 demands given: .* give exactly one of fpr, tpr, precision"),
        ({"fpr": 0.1, "tpr": 0.9}, "2 demands given"),
        ({"fpr": 1.5}, "fpr=1.5; choose a rate between 0 and 1"),
        ({"precision": 0.9}, "no threshold reaches precision 0.9; ask for 0.5"),
    ],
)
def test_threshold_refuses_demands_it_cannot_meet(demand, message):
    with pytest.raises(ValueError, match=message):
        metrics.threshold_for([0, 1, 0, 1], [3.0, 2.0, 1.0, 0.0], **demand)


def enumerated(n_pos, n_neg):
    """Pairs won and places of the positives (best first) of every ranking."""
    n = n_pos + n_neg
    for places in combinations(range(n), n_pos):
        yield sum(n - 1 - place for place in places) - n_pos * (n_pos - 1) // 2, places


def enumerated_counts(n_pos, n_neg, cut):
    auc, accuracy = np.array(
        [(won, sum(place < cut for place in places)) for won, places in enumerated(n_pos, n_neg)]
    ).T
    order = np.sign(auc[:, None] - auc), np.sign(accuracy[:, None] - accuracy)
    cases = [order[0] * order[1] > 0, order[0] * order[1] < 0]
    cases += [(order[0] != 0) & (order[1] == 0), (order[0] == 0) & (order[1] != 0)]
    return tuple(int(case.sum()) // 2 for case in cases)


@pytest.mark.parametrize("n", range(2, 9))
def test_ranking_counts_equal_enumeration(n):
    for n_pos in range(1, n):
        for cut in range(n + 1):
            assert metrics.ranking_counts(n_pos, n - n_pos, cut) == enumerated_counts(n_pos, n - n_pos, cut)


@pytest.mark.parametrize(
    "half, counts",
    {2: (9, 0, 5, 0), 3: (113, 1, 62, 4), 4: (1459, 34, 762, 52), 5: (19742, 766, 9416, 618)}.items(),
)
def test_ranking_counts_of_the_specification(half, counts):
    assert metrics.ranking_counts(half, half) == counts


def test_auc_is_consistent_and_more_discriminating():
    for n in range(3, 13):
        for n_pos, cut in product(range(1, n), range(1, n)):
            counts = metrics.ranking_counts(n_pos, n - n_pos, cut)
            assert counts.agree > counts.disagree
            assert counts.auc_only > counts.accuracy_only


def test_consistency_and_discriminancy():
    assert metrics.consistency(6, 6) == pytest.approx(0.951, abs=5e-4)
    assert metrics.discriminancy(6, 6) == pytest.approx(16.3, abs=0.05)
    assert metrics.discriminancy(2, 2) == np.inf
    assert np.isnan(metrics.consistency(3, 3, cut=0))
    assert np.isnan(metrics.discriminancy(1, 1))


def enumerated_aucs(n_pos, n_neg, errors):
    """AUC of every ranking and cut with this number of errors."""
    for won, places in enumerated(n_pos, n_neg):
        for cut in range(n_pos + n_neg + 1):
            tp = sum(place < cut for place in places)
            if (cut - tp) + (n_pos - tp) == errors:
                yield won / (n_pos * n_neg)


@pytest.mark.parametrize("n_pos, n_neg", [(4, 4), (2, 6), (5, 3), (1, 5)])
def test_expected_auc_equals_enumeration(n_pos, n_neg):
    for errors in range(min(n_pos, n_neg) + 1):
        mean = np.mean(list(enumerated_aucs(n_pos, n_neg, errors)))
        assert metrics.expected_auc(n_pos, n_neg, errors) == pytest.approx(mean, abs=1e-12)


def test_auc_varies_for_a_fixed_number_of_errors():
    assert np.std(list(enumerated_aucs(4, 4, 1))) == pytest.approx(0.088, abs=5e-4)


GOOD = [0.1, 0.2, 0.3, 0.4]
BAD_ROWS = {
    "NaN score": ([0, 1, 0, 1], [0.1, np.nan, 0.3, 0.4], r"score\[1\] is nan; drop or replace"),
    "infinite score": ([0, 1, 0, 1], [0.1, 0.2, np.inf, 0.4], r"score\[2\] is inf"),
    "words for scores": ([0, 1, 0, 1], ["a", "b", "c", "d"], "score must be numbers .* pass floats"),
    "complex scores": ([0, 1, 0, 1], np.array(GOOD) * 1j, "score must be numbers but has type complex128"),
    "objects for scores": ([0, 1, 0, 1], [None, "b", 1.0, 2.0], "score must be numbers but has type object"),
    "2-d score": ([0, 1, 0, 1], np.ones((4, 2)), r"score must be 1-d but has shape \(4, 2\); pass one value"),
    "2-d labels": ([[0], [1], [0], [1]], GOOD, r"y must be 1-d but has shape \(4, 1\)"),
    "one class": ([1, 1, 1, 1], GOOD, r"two classes but has 1: \[1\]; pass rows of both"),
    "three classes": ([0, 1, 2, 1], GOOD, r"two classes but has 3: \[0, 1, 2\]; keep two"),
    "many classes": ([str(i) for i in range(9)], range(9), "has 9: .* and more"),
    "NaN label": ([0, 1, np.nan, 1], GOOD, "y contains NaN; drop"),
    "mixed labels": (
        np.array([0, "a", 0, "a"], dtype=object),
        GOOD,
        "cannot be sorted .* use labels of one type",
    ),
    "lengths differ": ([0, 1, 0, 1], GOOD[:3], "score has 3 rows but y has 4; pass one score per row"),
    "empty": ([], [], "y is empty; pass at least one row of each class"),
}


@pytest.mark.parametrize("measure", SCORED)
@pytest.mark.parametrize("y, score, message", BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_are_refused(measure, y, score, message):
    with pytest.raises(ValueError, match=message):
        measure(y, score)


BAD_WEIGHTS = {
    "negative": ([1, 1, -2, 1], r"sample_weight\[2\] is -2.0; weights must be zero or positive"),
    "no positives": ([1, 0, 1, 0], "all weights of the positive class are zero; give one"),
    "no negatives": ([0, 1, 0, 1], "all weights of the negative class are zero"),
    "NaN": ([1, np.nan, 1, 1], r"sample_weight\[1\] is nan"),
    "too few": ([1, 1], "sample_weight has 2 rows but y has 4"),
}


@pytest.mark.parametrize("measure", [*WEIGHTED, metrics.f_beta])
@pytest.mark.parametrize("weight, message", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_bad_weights_are_refused(measure, weight, message):
    with pytest.raises(ValueError, match=message):
        measure([0, 1, 0, 1], [0, 1, 1, 0], sample_weight=weight)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda y, s: metrics.roc_auc(y, s, pos_label=7), r"pos_label=7 is not a label of y; .* \[0, 1\]"),
        (lambda y, s: metrics.partial_auc(y, s, max_fpr=0.0), "max_fpr=0.0: choose 0 <= min_fpr < max_fpr"),
        (lambda y, s: metrics.partial_auc(y, s, min_tpr=1.0), "min_tpr=1.0: choose 0 <= min_tpr < 1"),
        (lambda y, s: metrics.auc_interval(y, s, confidence=95), "confidence=95; choose a number between"),
        (lambda y, s: metrics.f_beta(y, y, beta=-1.0), "beta=-1.0; choose a finite number"),
        (lambda y, s: metrics.f_beta(y, [0, 1, 5, 1]), r"y_pred holds 5, .* predict one of \[0, 1\]"),
        (lambda y, s: metrics.f_beta(y, [0, 1]), "y_pred has 2 rows but y has 4"),
        (lambda y, s: metrics.ranking_counts(0, 3), "n_pos=0, n_neg=3; both classes need"),
        (lambda y, s: metrics.consistency(3, 3, cut=7), "cut=7; choose a number of rows from 0 to .* = 6"),
        (lambda y, s: metrics.expected_auc(3, 2, errors=3), "errors=3; the formula holds from 0 to .* = 2"),
    ],
)
def test_bad_settings_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call([0, 1, 0, 1], GOOD)
