"""AUMClassifier: the weights kept, the intercept, sample weights, invalid input."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifier, AUMClassifier
from aucmax.aum import Descent
from aucmax.solvers import AUM


def spoiled(n=400, seed=0):
    """A good column with a few rows far on the right side, which the squared loss shuns, and a poor one."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + y[:, None] * [2.0, 0.6]
    far = rng.random(n) < 0.05
    X[far, 0] += 30.0 * y[far]
    return X, y


def test_ranks_better_than_its_start_where_long_tails_spoil_the_squared_loss():
    X, y = spoiled()
    X_new, y_new = spoiled(seed=1)
    aucs = [
        roc_auc_score(y_new, model.fit(X, y).decision_function(X_new))
        for model in (AUMClassifier(random_state=0), AUCClassifier())
    ]
    assert aucs[0] > aucs[1] + 0.04


def test_the_first_record_is_the_squared_loss_or_random(table):
    X, y, weight = table(200)
    exact = AUMClassifier(validation_fraction=None).fit(X, y, weight)
    squared = AUCClassifier().fit(X, y, weight).decision_function(X)
    assert exact.trace_["auc"][0] == pytest.approx(roc_auc_score(y, squared, sample_weight=weight), rel=1e-9)
    starts = {AUMClassifier(start="random", random_state=seed).fit(X, y).trace_["auc"][0] for seed in (0, 1, 2)}
    assert len(starts) == 3


LINE_SEARCHES = ("first_min", "linear", "all", "grid")


@pytest.mark.parametrize("line_search", LINE_SEARCHES)
@pytest.mark.parametrize("alpha", [0.0, 0.001, 0.1])
def test_the_weights_are_those_of_the_solver(table, line_search, alpha):
    X, y, weight = table(200, rate=0.2)
    settings = {"line_search": line_search, "max_epochs": 40}
    model = AUMClassifier(validation_fraction=None, alpha=alpha, **settings).fit(X, y, weight)
    solved = AUCClassifier(loss="aum", solver=AUM(**settings), alpha=alpha).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, solved.coef_, rtol=1e-12)
    assert model.trace_["objective"][-1] == pytest.approx(solved.objective_, rel=1e-12)
    assert model.n_iter_ in (solved.n_iter_, solved.n_iter_ - 1)  # an epoch may find no lower point


def test_solver_classifier_and_descent_have_the_same_defaults():
    for name in ("line_search", "max_epochs", "tol"):
        assert getattr(Descent(), name) == getattr(AUM(), name) == getattr(AUMClassifier(), name)


@pytest.mark.parametrize("class_weight", ["balanced", {1.0: 20.0}])
def test_class_weight_does_not_change_the_ranking(table, class_weight):
    X, y, _ = table(200)
    plain, weighted = (AUMClassifier(class_weight=each, random_state=0).fit(X, y) for each in (None, class_weight))
    np.testing.assert_array_equal(weighted.coef_, plain.coef_)
    assert weighted.intercept_ != plain.intercept_


@pytest.mark.parametrize("options", [{}, {"class_weight": "balanced"}, {"class_weight": {1.0: 20.0}}])
def test_the_intercept_has_the_fewest_errors_of_all(table, options):
    X, y, weight = table(rate=0.1, n=150)
    model = AUMClassifier(random_state=0, max_epochs=5, decision="errors", **options).fit(X, y, weight)
    scores = model.decision_function(X)
    cost = {"balanced": weight[y < 0].sum() / weight[y > 0].sum(), 20.0: 20.0}
    chosen = options.get("class_weight")
    costs = np.where(y > 0, 1.0 if chosen is None else cost[chosen if chosen == "balanced" else 20.0], 1.0)
    wrong = [weight * costs @ ((scores > cut) != (y > 0)) for cut in (-np.inf, *scores, np.inf)]
    assert weight * costs @ ((scores > 0) != (y > 0)) == pytest.approx(min(wrong), rel=1e-12)


def test_a_useless_feature_predicts_the_larger_class_for_all_rows():
    X, y = np.array([[3.0], [1.0], [2.0], [4.0], [2.5]]), np.array([1, 0, 0, 0, 0])
    model = AUMClassifier(validation_fraction=None, decision="errors").fit(X, y)
    assert set(model.predict(X)) == {0}


