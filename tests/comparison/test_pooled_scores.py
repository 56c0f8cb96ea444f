"""Scores of all folds on one scale: curves of folds with different scales are the means of those of the folds."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold

from aucmax.comparison import compare
from aucmax.comparison.measures import ScoredFold
from aucmax.comparison.pooled_scores import pool_folds
from aucmax.comparison.report import render_report
from aucmax.comparison.report.ranking import make_ranking


class Unscaled(ClassifierMixin, BaseEstimator):
    """The first column, on a scale and by a shift that depend on the training rows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        rng = np.random.default_rng(int(1e6 * abs(X).sum()) % 2**32)
        self.scale_, self.shift_ = 10.0 ** rng.uniform(-3, 3), rng.normal(scale=1e3)
        return self

    def decision_function(self, X):
        return self.scale_ * X[:, 0] + self.shift_


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 4 == 0
    X = np.column_stack([rng.normal(size=1000) + 1.5 * y, rng.normal(size=1000)])
    return X, y


def area(ranking):
    return np.trapezoid(ranking.recall, ranking.fpr)


@pytest.mark.parametrize("repeats", [1, 3])
def test_the_area_under_the_curve_is_the_mean_auc_of_the_folds(data, repeats):
    result = compare(*data, {"m": Unscaled()}, cv=5, repeats=repeats)
    assert area(make_ranking(result, "m")) == pytest.approx(result["m"].auc, abs=1e-12)
    assert abs(roc_auc_score(data[1], result.scores["m"]) - result["m"].auc) > 0.05  # raw scores contradict it
    assert make_ranking(result, "m").positives == pytest.approx(250)


def test_the_curve_is_the_mean_of_those_of_the_folds(data):
    X, y = data
    folds = list(StratifiedKFold(5).split(X, y))
    ranking = make_ranking(compare(X, y, {"m": Unscaled()}, cv=folds), "m")
    for rate in (0.02, 0.1, 0.5):
        recalls = []
        for _, test in folds:
            fpr, tpr, _ = roc_curve(y[test], X[test, 0], drop_intermediate=False)
            recalls.append(tpr[fpr <= rate + 1e-12].max())
        assert ranking.recall_at_fpr(np.array([rate]))[0] == pytest.approx(np.mean(recalls))


def test_folds_with_other_shares_of_positives_and_unequal_sizes(data):
    """Sizes differ, so that the grids of placements do: the area is the mean up to half a step of the coarsest."""
    X, y = data
    parts = np.split(np.argsort(-10 * y + np.random.default_rng(1).normal(scale=8, size=1000)), [150, 400])
    folds = [
        ScoredFold(part, y[part], (k + 1) * X[part, 0] + 50 * k, np.ones(part.size)) for k, part in enumerate(parts)
    ]
    pooled = pool_folds(folds)
    shares = np.array([fold.is_pos.sum() for fold in folds]) / 250
    aucs = [roc_auc_score(fold.is_pos, fold.scores) for fold in folds]
    coarsest = min((~fold.is_pos).sum() for fold in folds)
    assert roc_auc_score(y[pooled.rows], pooled.placements) == pytest.approx(shares @ aucs, abs=0.5 / coarsest)


def test_weights_count_as_copies(data):
    X, y = data
    weight = np.random.default_rng(2).integers(1, 4, size=1000)
    weighted = pool_folds([ScoredFold(np.arange(1000), y, X[:, 0], weight.astype(float))])
    copies = np.repeat(np.arange(1000), weight)
    copied = pool_folds([ScoredFold(np.arange(copies.size), y[copies], X[copies, 0], np.ones(copies.size))])
    np.testing.assert_allclose(weighted.placements[copies], copied.placements)
    np.testing.assert_allclose(weighted.standardized[copies], copied.standardized)


def test_negatives_with_equal_scores_are_not_divided_by_zero(data):
    _, y = data
    pooled = pool_folds([ScoredFold(np.arange(1000), y, 3.0 + 2.0 * y, np.ones(1000))])
    assert set(pooled.standardized[y]) == {2.0} and set(pooled.standardized[~y]) == {0.0}


def test_the_page_of_repeated_folds_counts_rows_once(data):
    result = compare(*data, {"m": Unscaled()}, cv=5, repeats=3)
    page = render_report(result)
    assert "333" not in page.partition("Thresholds of m")[2].partition("</table>")[0]
    assert "Reviewing the top" in page
