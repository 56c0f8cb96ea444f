"""Stacks as JSON: the same scores to the last bit, and errors that name the member."""

import json

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

import aucmax
from aucmax import AUCClassifierCV, AUCStackingClassifier
from aucmax.estimators.cross_fit import CrossFitClassifier, soft_logit
from aucmax.models import EnsembleScorer

X, Y = make_classification(300, n_features=6, weights=[0.7], flip_y=0.1, random_state=0)
FORESTS = [
    ExtraTreesClassifier(60, bootstrap=True, random_state=0),
    RandomForestClassifier(60, max_depth=4, random_state=0),
    HistGradientBoostingClassifier(max_iter=20, random_state=0),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("forest", FORESTS, ids=lambda forest: type(forest).__name__)
def test_ensembles_score_as_scikit_learn_does(forest, dtype):
    fitted = forest.fit(X.astype(dtype), Y)
    scorer = EnsembleScorer.from_dict(json.loads(json.dumps(EnsembleScorer.of(fitted).to_dict())))
    expected = soft_logit(fitted.predict_proba(X.astype(dtype))[:, 1])
    np.testing.assert_array_equal(scorer(X.astype(dtype)), expected)


def equal_weights(model):
    """The stack with equal weights, so that no member is left out."""
    weights = np.full(len(model.estimators_), 1.0 / len(model.estimators_))
    model.weights_, model.blend_ = weights, model.blend_._replace(weights=weights)
    return model


def test_a_saved_stack_gives_the_same_numbers(tmp_path):
    boosting = CrossFitClassifier(HistGradientBoostingClassifier(max_iter=20), cv=3, random_state=0)
    members = [("linear", AUCClassifierCV()), ("trees", FORESTS[0]), ("boosted", boosting)]
    model = equal_weights(AUCStackingClassifier(members, random_state=0).fit(X, Y))
    aucmax.save(model, tmp_path / "stack.json")
    loaded = aucmax.load(tmp_path / "stack.json")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.threshold_at(fpr=0.1) == model.threshold_at(fpr=0.1)


def test_the_default_stack_can_be_saved(tmp_path):
    model = equal_weights(AUCStackingClassifier(boosting="histogram", random_state=0).fit(X, Y))
    aucmax.save(model, tmp_path / "stack.json")
    np.testing.assert_array_equal(
        aucmax.load(tmp_path / "stack.json").decision_function(X), model.decision_function(X)
    )


def test_a_member_that_cannot_be_saved_is_named_and_joblib_works(tmp_path):
    model = AUCStackingClassifier([("linear", AUCClassifierCV()), ("bayes", GaussianNB())], random_state=0).fit(X, Y)
    equal_weights(model)
    with pytest.raises(TypeError, match="member 'bayes' of the stack, GaussianNB, cannot be saved as JSON"):
        aucmax.save(model, tmp_path / "stack.json")
    joblib.dump(model, tmp_path / "stack.joblib")
    loaded = joblib.load(tmp_path / "stack.joblib")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_members_without_weight_need_not_be_savable(tmp_path):
    model = AUCStackingClassifier([("linear", AUCClassifierCV()), ("bayes", GaussianNB())], random_state=0).fit(X, Y)
    model.weights_ = np.array([1.0, 0.0])
    model.blend_ = model.blend_._replace(weights=model.weights_)
    aucmax.save(model, tmp_path / "stack.json")
    np.testing.assert_array_equal(
        aucmax.load(tmp_path / "stack.json").decision_function(X), model.decision_function(X)
    )


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("column", [5.5], "integers"),
        ("column", [99], "indices of features"),
        ("roots", [-1], "indices of nodes"),
        ("children", [[0, 0]], "after their parent"),
    ],
)
def test_damaged_ensembles_are_refused(field, value, message):
    content = EnsembleScorer.of(ExtraTreesClassifier(1, random_state=0).fit(X, Y)).to_dict()
    content[field] = value + content[field][1:]
    with pytest.raises(ValueError, match=message):
        EnsembleScorer.from_dict(content)