def test_the_weights_of_the_best_validation_auc_are_kept(table):
    X, y, _ = table(300)
    model = AUMClassifier().fit(X[:200], y[:200], validation=(X[200:], y[200:]))
    aucs = model.trace_["validation_auc"]
    assert aucs.argmax() == model.best_step_
    assert roc_auc_score(y[200:], model.decision_function(X[200:])) == pytest.approx(aucs.max(), rel=1e-12)
    assert len(model.trace_) == model.n_iter_ + 1


def test_the_start_is_that_of_all_rows_if_no_step_ranks_held_out_rows_better():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(300) < 0.4, 1.0, -1.0)
    X = rng.normal(size=(300, 4)) + 0.5 * y[:, None]  # normal classes, for which the squared loss is right
    model = AUMClassifier(random_state=0).fit(X, y)
    w = AUCClassifier().fit(X, y).coef_[0]
    assert model.best_step_ == 0 < model.n_iter_
    np.testing.assert_allclose(model.coef_[0] / np.linalg.norm(model.coef_), w / np.linalg.norm(w), rtol=1e-9)


def test_the_chosen_number_of_steps_is_repeated_on_all_rows():
    X, y = spoiled()
    model = AUMClassifier(random_state=0).fit(X, y)
    again = AUMClassifier(validation_fraction=None, max_epochs=model.best_step_, tol=0.0).fit(X, y)
    assert model.best_step_ > 0
    np.testing.assert_allclose(model.coef_, again.coef_, rtol=1e-12)


def test_a_descent_that_lowers_the_auc_of_all_rows_is_dropped(monkeypatch):
    """The AUC of held-out rows may rise by luck: here every descent is said to be a gain."""
    monkeypatch.setattr("aucmax.estimators.aum._is_gain", lambda held_out, descent: True)
    dropped = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(300) < 0.1, 1.0, -1.0)
        X = rng.normal(size=(300, 6)) + 0.4 * y[:, None] * rng.random(6)
        model = AUMClassifier(random_state=0).fit(X, y)
        auc, start = (roc_auc_score(y, each.decision_function(X)) for each in (model, AUCClassifier().fit(X, y)))
        assert auc >= start - 1e-12
        dropped += model.best_step_ == 0 < model.trace_["validation_auc"].argmax()
    assert dropped > 0


def test_a_random_start_normalises_nothing_unless_told():
    """As published: the weights of labels shrink from step to step, and their mean difference is not 1."""
    X, y = spoiled()
    delta = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    options = {"start": "random", "random_state": 0, "validation_fraction": None, "standardize": False}
    free, none, fixed = (
        AUMClassifier(normalization=kind, **options).fit(X, y) for kind in ("auto", "none", "mean_difference")
    )
    np.testing.assert_array_equal(free.coef_, none.coef_)
    assert fixed.coef_[0] @ delta == pytest.approx(1.0) != pytest.approx(free.coef_[0] @ delta)


