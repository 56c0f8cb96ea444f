"""AUCClassifierCV(cv="leave_pair_out") against refitting without every pair."""

import numpy as np
import pytest
from conftest import make_table
from scipy import sparse

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.metrics import leave_pair_out, leave_pair_out_auc

ALPHAS = np.array([3.0, 0.3, 0.01])
PROBLEMS = [(14, 3, 0.3), (13, 30, 0.4), (16, 4, 0.7)]  # rows, columns, share of the positives


def refitted_scores(X, is_pos, alpha):
    """Scores of both rows of every pair by the model without it, of shape (P, M, 2); columns scaled by all rows."""
    X = X / X.std(axis=0)
    scores = np.empty((is_pos.sum(), (~is_pos).sum(), 2))
    for p, i in enumerate(np.flatnonzero(is_pos)):
        for m, j in enumerate(np.flatnonzero(~is_pos)):
            rest = np.delete(np.arange(is_pos.size), [i, j])
            w = AUCClassifier(alpha=alpha, standardize=False).fit(X[rest], is_pos[rest]).coef_[0]
            middle = (X[rest][is_pos[rest]].mean(axis=0) + X[rest][~is_pos[rest]].mean(axis=0)) / 2
            scores[p, m] = (X[[i, j]] - middle) @ w
    return scores


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_path_equals_refitting_without_every_pair(problem, form):
    n, dim, rate = problem
    X, y, _ = make_table(n, dim, rate=rate)
    is_pos = y > 0
    model = AUCClassifierCV(ALPHAS, cv="leave_pair_out", decision="balanced").fit(form(X), is_pos)
    scores = [refitted_scores(X, is_pos, alpha) for alpha in ALPHAS]
    wins = np.array([score[:, :, 0] > score[:, :, 1] for score in scores])
    rarer = wins.mean(axis=2 if is_pos.sum() <= n / 2 else 1)
    np.testing.assert_allclose(model.cv_auc_, rarer, atol=1e-12)
    best = int(np.argmax(wins.mean(axis=(1, 2))))
    assert model.alpha_ == ALPHAS[best]
    np.testing.assert_allclose(model.oof_scores_[is_pos], scores[best][:, :, 0].mean(axis=1), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.oof_scores_[~is_pos], scores[best][:, :, 1].mean(axis=0), rtol=1e-7, atol=1e-9)


def test_weights_are_those_of_the_chosen_alpha_on_all_rows():
    X, y, _ = make_table(40, 5)
    model = AUCClassifierCV(cv="leave_pair_out").fit(X, y)
    expected = AUCClassifier(alpha=model.alpha_).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    assert model.loss_ == "squared"
    assert model.predict_proba(X).shape == (40, 2)


def test_cv_results_have_one_row_per_alpha_and_the_leave_pair_out_auc_as_mean():
    X, y, _ = make_table(40, 5)
    results = AUCClassifierCV(ALPHAS, cv="leave_pair_out").fit(X, y).cv_results_
    assert results["param_alpha"].tolist() == ALPHAS.tolist()
    expected = [leave_pair_out_auc(X, y, alpha).auc for alpha in ALPHAS]
    np.testing.assert_allclose(results["mean_test_score"], expected, atol=1e-12)
    splits = [results[f"split{k}_test_score"] for k in range(int((y > 0).sum()))]
    np.testing.assert_allclose(np.mean(splits, axis=0), expected, atol=1e-12)
    assert sorted(results["rank_test_score"])[0] == 1


def test_one_se_chooses_a_larger_alpha_within_one_error_of_the_best():
    X, y, _ = make_table(60, 20, seed=3)
    best = AUCClassifierCV(30, cv="leave_pair_out").fit(X, y)
    simpler = AUCClassifierCV(30, cv="leave_pair_out", choice="one_se").fit(X, y)
    mean, chosen = best.cv_auc_.mean(axis=1), best.alphas_ == simpler.alpha_
    error = best.cv_auc_[mean.argmax()].std(ddof=1) / np.sqrt(best.cv_auc_.shape[1])
    assert simpler.alpha_ > best.alpha_
    assert mean[chosen] >= mean.max() - error


def test_a_row_of_weight_zero_is_left_out():
    X, y, _ = make_table(20, 4)
    weight = np.where(np.arange(20) < 3, 0.0, 1.0)
    model = AUCClassifierCV(ALPHAS, cv="leave_pair_out").fit(X, y, weight)
    np.testing.assert_allclose(model.cv_auc_, AUCClassifierCV(ALPHAS, cv="leave_pair_out").fit(X[3:], y[3:]).cv_auc_)
    assert np.isnan(model.oof_scores_).tolist() == [True] * 3 + [False] * 17


def test_blocks_of_pairs_give_the_same(monkeypatch):
    X, y, _ = make_table(50, 5)
    whole = AUCClassifierCV(ALPHAS, cv="leave_pair_out").fit(X, y)
    monkeypatch.setattr(leave_pair_out, "BLOCK", 80)
    parts = AUCClassifierCV(ALPHAS, cv="leave_pair_out").fit(X, y)
    np.testing.assert_allclose(parts.cv_auc_, whole.cv_auc_, atol=1e-12)
    np.testing.assert_allclose(parts.oof_scores_, whole.oof_scores_, rtol=1e-10)


@pytest.mark.parametrize(
    ("settings", "fit", "message"),
    [
        ({"cv": "leave_one_out"}, {}, "cv='leave_one_out'; give an integer of 2 or more, .* or 'leave_pair_out'"),
        ({"loss": "hinge"}, {}, "loss='hinge' with cv='leave_pair_out'; use loss='squared', or folds"),
        ({"loss": ["squared", "logistic"]}, {}, "with cv='leave_pair_out'; use loss='squared'"),
        ({"l1_ratio": 0.5}, {}, "l1_ratio=0.5 with cv='leave_pair_out', which needs an L2 penalty"),
        ({"alphas": [1.0, 0.0]}, {}, "give numbers above 0"),
        ({}, {"sample_weight": np.arange(1.0, 21.0)}, "sample_weight from 1 to 20 with cv='leave_pair_out'"),
        ({}, {"groups": np.arange(20) // 2}, "groups with cv='leave_pair_out', which would split them"),
    ],
)
def test_what_has_no_closed_form_is_refused(settings, fit, message):
    X, y, _ = make_table(20, 4)
    model = AUCClassifierCV(**{"cv": "leave_pair_out", **settings})
    with pytest.raises(ValueError, match=message):
        model.fit(X, y, **fit)
