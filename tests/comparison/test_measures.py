"""Measures besides AUC: values of scikit-learn, intervals that cover."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from aucmax.comparison import compare
from aucmax.comparison.measures import MeasureIntervals, ScoredFold, measure_intervals
from aucmax.datasets import make_toy


def folds_of(seed, n=200, n_folds=4, ties=True):
    rng = np.random.default_rng(seed)
    is_pos = rng.permutation(n) < n // 5
    scores = rng.normal(size=n) + 1.2 * is_pos
    scores = np.round(scores, 1) if ties else scores
    weight = rng.integers(1, 4, n).astype(float)
    places = rng.permutation(n) % n_folds
    rows = [np.flatnonzero(places == k) for k in range(n_folds)]
    return [ScoredFold(part, is_pos[part], scores[part], weight[part]) for part in rows]


@pytest.mark.parametrize("seed", range(5))
def test_values_are_the_means_of_scikit_learns(seed):
    folds = folds_of(seed)
    expected = {"average_precision": [], "partial_auc": [], "recall_at_fpr_1": [], "recall_at_fpr_5": []}
    for _, is_pos, scores, weight in folds:
        fpr, tpr, _ = roc_curve(is_pos, scores, sample_weight=weight, drop_intermediate=False)
        expected["average_precision"].append(average_precision_score(is_pos, scores, sample_weight=weight))
        expected["partial_auc"].append(roc_auc_score(is_pos, scores, sample_weight=weight, max_fpr=0.1))
        expected["recall_at_fpr_1"].append(tpr[fpr <= 0.01 + 1e-12].max())
        expected["recall_at_fpr_5"].append(tpr[fpr <= 0.05 + 1e-12].max())
    found = measure_intervals(folds, 200)
    for name, values in expected.items():
        assert found[name].value == pytest.approx(np.mean(values), abs=1e-10)
        assert found[name].low <= found[name].value <= found[name].high


@pytest.mark.thorough
def test_intervals_have_about_the_nominal_coverage():
    """Recall at 5 % false positives of two normal classes; 200 tables measure a coverage of 95 % to +-1.5 points."""
    rng = np.random.default_rng(0)
    is_pos = np.arange(600) < 150
    truth = norm.sf(norm.isf(0.05) - 1.5)
    hits = 0
    for _ in range(200):
        fold = ScoredFold(np.arange(600), is_pos, rng.normal(size=600) + 1.5 * is_pos, np.ones(600))
        estimate = measure_intervals([fold], 600)["recall_at_fpr_5"]
        hits += estimate.low <= truth <= estimate.high
    assert 0.90 <= hits / 200 <= 0.99


def test_a_perfect_ranking_has_an_interval():
    is_pos = np.arange(60) < 20
    fold = ScoredFold(np.arange(60), is_pos, is_pos.astype(float), np.ones(60))
    for estimate in measure_intervals([fold], 60).values():
        assert (estimate.value, estimate.high) == (1.0, 1.0)
        assert estimate.low == pytest.approx(0.05 ** (1 / 20))


def test_intervals_are_computed_once_and_only_when_asked_for(monkeypatch):
    calls = []

    def counted(folds, n_rows):
        calls.append(n_rows)
        return measure_intervals(folds, n_rows)

    monkeypatch.setattr("aucmax.comparison.measures.measure_intervals", counted)
    folds = folds_of(0)
    found = MeasureIntervals(folds, 200)
    assert len(found) == len(list(found)) == 4
    assert not calls
    assert dict(found) == measure_intervals(folds, 200)
    assert found["partial_auc"].low < found["partial_auc"].high
    assert calls == [200]


def test_a_comparison_takes_no_bootstrap_unless_asked(monkeypatch):
    monkeypatch.setattr("aucmax.comparison.measures.measure_intervals", lambda *_: pytest.fail("bootstrap"))
    result = compare(*make_toy(random_state=0), ["exact"], cv=2)
    assert 0.5 < result["exact"].auc <= 1
    assert "exact" in str(result)
