"""Where `predict` cuts, which class is positive, and the rates of `threshold_at`."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

from aucmax import (
    AUCClassifier,
    AUCClassifierCV,
    AUCStackingClassifier,
    AUCTreeClassifier,
    AUMClassifier,
    KernelAUCClassifier,
)
from aucmax.estimators.decision import prior_cut

MODELS = {
    "linear": AUCClassifier(),
    "cv": AUCClassifierCV(cv=3, random_state=0),
    "kernel": KernelAUCClassifier("rbf", 30, gamma=0.5, cv=3, random_state=0),
    "stack": AUCStackingClassifier(
        [("ridge", AUCClassifierCV(loss="squared")), ("bayes", GaussianNB())], cv=3, random_state=0
    ),
    "aum": AUMClassifier(random_state=0, max_epochs=3),
    "tree": AUCTreeClassifier(max_depth=6, min_samples_leaf=3),
}


def rare_table(n=2000, seed=0):
    """4 % of the rows positive, with long tails."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 25 == 0).astype(int)
    X = rng.standard_t(4, size=(n, 4)) + 1.2 * y[:, None] * np.array([1.0, 0.5, 0.0, 0.0])
    return X, y


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_as_many_rows_are_predicted_positive_as_are(model):
    X, y = rare_table()
    fitted = clone(model).fit(X, y)
    scores = getattr(fitted, "oof_scores_", fitted.decision_function(X))
    tolerance = 0.02 if isinstance(model, AUCTreeClassifier) else 1e-3  # a leaf is predicted as a whole
    assert (scores > 0).mean() == pytest.approx(0.04, abs=tolerance)
    assert fitted.predict(X).mean() == pytest.approx(0.04, abs=0.02)  # in sample
    np.testing.assert_array_equal(fitted.predict(X), fitted.decision_function(X) > 0)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("largest", [30, 3000], ids=["short", "long"])
