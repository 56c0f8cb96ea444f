"""The interval of a cross-validated AUC: brute force, repeats, ties, weights, coverage."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from aucmax.metrics import auc_interval, cv_auc_interval
from aucmax.metrics.cross_validated import class_variances


def sample(seed, n=60):
    rng = np.random.default_rng(seed)
    y = rng.permutation(n) < n // 3
    return rng, y, np.round(rng.normal(size=n) + y, 1)  # with ties


def stratified(y, n_folds, seed):
    places = np.empty(y.size, dtype=int)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for fold, (_, test) in enumerate(splitter.split(y, y)):
        places[test] = fold
    return places


def brute_influences(y, score):
    """From all pairs of one fold: shares of the other class below, centred, over n - 1 as in DeLong's variance."""
    wins = (score[y][:, None] > score[~y]) + 0.5 * (score[y][:, None] == score[~y])
    influence = np.empty(y.size)
    for mine, shares in ((y, wins.mean(axis=1)), (~y, 1.0 - wins.mean(axis=0))):
        size = mine.sum()
        influence[mine] = (shares - shares.mean()) / np.sqrt(size * (size - 1))
    return influence


def test_one_fold_has_delongs_error():
    _, y, score = sample(0)
    result, delong = cv_auc_interval(y, score, np.zeros(60, dtype=int)), auc_interval(y, score)
    assert (result.auc, result.std_error) == pytest.approx((delong.auc, delong.std_error), abs=1e-12)
    assert result.low < delong.low and result.high > delong.high  # Student's t in place of the normal distribution


def test_many_rows_give_delongs_interval():
    rng = np.random.default_rng(0)
    y = np.arange(40_000) < 20_000
    score = rng.normal(size=y.size) + y
    assert cv_auc_interval(y, score, np.zeros(y.size, dtype=int)) == pytest.approx(auc_interval(y, score), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_repeats_average_the_influences_of_a_row(seed):
    rng, y, _ = sample(seed)
    scores = np.round(rng.normal(size=(3, 60)) + y, 1)
    folds = np.stack([stratified(y, 4, k) for k in range(3)])
    aucs = []
    influence = np.zeros(60)
    for score, place in zip(scores, folds):
        for fold in range(4):
            rows = place == fold
            aucs.append(roc_auc_score(y[rows], score[rows]))
            influence[rows] += brute_influences(y[rows], score[rows]) / 12
    result = cv_auc_interval(y, scores, folds, confidence=0.9)
    assert result.auc == pytest.approx(np.mean(aucs), abs=1e-12)
    squares = [factor * (influence[mine] ** 2).sum() for mine, factor in ((y, 20 / 16), (~y, 40 / 36))]
    assert result.std_error == pytest.approx(np.sqrt(sum(squares)), abs=1e-12)
    df = sum(squares) ** 2 / (squares[0] ** 2 / (20 - 4) + squares[1] ** 2 / (40 - 4))
    reach = stats.t.ppf(0.95, df) * result.std_error / (result.auc * (1 - result.auc))
    logit = np.log(result.auc / (1 - result.auc))
    assert (result.low, result.high) == pytest.approx(1 / (1 + np.exp([reach - logit, -reach - logit])), abs=1e-12)


def test_the_variance_is_at_most_doubled_if_folds_overlap():
    """Twenty folds that share their rows, as of a repeated random split: P - K would be zero."""
    _, y, score = sample(6)
    influence = brute_influences(y, score)
    doubled = class_variances(influence, y, n_folds=20)
    assert doubled[1] == pytest.approx(2.0 * (influence[y] ** 2).sum())
    assert doubled[0] == pytest.approx(2.0 * (influence[~y] ** 2).sum())


@pytest.mark.thorough
def test_ninety_five_per_cent_of_the_intervals_cover():
    """A ridge solution on 20 positives of 400 rows: 600 tables, whose share has a standard error of 0.9 %."""
    rng = np.random.default_rng(0)
    y = np.arange(400) < 20
    covered = 0
    for seed in range(600):
        X = rng.normal(size=(400, 5)) + 0.4 * y[:, None]
        folds = stratified(y, 5, seed)
        score, truths = np.empty(400), []
        for k in range(5):
            train = folds != k
            means = [X[train & mine].mean(axis=0) for mine in (y, ~y)]
            S = sum(np.cov(X[train & mine].T, bias=True) for mine in (y, ~y))
            w = np.linalg.solve(S + 0.2 * np.eye(5), means[0] - means[1])
            score[~train] = X[~train] @ w
            truths.append(stats.norm.cdf(0.4 * w.sum() / np.sqrt(2.0 * w @ w)))
        result = cv_auc_interval(y, score, folds)
        covered += result.low <= np.mean(truths) <= result.high
    assert 0.93 <= covered / 600 <= 0.975


def test_scores_of_different_folds_are_not_compared():
    _, y, score = sample(3)
    folds = stratified(y, 3, 0)
    shifted = cv_auc_interval(y, score + 100.0 * folds, folds)
    assert shifted == pytest.approx(cv_auc_interval(y, score, folds), abs=1e-12)


def test_rows_in_no_fold_are_ignored_whatever_their_score():
    _, y, score = sample(4)
    folds = stratified(y, 3, 0)
    untested = folds == 2
    expected = cv_auc_interval(y[~untested], score[~untested], folds[~untested])
    result = cv_auc_interval(y, np.where(untested, np.nan, score), np.where(untested, -1, folds))
    assert result == pytest.approx(expected, abs=1e-12)


def test_the_mean_of_weighted_folds_is_that_of_scikit_learn():
    rng, y, score = sample(5)
    folds, weight = stratified(y, 3, 0), rng.integers(1, 4, 60).astype(float)
    expected = [roc_auc_score(y[folds == k], score[folds == k], sample_weight=weight[folds == k]) for k in range(3)]
    assert cv_auc_interval(y, score, folds, sample_weight=weight).auc == pytest.approx(np.mean(expected), abs=1e-12)


def test_a_perfect_ranking_has_an_interval():
    y = np.arange(40) < 10
    result = cv_auc_interval(y, y.astype(float), stratified(y, 2, 0))
    assert (result.auc, result.high) == (1.0, 1.0) and 0.7 < result.low < 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folds": np.zeros(59, dtype=int)}, "pass one score and one fold per row"),
        ({"folds": np.zeros(60)}, "folds has type float64; pass integers"),
        ({"folds": np.full(60, -1)}, "no row in any fold"),
        ({"folds": np.arange(60) // 20 * 5}, "fold .* needs two of each in every fold"),
        ({"y_score": np.full(60, np.nan)}, r"y_score of fold 0\[0\] is nan"),
        ({"confidence": 1.0}, "confidence=1.0; give a number above 0 and below 1"),
    ],
)
def test_bad_input_is_refused(change, message):
    arguments = {"y_true": np.arange(60) < 20, "y_score": np.arange(60.0), "folds": np.arange(60) % 3, **change}
    with pytest.raises(ValueError, match=message):
        cv_auc_interval(**arguments)
