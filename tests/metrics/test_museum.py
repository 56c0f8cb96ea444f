"""A museum of AUC bugs: what users reported of other libraries, and the right answer from ours.

Each docstring begins with the project and the number of the issue (or pull request); docs/museum.md lists them.
"""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata, ttest_1samp
from scored_samples import brute_auc
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from aucmax import compare, metrics
from aucmax.comparison.measures import ScoredFold, measure_intervals

PAGE = Path(__file__).parents[2] / "docs" / "museum.md"


def exact_auc(y, score):
    """The share of pairs in rational arithmetic, ties counted half."""
    pos = [Fraction(float(s)) for s, label in zip(score, y, strict=True) if label]
    neg = [Fraction(float(s)) for s, label in zip(score, y, strict=True) if not label]
    wins = sum(Fraction(1) if p > n else Fraction(1, 2) if p == n else Fraction(0) for p in pos for n in neg)
    return float(wins / (len(pos) * len(neg)))


def rank_auc(y, score):
    """Mann and Whitney's statistic from midranks, in Python's integers: no size overflows."""
    twice = 2 * rankdata(score)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    wins = int(twice[y].astype(np.int64).sum()) - n_pos * (n_pos + 1)
    return wins / (2 * n_pos * n_neg)


def rank_error(y, score):
    """DeLong's standard error from midranks (Sun and Xu 2014)."""
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    ranks = rankdata(score)
    above = (ranks[y] - rankdata(score[y])) / n_neg
    below = 1 - (ranks[~y] - rankdata(score[~y])) / n_pos
    return np.sqrt(above.var(ddof=1) / n_pos + below.var(ddof=1) / n_neg)


def average_precision(y, score):
    fold = ScoredFold(np.arange(len(y)), np.asarray(y, dtype=bool), np.asarray(score, dtype=float), np.ones(len(y)))
    return measure_intervals([fold], len(y))["average_precision"].value


def test_every_exhibit_is_on_the_page():
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    del tests["test_every_exhibit_is_on_the_page"]
    tested = {test.__doc__.partition(":")[0] for test in tests.values()}
    assert tested == set(re.findall(r"^\| ([\w.-]+/[\w.-]+ \d+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(tested) >= 12


def test_interval_of_145_thousand_rows():
    """xrobin/pROC 19: the interval is 1 to 1 around an AUC of 0.756, because a count overflows."""
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.uniform(0, 0.5, 120_000), rng.uniform(0.5, 0.75, 24_720)])
    y = rng.random(score.size) < score
    found = metrics.auc_interval(y, score)
    assert found.auc == pytest.approx(rank_auc(y, score), abs=1e-14)
    assert found.std_error == pytest.approx(rank_error(y, score), rel=1e-9)
    assert found.high - found.low == pytest.approx(2 * 1.96 * found.std_error, rel=0.01)


def test_interval_of_folds_of_more_than_46340_rows():
    """tagteam/riskRegression 13: n * n overflows above 46,340 rows, and the interval is NA."""
    rng = np.random.default_rng(1)
    y = rng.random(100_000) < 0.5
    score = rng.normal(size=y.size) + y
    found = metrics.cv_auc_interval(y, score, folds=np.arange(y.size) % 2)
    assert found.low < found.auc < found.high
    halves = [rank_auc(y[k::2], score[k::2]) for k in (0, 1)]
    assert found.auc == pytest.approx(np.mean(halves), abs=1e-12)


def test_perfect_scores_have_auc_one_and_not_more():
    """jacobgil/confidenceinterval 15: DeLong's AUC of a perfect ranking is 1.0000001."""
    pos = [0.538232, 0.821133, 0.619048, 0.513239, 0.750472, 0.687299, 0.977851, 0.710069, 0.520612, 0.549120]
    neg = [0.007215, 0.241354, 0.506331, 0.328203, 0.090932, 0.419474, 0.319554, 0.292160, 0.372565, 0.338532]
    found = metrics.auc_interval([1] * 10 + [0] * 10, pos + neg)
    assert found.auc == exact_auc([1] * 10 + [0] * 10, pos + neg) == 1.0
    assert found.low < found.high == 1.0


def test_weighted_auc_is_never_above_one():
    """dmlc/xgboost 7492: the evaluated AUC rises to 1.0004."""
    rng = np.random.default_rng(2)
    y = np.arange(5000) % 2
    weight = rng.uniform(1e-3, 1e3, size=5000).astype(np.float32)
    assert metrics.roc_auc(y, y + 0.5 * rng.random(5000), sample_weight=weight) == 1.0


