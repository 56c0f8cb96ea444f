"""The estimators: nesting, tables of all kinds, weights, labels, bad input."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.solvers import CG, Exact


@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array]
)
@pytest.mark.parametrize("shape", [(60, 6), (20, 45)])
def test_coefficients_equal_a_solve_over_all_pairs(table, pairs, form, shape):
    X, y, weight = table(*shape, unscaled=True)
    model = AUCClassifier(alpha=0.05).fit(form(X), y, weight)
    spread = np.sqrt(_variance(X, weight))
    expected = pairs(X / spread, y, weight).ridge(0.05) / spread
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-8 * np.abs(expected).max())


def _variance(X, weight):
    mean = np.average(X, axis=0, weights=weight)
    return np.average((X - mean) ** 2, axis=0, weights=weight)


def test_ranks_as_the_balanced_ridge_classifier(table):
    X, y, _ = table(200, 6)
    ours = AUCClassifier(alpha=0.1, standardize=False).fit(X, y).coef_[0]
    ridge = RidgeClassifier(alpha=200 * 0.1 / 2, class_weight="balanced", solver="cholesky").fit(X, y).coef_.ravel()
    cosine = ours @ ridge / np.linalg.norm(ours) / np.linalg.norm(ridge)
    assert cosine == pytest.approx(1.0, abs=1e-12)


def test_zero_is_midway_between_the_class_means_of_the_scores(table):
    X, y, weight = table(unscaled=True)
    scores = AUCClassifier(decision="balanced").fit(X, y, weight).decision_function(X)
    means = [np.average(scores[side], weights=weight[side]) for side in (y > 0, y < 0)]
    assert sum(means) == pytest.approx(0.0, abs=1e-12)


def test_class_weight_moves_the_intercept_alone(table):
    X, y, _ = table()
    plain = AUCClassifier(decision="balanced").fit(X, y)
    costly = AUCClassifier(class_weight={1.0: 10.0}, decision="balanced").fit(X, y)
    balanced = AUCClassifier(class_weight="balanced").fit(X, y)
    np.testing.assert_array_equal(costly.coef_, plain.coef_)
    assert costly.intercept_ > plain.intercept_ == balanced.intercept_


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (False, True), (-3.0, 2.0), (np.int8(4), np.int8(7))])
def test_labels_of_any_two_values(table, labels):
    X, y, _ = table()
    model = AUCClassifier().fit(X, np.array(labels)[(y > 0).astype(int)])
    assert list(model.classes_) == list(labels)
    assert set(model.predict(X)) == set(labels)
    np.testing.assert_array_equal(model.coef_, AUCClassifier().fit(X, y).coef_)


def test_a_data_frame_names_its_features(table):
    X, y, _ = table()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = AUCClassifier().fit(frame, y)
    assert list(model.feature_names_in_) == list("abcdef")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("bacdef")])


def test_single_precision_gives_the_same_model(table):
    X, y, _ = table(200, 5)
    single = X.astype(np.float32)
    double = AUCClassifier().fit(single.astype(float), y)
    np.testing.assert_allclose(AUCClassifier().fit(single, y).coef_, double.coef_, rtol=1e-10)


def test_nests_in_pipelines_and_grid_searches(table):
    X, y, _ = table(100, 5)
    pipeline = make_pipeline(StandardScaler(), AUCClassifier(solver=CG()))
    grid = {"aucclassifier__solver__max_epochs": [20, 50], "aucclassifier__alpha": [0.1, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=3, scoring="roc_auc", error_score="raise")
    search.fit(X, y)
    assert search.best_score_ > 0.6


def test_survives_clone_and_pickle(table):
    X, y, _ = table()
    model = AUCClassifier(solver=Exact(tol=1e-5)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).solver.tol == 1e-5
    assert clone(model).solver is not model.solver


def test_auto_takes_the_factorisation_for_tables_and_passes_for_large_sparse_ones(table):
    X, y, _ = table()
    assert AUCClassifier().fit(X, y).solver_ == "exact"
    wide = sparse.csr_array((np.ones(600), (np.arange(600), np.arange(600) % 40)), shape=(600, 5000))
    assert AUCClassifier().fit(wide, np.arange(600) % 2).solver_ == "cg"


def test_gap_is_certified_or_the_user_is_warned(table):
    X, y, _ = table(unscaled=True)
    model = AUCClassifier(l1_ratio=0.5).fit(X, y)
    assert model.gap_ <= Exact().tol * model.objective_
    with pytest.warns(ConvergenceWarning, match="increase alpha, use standardize=True"):
        AUCClassifier(alpha=1e-6, standardize=False, solver=CG(max_epochs=1, tol=1e-16)).fit(X, y)


def test_no_penalty_is_allowed(table):
    X, y, _ = table()
    model = AUCClassifier(alpha=0).fit(X, y)
    assert model.gap_ <= Exact().tol * model.objective_


def test_a_column_stored_twice_is_summed(table):
    X, y, _ = table()
    doubled = sparse.coo_array(X)
    data, (row, column) = doubled.data, doubled.coords
    twice = sparse.csr_array((np.tile(data / 2, 2), (np.tile(row, 2), np.tile(column, 2))), shape=X.shape)
    np.testing.assert_allclose(AUCClassifier().fit(twice, y).coef_, AUCClassifier().fit(X, y).coef_, rtol=1e-9)


def _nan(X, y, weight):
    X[2, 1] = np.nan


def _infinite(X, y, weight):
    X[2, 1] = np.inf


def _huge(X, y, weight):
    X[:3, 1] = 1e200


def _tiny(X, y, weight):
    X[:, 1] *= 1e-200


def _one_class(X, y, weight):
    y[:] = 1.0


def _three_classes(X, y, weight):
    y[:5] = 2.0


def _negative_weight(X, y, weight):
    weight[0] = -1.0


def _nan_weight(X, y, weight):
    weight[0] = np.nan


def _no_weight(X, y, weight):
    weight[:] = 0.0


def _no_positive_weight(X, y, weight):
    weight[y > 0] = 0.0


@pytest.mark.parametrize("model", [AUCClassifier(), AUCClassifier(solver="cg"), AUCClassifierCV()])
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_nan, "NaN"),
        (_infinite, "infinity"),
        (_huge, "squares overflow; rescale"),
        (_tiny, "column 1 of X has values whose squares underflow to zero; rescale"),
        (_one_class, "only one class"),
        (_three_classes, "Only binary classification"),
        (_negative_weight, r"sample_weight\[\d+\] is -.*; give 0, or a number from"),
        (_nan_weight, r"sample_weight\[\d+\] is nan"),
        (_no_weight, "all weights of the positive class are zero"),
        (_no_positive_weight, "all weights of the positive class are zero"),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_bad_tables_get_one_clear_message(table, model, spoil, message, form):
    X, y, weight = table()
    spoil(X, y, weight)
    with pytest.raises(ValueError, match=message):
        model.fit(form(X), y, weight)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "spm"}, "unknown solver 'spm'; choose 'auto', one of"),
        ({"solver": 3}, "unknown solver 3"),
        ({"loss": "cubic"}, "loss='cubic'; give one of"),
        ({"alpha": -1}, "alpha=-1; give 'auto' or"),
        ({"alpha": "big"}, "alpha='big'; give 'auto' or"),
        ({"alpha": np.nan}, "alpha=nan"),
        ({"l1_ratio": 1.5}, "l1_ratio=1.5"),
        ({"class_weight": {5: 1.0}}, "keys among"),
        ({"class_weight": {1.0: -2.0}}, "above zero"),
        ({"class_weight": "even"}, "class_weight='even'"),
    ],
)
def test_bad_settings_get_one_clear_message(table, options, message):
    X, y, _ = table()
    with pytest.raises(ValueError, match=re.escape(message)):
        AUCClassifier(**options).fit(X, y)


def test_shapes_are_checked(table):
    X, y, weight = table()
    model = AUCClassifier()
    for args, message in (
        ((X[:0], y[:0]), "minimum of 1"),
        ((X[0], y), "2D array"),
        ((X, y[:-1]), "inconsistent"),
        ((X, y, weight[:-1]), "one number per row"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(*args)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(ValueError, match="6 features"):
        model.fit(X, y).predict(X[:, :3])