@pytest.mark.parametrize("heaviest", [1, 4], ids=["equal", "weighted"])
def test_no_other_cut_is_nearer_to_the_weight_of_the_positives(seed, largest, heaviest):
    """Long tables with equal weights are not sorted as a whole."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, largest))
    scores = rng.integers(0, rng.choice([1, 2, 9, 1000, 10**6]), n).astype(float)
    y = np.where(np.arange(n) < rng.integers(1, n), 1.0, -1.0)
    weight = rng.integers(1, heaviest + 1, n).astype(float)
    wanted = weight[y > 0].sum()
    cut = prior_cut(scores, y, weight)
    assert cut not in scores
    errors = [abs(weight[scores > other].sum() - wanted) for other in (-1.0, *np.unique(scores))]
    assert abs(weight[scores > cut].sum() - wanted) == min(errors)


def test_weights_count_as_copies():
    X, y = rare_table(500)
    weight = np.where(y == 1, 3, 1)
    weighted = AUCClassifier().fit(X, y, weight)
    copied = AUCClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.intercept_[0] == pytest.approx(copied.intercept_[0], rel=1e-9)


def test_decisions_differ_by_the_intercept_alone():
    X, y = rare_table()
    models = {
        name: AUCClassifierCV(cv=3, decision=name, random_state=0).fit(X, y)
        for name in ("prior", "probability", "balanced")
    }
    shares = {name: model.predict(X).mean() for name, model in models.items()}
    assert shares["probability"] < shares["prior"] < shares["balanced"]
    for model in models.values():
        np.testing.assert_array_equal(model.coef_, models["prior"].coef_)
        np.testing.assert_allclose(model.predict_proba(X), models["prior"].predict_proba(X), rtol=1e-9)
    half = models["probability"]
    np.testing.assert_array_equal(half.predict(X) == 1, half.predict_proba(X)[:, 1] > 0.5)


RULES = {  # of docs/predictions.md, and the estimators that accept each of them
    "prior": {"linear", "cv", "kernel", "stack", "aum", "tree"},
    "probability": {"cv", "kernel", "stack", "tree"},
    "balanced": {"linear", "cv", "kernel", "stack", "tree"},
    "errors": {"aum"},
}


@pytest.mark.parametrize("decision", RULES)
@pytest.mark.parametrize("name", MODELS)
def test_a_decision_means_the_same_to_every_estimator_that_accepts_it(name, decision):
    X, y = rare_table(1000)
    model = clone(MODELS[name]).set_params(decision=decision)
    if name not in RULES[decision]:
        with pytest.raises(ValueError, match=f"decision='{decision}'; give one of"):
            model.fit(X, y)
        return
    scores = getattr(model.fit(X, y), "oof_scores_", model.decision_function(X))
    if decision == "prior":
        tolerance = 0.02 if name == "tree" else 1e-3  # a leaf is predicted as a whole
        assert (scores > 0).mean() == pytest.approx(0.04, abs=tolerance)
    elif decision == "probability":
        np.testing.assert_array_equal(model.predict(X) == 1, model.predict_proba(X)[:, 1] > 0.5)
    elif decision == "balanced":
        in_sample = model.decision_function(X)
        scores = scores if name == "stack" else in_sample  # its members rank their own training rows too well
        assert scores[y == 1].mean() == pytest.approx(-scores[y == 0].mean(), rel=1e-6)
    else:
        errors = [np.sum((scores > cut) != (y == 1)) for cut in scores]
        assert np.sum((scores > 0) != (y == 1)) <= min(errors)


def test_costs_move_the_cut_of_the_prior():
    X, y = rare_table()
    plain, costly = AUCClassifier().fit(X, y), AUCClassifier(class_weight={1: 10.0}).fit(X, y)
    assert costly.predict(X).sum() > plain.predict(X).sum()
    balanced = AUCClassifier(class_weight="balanced").fit(X, y)
    assert balanced.intercept_ == AUCClassifier(decision="balanced").fit(X, y).intercept_


def named(y):
    return np.where(y == 1, "fraud", "legit")


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_frequent_positive_string_is_warned_of(model):
    X, y = rare_table(500)
    with pytest.warns(UserWarning, match=r"'legit', the last label.* 96 % .*fit to y == 'fraud'"):
        fitted = clone(model).fit(X, named(y))
    assert fitted.classes_.tolist() == ["fraud", "legit"]  # scikit-learn's order
    clone(model).fit(X, named(y) == "fraud")  # no warning: warnings are errors
    clone(model).fit(X, np.where(y == 1, "spam", "ham"))


def test_rates_of_the_first_class_are_those_of_a_model_of_it():
    X, y = rare_table()
    with pytest.warns(UserWarning, match="'legit'"):
        model = AUCClassifierCV(cv=3, random_state=0).fit(X, named(y))
    threshold = model.threshold_at(fpr=0.1, pos_label="fraud")
    called = model.oof_scores_ <= threshold
    assert 0.09 < called[y == 0].mean() <= 0.1
    assert called[y == 1].mean() > 0.2
    assert model.threshold_at(fpr=0.1) == model.threshold_at(fpr=0.1, pos_label="legit") != threshold
    with pytest.raises(ValueError, match=r"pos_label='theft' is not a label; choose one of \['fraud', 'legit'\]"):
        model.threshold_at(fpr=0.01, pos_label="theft")


class TestStreams:
    def stream(self, n=6000, batch=200, **settings):
        X, y = rare_table(n)
        model = AUCClassifier(**settings)
        for start in range(0, n, batch):
            model.partial_fit(X[start : start + batch], y[start : start + batch], classes=[0, 1])
        return model

    @pytest.mark.parametrize("solver", ["exact", "spam"])
    def test_probabilities_and_rates_hold_on_new_rows(self, solver):
        model = self.stream(solver=solver, random_state=0)
        X, y = rare_table(20_000, seed=1)
        probability = model.calibration_.probabilities(model.decision_function(X))[:, 1]
        assert probability.mean() == pytest.approx(0.04, abs=0.01)
        assert roc_auc_score(y, probability) == roc_auc_score(y, model.decision_function(X))
        assert model.predict(X).mean() == pytest.approx(0.04, abs=0.015)
        alarms = model.decision_function(X) >= model.threshold_at(fpr=0.05)
        assert alarms[y == 0].mean() == pytest.approx(0.05, abs=0.015)  # 2000 rows: a standard error of 0.005

    def test_there_are_none_without_a_stream_and_before_its_second_batch(self):
        X, y = rare_table(500)
        fitted = AUCClassifier().fit(X, y)
        assert not hasattr(fitted, "calibration_")
        with pytest.raises(ValueError, match="only after partial_fit"):
            fitted.threshold_at(fpr=0.1)
        model = AUCClassifier().partial_fit(X, y)
        with pytest.raises(ValueError, match="no held-out scores yet"):
            model.threshold_at(fpr=0.1)
        assert hasattr(model.partial_fit(X, y), "calibration_")
        for each in (AUCClassifier(), fitted, model):
            assert not hasattr(each, "predict_proba")

    def test_unlearning_drops_the_scores(self):
        X, y = rare_table(500)
        model = AUCClassifier().partial_fit(X, y).partial_fit(X, y).unlearn(X, y)
        other = AUCClassifier().partial_fit(X, y)
        np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=1e-9)
        assert not hasattr(model, "calibration_")