@pytest.mark.parametrize("n", [100_000, 250_000])
def test_number_of_pairs_above_two_to_the_31(n):
    """mlr-org/mlr3measures 8: the number of pairs overflows, and the AUC is NA."""
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.5
    score = np.round(rng.random(n), 4)
    assert metrics.roc_auc(y, score) == pytest.approx(rank_auc(y, score), abs=1e-14)


def test_auc_of_100_thousand_random_rows_is_near_one_half():
    """haifengl/smile 157: -1.89, since the product of the class sizes is an integer of 32 bits."""
    rng = np.random.default_rng(157)
    y = rng.integers(2, size=100_000).astype(bool)
    score = rng.random(y.size)
    assert metrics.roc_auc(y, score) == rank_auc(y, score)
    assert abs(metrics.roc_auc(y, score) - 0.5) < 5 * rank_error(y, score)


def test_auc_of_a_million_and_a_half_rows_is_not_negative():
    """aksnzhy/xlearn 49: the AUC is negative from about 100,000 test rows on."""
    rng = np.random.default_rng(49)
    y = rng.random(1_500_000) < 0.4
    score = (rng.normal(size=y.size) + 0.5 * y).astype(np.float32)
    assert metrics.roc_auc(y, score) == pytest.approx(rank_auc(y, score), abs=1e-14)


def test_auc_of_131_thousand_rows_is_not_zero():
    """Lightning-AI/torchmetrics 1727: on one device the AUC of 2^17 rows is 0, that of 2^16 rows is right."""
    rng = np.random.default_rng(1727)
    for n in (2**16, 2**17):
        y, score = rng.random(n) < 0.5, rng.random(n).astype(np.float32)
        assert metrics.roc_auc(y, score) == rank_auc(y, score)


def in_batches(y, score):
    """The AUC of all rows, which arrive one by one."""
    stream = metrics.PrequentialAUC(window=len(y))
    for label, value in zip(y, score, strict=True):
        found = stream.update([label], [value])
    assert stream.total == pytest.approx(float(np.ravel(found)[-1]))
    return stream.total


def test_rows_that_arrive_one_by_one_have_the_auc_of_all():
    """Lightning-AI/torchmetrics 1989: scores above 1 pass through a sigmoid, batch by batch, and others do not."""
    y, score = [1, 0, 1], [1.2, 0.9678, 1.7]
    assert in_batches(y, score) == metrics.roc_auc(y, score) == exact_auc(y, score) == 1.0


def test_batches_of_negative_scores():
    """open-edge-platform/anomalib 2003: 0.8990 for a perfect ranking by scores from -2 to 1.8, one a batch."""
    score = np.arange(-2, 2, 0.2)
    y = (score > 1e-9).astype(int)
    assert in_batches(y, score) == metrics.roc_auc(y, score) == exact_auc(y, score) == 1.0


def test_large_scores_are_not_saturated():
    """Lightning-AI/torchmetrics 2819: 0.5, since the sigmoid of every score above 17 is 1."""
    score = [98.0950, 98.4612, 98.1145, 98.1506, 97.6037, 98.9425, 99.2644, 99.5014, 99.7280, 99.6595, 99.6931,
             99.4667, 99.9623, 99.8949, 99.8768]  # fmt: skip
    y = [0] + [1] * 14
    assert metrics.roc_auc(y, score) == exact_auc(y, score) == 13 / 14


def test_partial_auc_of_one_class_is_refused():
    """Lightning-AI/torchmetrics 1891: IndexError for max_fpr if there are no negatives."""
    with pytest.raises(ValueError, match="y_true must have two classes but has 1"):
        metrics.partial_auc([1, 1, 1], [0, 0.5, 0.9], max_fpr=0.01)


def test_auc_of_one_class_is_refused():
    """scikit-learn/scikit-learn 30079: 0.0 if all rows are of one class, where the AUC is undefined."""
    for label in (0, 1):
        with pytest.raises(ValueError, match="y_true must have two classes but has 1"):
            metrics.roc_auc([label] * 4, [0.1, 0.4, 0.35, 0.8])


def test_three_classes_are_refused():
    """Lightning-AI/pytorch-lightning 3303: any number, without an error, for labels of three classes."""
    with pytest.raises(ValueError, match="y_true must have two classes but has 3"):
        metrics.roc_auc([0, 1, 2, 1], [0.1, 0.4, 0.35, 0.8])