def test_held_out_rows_are_drawn_by_the_seed(table):
    X, y, _ = table(300)
    one, same, other = (AUMClassifier(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.coef_, same.coef_)
    assert one.trace_["validation_auc"][0] != other.trace_["validation_auc"][0]


def test_dense_equals_sparse(table):
    X, y, weight = table(200, unscaled=True)
    models = [AUMClassifier(random_state=0, max_epochs=10).fit(form(X), y, weight) for form in FORMS]
    for model in models[1:]:
        np.testing.assert_allclose(model.coef_, models[0].coef_, rtol=1e-6)
        assert model.intercept_ == pytest.approx(models[0].intercept_, rel=1e-6)


FORMS = (np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.coo_array)


def test_the_unit_of_a_column_does_not_matter(table):
    X, y, _ = table(200)
    units = 10.0 ** np.arange(-3, 3)
    models = [AUMClassifier(random_state=0, max_epochs=10).fit(rows, y) for rows in (X, X * units)]
    np.testing.assert_allclose(models[1].coef_[0] * units, models[0].coef_[0], rtol=1e-6)


def test_a_penalty_shortens_the_weights_at_equal_mean_difference(table):
    X, y, _ = table(200)
    delta = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    lengths = []
    for alpha in (0.0, 0.1, 10.0):
        options = {"validation_fraction": None, "standardize": False, "tol": 1e-7}
        w = AUMClassifier(alpha=alpha, **options).fit(X, y).coef_[0]
        lengths.append(np.linalg.norm(w) / (w @ delta))
    assert lengths[0] > lengths[1] > lengths[2]


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_tiny_weights_give_the_same_model(table, class_weight):
    X, y, weight = table(200)
    model = AUMClassifier(class_weight=class_weight, start="random", random_state=0, max_epochs=10)
    plain, tiny = (clone(model).fit(X, y, each) for each in (weight, np.ldexp(weight, -320)))
    np.testing.assert_allclose(tiny.coef_, plain.coef_, rtol=1e-9)
    assert tiny.intercept_ == pytest.approx(plain.intercept_, rel=1e-9)


def test_a_table_without_information_is_refused_with_a_hint():
    with pytest.raises(ValueError, match="pass columns whose means differ between the classes"):
        AUMClassifier(random_state=0).fit(np.ones((20, 2)), np.arange(20) < 7)


def test_labels_of_any_two_values_and_named_features(table):
    X, y, _ = table()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = AUMClassifier(random_state=0).fit(frame, np.array(["no", "yes"])[(y > 0).astype(int)])
    assert list(model.classes_) == ["no", "yes"]
    assert set(model.predict(frame)) <= {"no", "yes"}
    assert list(model.feature_names_in_) == list("abcdef")


def test_a_callback_watches_and_stops(table):
    X, y, _ = table()
    seen = []
    model = AUMClassifier(random_state=0, tol=0.0).fit(
        X, y, callback=lambda record: seen.append(record) or record.epoch == 3
    )
    assert model.n_iter_ == seen[-1].epoch == 3


def test_survives_clone_and_pickle(table):
    X, y, _ = table()
    model = AUMClassifier(line_search="linear", random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).line_search == "linear"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"line_search": "golden"}, "line_search='golden'; give one of"),
        ({"start": "zero"}, "start='zero'; give one of ['exact', 'random']"),
        ({"alpha": -1.0}, "alpha=-1.0; give a finite number of 0 or more"),
        ({"alpha": "auto"}, "alpha='auto'; give a finite number of 0 or more"),
        ({"max_epochs": "20"}, "max_epochs='20'; give an integer of 1 or more"),
        ({"validation_fraction": 1.5}, "validation_fraction=1.5; give None or a number above 0 and below 1"),
        ({"validation_fraction": True}, "validation_fraction=True; give None or a number above 0 and below 1"),
        ({"standardize": "no"}, "standardize='no'; give True or False"),
        ({"standardize": 1}, "standardize=1; give True or False"),
        ({"normalization": "contrast"}, "normalization='contrast'; give one of"),
        ({"line_search": 17}, "line_search=17; give one of"),
        ({"max_epochs": 0}, "max_epochs=0; give an integer of 1 or more"),
        ({"tol": -1.0}, "tol=-1.0; give a finite number of 0 or more"),
        ({"class_weight": {5: 1.0}}, "keys among"),
        ({"class_weight": {1.0: 0.0}}, "above zero"),
    ],
)
def test_invalid_parameters_are_refused_with_the_reason(table, options, message):
    X, y, _ = table()
    with pytest.raises(ValueError, match=re.escape(message)):
        AUMClassifier(**options).fit(X, y)


def test_numpy_scalars_are_accepted_as_parameters(table):
    X, y, _ = table()
    plain = AUMClassifier(validation_fraction=0.25, max_epochs=5, random_state=0).fit(X, y)
    scalars = {"validation_fraction": np.float32(0.25), "max_epochs": np.int64(5), "standardize": np.True_}
    np.testing.assert_array_equal(AUMClassifier(**scalars, random_state=0).fit(X, y).coef_, plain.coef_)


def test_a_class_of_one_row_cannot_be_held_out(table):
    X, y, _ = table()
    y[:] = -1.0
    y[7] = 1.0
    with pytest.raises(ValueError, match="set validation_fraction=None"):
        AUMClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("spoil", "message"), [(np.nan, "NaN"), (np.inf, "infinity"), (1e200, "squares overflow; rescale")]
)
def test_invalid_tables_are_refused_with_the_reason(table, spoil, message):
    X, y, _ = table()
    X[:5, 1] = spoil
    with pytest.raises(ValueError, match=message):
        AUMClassifier(random_state=0).fit(X, y)
