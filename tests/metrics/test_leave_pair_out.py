"""Leave-pair-out AUC equals refitting without the pair."""

import numpy as np
import pytest
from conftest import make_table

from aucmax import AUCClassifier
from aucmax.metrics import leave_pair_out_auc
from aucmax.metrics.leave_pair_out import leave_pair_out


def problem(seed):
    """Tables of 10 to 24 rows, half of them with more columns than rows, some with duplicated rows."""
    n, dim = 10 + seed % 15, (3, 40)[seed % 2]
    X, y, _ = make_table(n, dim, seed=seed, rate=0.4)
    if seed % 5 == 0:
        X[1] = X[0]
    return X, y > 0, 10.0 ** (seed % 4 - 3)


def refitted_scores(pairs, X, is_pos, alpha):
    """Scores of the rows of every pair by the minimiser over all pairs of other rows."""
    y = np.where(is_pos, 1, -1)
    for i in np.flatnonzero(is_pos):
        for j in np.flatnonzero(~is_pos):
            rest = np.delete(np.arange(y.size), [i, j])
            yield X[[i, j]] @ pairs(X[rest], y[rest]).ridge(alpha)


@pytest.mark.parametrize("seed", range(20))
def test_auc_is_that_of_refitting_without_each_pair(pairs, seed):
    X, is_pos, alpha = problem(seed)
    scores = np.array(list(refitted_scores(pairs, X, is_pos, alpha)))
    margin = scores[:, 0] - scores[:, 1]
    size = np.abs(scores).max(axis=1)
    wins = np.where(np.abs(margin) <= 1e-9 * size, 0.5, margin > 0)  # equal rows are tied up to rounding
    assert leave_pair_out_auc(X, is_pos, alpha, standardize=False).auc == pytest.approx(wins.mean(), abs=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_scores_are_those_of_the_classifier_fitted_without_each_pair(seed):
    """A positive's score is the mean over its pairs; zero is midway between the class means of the other rows."""
    X, is_pos, alpha = problem(seed)
    (shares,) = leave_pair_out(X, is_pos, [alpha])
    for i in np.flatnonzero(is_pos):
        expected = []
        for j in np.flatnonzero(~is_pos):
            rest = np.delete(np.arange(is_pos.size), [i, j])
            w = AUCClassifier(alpha=alpha, standardize=False).fit(X[rest], is_pos[rest]).coef_[0]
            middle = (X[rest][is_pos[rest]].mean(axis=0) + X[rest][~is_pos[rest]].mean(axis=0)) / 2
            expected.append((X[i] - middle) @ w)
        assert shares.scores[i] == pytest.approx(np.mean(expected), rel=1e-8, abs=1e-10)


def test_scale_is_the_standard_deviation_of_all_rows():
    X, is_pos, alpha = problem(2)
    scaled = leave_pair_out_auc(X / X.std(axis=0), is_pos, alpha, standardize=False)
    assert leave_pair_out_auc(X * [1.0, 1e3, 1e-3], is_pos, alpha) == pytest.approx(scaled, abs=1e-12)


def test_random_labels_give_one_half():
    """Fifty tables of noise, each with a standard error near .12: the mean is within four of its own."""
    rng = np.random.default_rng(0)
    aucs = [leave_pair_out_auc(rng.normal(size=(30, 5)), rng.permutation(30) < 8, 1.0).auc for _ in range(50)]
    assert abs(np.mean(aucs) - 0.5) < 4 * np.std(aucs) / np.sqrt(50)


def test_labels_of_any_kind_and_the_other_class():
    X, is_pos, alpha = problem(4)
    labels = np.where(is_pos, "yes", "no")
    result = leave_pair_out_auc(X, labels, alpha)
    assert result == leave_pair_out_auc(X, is_pos, alpha)
    assert leave_pair_out_auc(X, labels, alpha, pos_label="no") == pytest.approx(result, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.0}, "alpha=0.0; give a finite number above 0"),
        ({"y": [1, 0, 0, 0, 0]}, "1 positive and 4 negative rows; leaving a pair out needs two of each"),
        ({"y": [1, 0, 1, 0]}, "y has 4 labels for 5 rows"),
        ({"X": np.full((5, 2), np.nan)}, "NaN"),
    ],
)
def test_bad_input_is_refused(change, message):
    arguments = {"X": np.eye(5), "y": [0, 1, 0, 1, 0], "alpha": 1.0, **change}
    with pytest.raises(ValueError, match=message):
        leave_pair_out_auc(**arguments)