def test_infinite_scores_are_refused():
    """xrobin/pROC 32: a meaningless error, and in older versions an invalid curve, if a score is infinite."""
    for function in (metrics.roc_auc, metrics.roc_curve, metrics.auc_interval):
        with pytest.raises(ValueError, match=r"y_score\[1\] is inf; drop or replace"):
            function([0, 1, 0, 1], [0.1, np.inf, 0.3, 0.4])


def test_tiny_scores_are_not_tied():
    """scikit-learn/scikit-learn 3864: 0.5, since 1e-10 counts as 0."""
    y, score = [1, 0, 0], [1e-10, 0, 0]
    assert metrics.roc_auc(y, score) == exact_auc(y, score) == 1.0


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e-300, 1e300])
def test_curve_does_not_depend_on_the_scale_of_the_scores(scale):
    """scikit-learn/scikit-learn 6688: thresholds closer than a fixed tolerance are merged."""
    y, score = [0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8])
    fpr, tpr, thresholds = metrics.roc_curve(y, scale * score)
    assert (fpr.tolist(), tpr.tolist()) == ([0, 0, 0.5, 0.5, 1], [0, 0.5, 0.5, 1, 1])
    assert thresholds[1:].tolist() == (scale * score[[3, 1, 2, 0]]).tolist()


def test_close_probabilities_near_zero():
    """deeplearning4j/deeplearning4j 3516: up to half the AUC is lost by thresholds evenly spaced from 0 to 1."""
    rng = np.random.default_rng(3516)
    y = rng.random(200) < 0.3
    score = 1e-7 * (rng.random(200) + y)
    assert metrics.roc_auc(y, score) == exact_auc(y, score) > 0.9


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_tied_scores_in_any_order(order):
    """rdkit/rdkit 2843: 1.0 or 0.0 for two tied rows, depending on their order."""
    y = np.array([1, 0])[order]
    assert metrics.roc_auc(y, [0.5, 0.5]) == exact_auc(y, [0.5, 0.5]) == 0.5


def test_constant_scores_of_sorted_and_shuffled_rows():
    """diegozea/ROC.jl 1: 0.0 for constant scores, and 0.5024 after a permutation of the rows."""
    y = np.repeat([-1, 1], 50)
    shuffled = np.random.default_rng(0).permutation(y)
    for labels in (y, shuffled):
        fpr, tpr, _ = metrics.roc_curve(labels, np.ones(100))
        assert (fpr.tolist(), tpr.tolist()) == ([0, 1], [0, 1])
        assert metrics.roc_auc(labels, np.ones(100)) == 0.5


def test_vertices_of_the_curve_lie_at_the_ends_of_ties():
    """aidotse/LeakPro 465: a vertex inside each block of ties, and an AUC of 0.375 for a coin flip."""
    y, score = [1, 0, 1, 0], [9, 9, 5, 5]
    fpr, tpr, _ = metrics.roc_curve(y, score)
    assert (fpr.tolist(), tpr.tolist()) == ([0, 0.5, 1], [0, 0.5, 1])
    assert metrics.roc_auc(y, score) == exact_auc(y, score) == 0.5


def test_average_precision_of_constant_scores_is_the_share_of_positives():
    """scikit-learn/scikit-learn 6377: 0.50005 for one positive among 10,000 tied rows."""
    y = np.arange(10_000) == 0
    assert average_precision(y, np.zeros(10_000)) == pytest.approx(1e-4)


@pytest.mark.parametrize("y", [[True, False], [False, True]])
def test_average_precision_of_ties_in_any_order(y):
    """tracel-ai/burn 5683: 100 % or 50 % for two tied rows, depending on their order."""
    assert average_precision(np.repeat(y, 2), np.full(4, 0.5)) == 0.5


def brute_influence_error(y, score, folds):
    """The standard error of a cross-validated AUC from all pairs, ties counted half, with the factors P/(P - K)."""
    total = 0.0
    pos_factor, neg_factor = (rows.sum() / (rows.sum() - 5) for rows in (y, ~y))
    names = np.unique(folds)
    for fold in names:
        pos, neg = score[(folds == fold) & y], score[(folds == fold) & ~y]
        wins = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
        total += pos_factor * wins.mean(axis=1).var(ddof=1) / pos.size
        total += neg_factor * wins.mean(axis=0).var(ddof=1) / neg.size
    return np.sqrt(total) / names.size


