"""Long tables in chunks: samples decide on alpha, all rows are fitted and scored."""

import numpy as np
import pytest

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.metrics import roc_auc
from aucmax.numerics.chunked_matrix import computed_rows
from aucmax.selection import cross_validation
from aucmax.solvers import Newton


@pytest.fixture
def rows():
    """Rare positives, and a column far from zero."""
    rng = np.random.default_rng(0)
    y = (rng.random(6000) < 0.1).astype(int)
    X = rng.normal(size=(y.size, 4)) * [1.0, 2.0, 0.1, 1.0] + y[:, None] * [0.8, 0.5, 0.0, -0.3]
    X[:, 3] += 1e5
    return X, y


def in_chunks(X):
    return computed_rows(X, np.copy, X.shape[1])


@pytest.fixture
def small_samples(monkeypatch):
    monkeypatch.setattr(cross_validation, "SCORED_ROWS", 2000)
    monkeypatch.setattr(cross_validation, "SAMPLED_ROWS", 1500)


def test_the_squared_path_is_fitted_to_all_rows_and_scored_on_a_sample(rows, small_samples):
    X, y = rows
    memory = AUCClassifierCV(loss="squared", random_state=0).fit(X, y)
    model = AUCClassifierCV([memory.alpha_], loss="squared", random_state=0).fit(in_chunks(X), y)
    np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.oof_scores_, memory.oof_scores_, atol=1e-9)
    exact = AUCClassifierCV([memory.alpha_], loss="squared", random_state=0).fit(X, y).cv_auc_
    difference = model.cv_auc_ - exact
    assert 0 < np.abs(difference).max() < 0.06  # of a fold 120 positives, all, and 280 negatives: at most 0.03 each
    assert abs(difference.mean()) < 0.03


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge"])
def test_other_paths_are_fitted_to_a_sample_and_the_chosen_alpha_to_all_rows(rows, small_samples, loss):
    X, y = rows
    model = AUCClassifierCV(loss=loss, random_state=0).fit(in_chunks(X), y)
    tight = AUCClassifier(model.alpha_, loss=loss, solver=Newton(tol=1e-12) if loss != "hinge" else "auto").fit(X, y)
    assert model.objective_ == pytest.approx(tight.objective_, rel=2e-6 if loss != "hinge" else 2e-3)
    memory = AUCClassifierCV(loss=loss, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.alphas_, memory.alphas_, rtol=0.15)  # spreads of a sample, totals of all rows
    assert model.cv_auc_.mean(axis=1).max() == pytest.approx(memory.cv_auc_.mean(axis=1).max(), abs=0.02)
    assert np.isfinite(model.oof_scores_).all()
    assert model.oof_interval_.auc == pytest.approx(memory.oof_interval_.auc, abs=0.005)


def test_no_row_is_scored_by_a_model_that_has_seen_it(small_samples):
    """With random labels and as many columns as sampled rows in a fold, scores of seen rows would have AUC 1."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 300))
    y = rng.integers(2, size=4000)
    model = AUCClassifierCV([1e-3], loss="logistic", random_state=0).fit(in_chunks(X), y)
    assert roc_auc(y, model.oof_scores_) == pytest.approx(0.5, abs=0.03)  # standard error 0.009
    assert model.cv_auc_.mean() == pytest.approx(0.5, abs=0.05)


def test_weights_are_used_in_the_final_fit(rows, small_samples):
    X, y = rows
    weight = np.random.default_rng(2).uniform(0.2, 3.0, y.size)
    model = AUCClassifierCV(loss="logistic", random_state=0).fit(in_chunks(X), y, weight)
    tight = AUCClassifier(model.alpha_, loss="logistic", solver=Newton(tol=1e-12)).fit(X, y, weight)
    assert model.objective_ == pytest.approx(tight.objective_, rel=2e-6)


def test_the_seed_decides_on_the_samples(rows, small_samples):
    X, y = rows
    first, again, other = (
        AUCClassifierCV(loss="logistic", random_state=seed).fit(in_chunks(X), y).cv_auc_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_table_that_fits_in_the_sample_gives_the_fit_in_memory(rows):
    X, y = rows
    for loss in ("auto", "logistic"):
        model = AUCClassifierCV(loss=loss, random_state=0).fit(in_chunks(X), y)
        memory = AUCClassifierCV(loss=loss, random_state=0).fit(X, y)
        np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.cv_auc_, memory.cv_auc_, atol=1e-12)


def test_leave_pair_out_needs_its_table_in_memory(rows):
    X, y = rows
    with pytest.raises(ValueError, match=r"needs its table in memory.*use cv=5"):
        AUCClassifierCV(cv="leave_pair_out").fit(in_chunks(X), y)
