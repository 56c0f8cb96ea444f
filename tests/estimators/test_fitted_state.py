"""A fit that fails leaves the estimator as it was; one that succeeds leaves nothing of the former."""

import sys
import threading

import numpy as np
import pytest
from aucmax.estimators.fitted_state import resets_fitted_state, restores_on_error

from aucmax import (
    AUCClassifier,
    AUCClassifierCV,
    AUCTreeClassifier,
    AUMClassifier,
    ContingencySVMClassifier,
    KernelAUCClassifier,
)
from aucmax.numerics.linear_scores import linear_scores

ESTIMATORS = [
    AUCClassifier(),
    AUCClassifierCV(cv=3, random_state=0),
    KernelAUCClassifier(cv=3, random_state=0),
    AUMClassifier(random_state=0),
    AUCTreeClassifier(),
    ContingencySVMClassifier(),
]


def a_table(n, dim, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return rng.normal(size=(n, dim)) + y[:, None], y.astype(int)


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_a_fit_that_fails_leaves_no_trace(model):
    X, y = a_table(60, 3, seed=0)
    before = model.fit(X, y).decision_function(X)
    wider, labels = np.c_[X, X], np.where(y > 0, "spam", "ham")
    wider[0, 5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(wider, labels)
    assert model.n_features_in_ == 3
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="6 features"):
        model.decision_function(np.ones((2, 6)))


class Learner:
    """Learns two things, and may fail in between."""

    def __init__(self, setting):
        self.setting = setting
        self._request = "kept"

    @resets_fitted_state
    def fit(self, fails=None):
        self.first_ = 1
        if fails:
            raise fails
        self.second_ = 2
        return self

    @restores_on_error
    def go_on(self, fails=None):
        self.first_ += 1
        self.third_ = 3
        if fails:
            raise fails


class Chooser(AUCClassifier):
    """Chooses columns first, as subclasses do."""

    def fit(self, X, y):
        self.chosen_ = [0, 1]
        return super().fit(X[:, self.chosen_], y)


def test_what_a_subclass_learns_first_stays():
    X, y = a_table(60, 3, seed=0)
    model = Chooser().fit(X, y).fit(X, y)
    assert model.chosen_ == [0, 1]
    assert model.n_features_in_ == 2


@pytest.mark.parametrize("error", [ValueError("bad"), KeyboardInterrupt()])
def test_a_method_that_fails_restores_the_fitted_state(error):
    learner = Learner(1).fit()
    learner.third_ = 3
    before = vars(learner).copy()
    for method in (learner.go_on, learner.fit):
        with pytest.raises(type(error)):
            method(error)
        assert vars(learner) == before

    names = {"setting", "_request", "first_", "second_", "_set_by_fit"}
    assert set(vars(learner)) == names | {"third_"}  # which no fit has learned
    learner.partial = True
    assert set(vars(learner.fit())) == names | {"third_", "partial"}


def test_nothing_of_another_kind_of_fit_stays():
    learner = Learner(1).fit()
    learner.fit_less = resets_fitted_state(lambda self: self).__get__(learner)
    learner.fit_less()
    assert not hasattr(learner, "first_")


def test_a_validation_set_is_a_pair():
    X, y = a_table(60, 3, seed=0)
    for pair in (X, (X, y, y)):
        with pytest.raises(ValueError, match=r"pass validation=\(X, y\)"):
            AUMClassifier().fit(X, y, validation=pair)


class RefitsOnConversion:
    """A table that has a model fitted to other data at the moment when it is converted to an array."""

    def __init__(self, X, refit):
        self.X = X
        self.shape = X.shape
        self.refit = refit

    def __array__(self, *args, **kwargs):
        self.refit()
        return self.X


@pytest.mark.parametrize("method", ["decision_function", "predict", "predict_proba"])
@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_a_prediction_uses_one_model_although_another_is_fitted_meanwhile(model, method):
    """The other model has more columns, and labels of another type."""
    if not hasattr(model, method):
        pytest.skip("has no probabilities")
    X, y = a_table(60, 3, seed=0)
    others, labels = a_table(60, 5, seed=1)
    expected = getattr(model.fit(X, y), method)(X)
    rows = RefitsOnConversion(X, lambda: model.fit(others, np.where(labels > 0, "spam", "ham")))
    np.testing.assert_array_equal(getattr(model, method)(rows), expected)
    assert model.n_features_in_ == 5
    assert model.classes_.tolist() == ["ham", "spam"]


@pytest.mark.parametrize("model", [AUCClassifier(solver="spam", random_state=0), AUMClassifier(random_state=0)])
def test_the_old_model_scores_while_the_new_one_is_fitted(model):
    X, y = a_table(60, 3, seed=0)
    before = model.fit(X, y).decision_function(X)
    during = []
    model.fit(*a_table(60, 5, seed=1), callback=lambda record: during.append(model.decision_function(X)) or False)
    assert during
    assert all(np.array_equal(scores, before) for scores in during)
    assert model.n_features_in_ == 5


def test_attributes_that_others_set_during_a_fit_stay():
    X, y = a_table(60, 3, seed=0)
    model = AUCClassifier(solver="spam", random_state=0)
    model.fit(X, y, callback=lambda record: model.set_params(alpha=0.5) and setattr(model, "note", 1))
    assert model.alpha == 0.5
    assert model.note == 1
    assert model.coef_.shape == (1, 3)


def test_readers_in_other_threads_see_one_of_the_models():
    """Every score is that of a model after one of the batches, computed afterwards from its weights."""
    X, y = a_table(1000, 3, seed=0)
    rows = X[:20] + 5.0
    model = AUCClassifier().partial_fit(X[:10], y[:10], classes=[0, 1])
    models = [(model.coef_, model.intercept_)]
    seen = []
    done = threading.Event()

    def read():
        while not done.is_set():
            seen.append(model.decision_function(rows))

    readers = [threading.Thread(target=read) for _ in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for reader in readers:
            reader.start()
        for start in range(10, 1000, 5):
            model.partial_fit(X[start : start + 5], y[start : start + 5])
            models.append((model.coef_, model.intercept_))
    finally:
        done.set()
        for reader in readers:
            reader.join()
        sys.setswitchinterval(interval)
    expected = {(linear_scores(rows, coef[0]) + intercept[0]).tobytes() for coef, intercept in models}
    assert len(seen) > 100
    assert all(scores.tobytes() in expected for scores in seen)