def test_influence_of_tied_rows_counts_half():
    """ledell/cvAUC 11: influence functions count ties as wins or losses, so that intervals are wrong."""
    rng = np.random.default_rng(6)
    y = rng.random(400) < 0.3
    score = rng.integers(4, size=400) + y
    folds = np.arange(400) % 5
    found = metrics.cv_auc_interval(y, score.astype(float), folds)
    assert found.std_error == pytest.approx(brute_influence_error(y, score.astype(float), folds), rel=1e-12)
    assert found.auc == pytest.approx(np.mean([exact_auc(y[folds == k], score[folds == k]) for k in range(5)]))


def corrected_t(a, b, ratio):
    """Bouckaert and Frank 2004, section 3.3: the plain t statistic, its variance 1/m replaced by 1/m + n2/n1."""
    d = np.subtract(a, b).ravel()
    return ttest_1samp(d, 0.0).statistic / np.sqrt(1.0 + d.size * ratio)


@pytest.mark.parametrize("shape", [(10,), (3, 5)])
def test_corrected_statistic_has_one_square_root(shape):
    """hendersontrent/correctipy 24: an extra square root in the statistic of repeated folds."""
    rng = np.random.default_rng(24)
    a, b = rng.normal(0.9, 0.02, shape), rng.normal(0.88, 0.02, shape)
    found = metrics.corrected_test(a, b, n_train=80, n_test=20)
    assert found.t == pytest.approx(corrected_t(a, b, 0.25), rel=1e-12)


def test_corrected_statistic_is_not_divided_by_a_variance():
    """hendersontrent/correctipy 20: the square root is missing in the statistic of resampling."""
    a, b = np.array([0.91, 0.88, 0.93, 0.90]), np.array([0.90, 0.85, 0.90, 0.90])
    found = metrics.corrected_test(a, b, n_train=150, n_test=50)
    variance = (0.0075**2 + 2 * 0.0125**2 + 0.0175**2) / 3  # of the differences 0.01, 0.03, 0.03, 0
    by_hand = 0.0175 / np.sqrt((1 / 4 + 1 / 3) * variance)
    assert found.t == pytest.approx(by_hand, rel=1e-12)


def test_interval_of_14_rows_is_wide():
    """hirsch-lab/roc-utils 3: 0.8936 to 0.8972 as a 95 % interval of the AUC of 14 rows."""
    score = [0.0184, 0.0127, 0.6588, 0.3825, 0.0753, 0.0285, 0.0939, 0.0913, 0.1393, 0.8084, 0.5678, 0.7690, 0.6003,
             0.4454]  # fmt: skip
    y = np.arange(14) >= 8
    found = metrics.auc_interval(y, score)
    rng = np.random.default_rng(3)
    drawn = [np.concatenate([rng.integers(8, size=8), rng.integers(8, 14, size=6)]) for _ in range(2000)]
    low = np.quantile([brute_auc(1 * y[rows], np.array(score)[rows], np.ones(14)) for rows in drawn], 0.025)
    assert found.auc == exact_auc(y, score)
    assert found.low < low < found.auc - 0.1


def test_a_constant_model_has_auc_one_half_whatever_the_folds():
    """stan-dev/projpred 78: 0.0 for a constant model, whose constants of different folds are compared."""
    rng = np.random.default_rng(78)
    X, y = rng.normal(size=(61, 2)), np.arange(61) % 3 == 0
    result = compare(X, y, {"constant": DummyClassifier(strategy="prior")}, cv=7)
    assert set(result["constant"].aucs) == {0.5}


def test_auc_is_that_of_scores_and_not_of_predicted_labels():
    """alexarnimueller/modlAMP 20: 0.925 from predicted labels where the scores have 0.952."""
    rng = np.random.default_rng(20)
    y = np.arange(200) % 2 == 0
    X = rng.normal(size=(200, 3)) + 0.7 * y[:, None]
    folds = list(StratifiedKFold(4).split(X, y))
    result = compare(X, y, {"logistic": LogisticRegression()}, cv=folds)
    expected = []
    for train, test in folds:
        model = LogisticRegression().fit(X[train], y[train])
        expected.append(roc_auc_score(y[test], model.predict_proba(X[test])[:, 1]))
    assert result["logistic"].aucs == pytest.approx(expected)
