"""The estimator: scikit-learn's own checks, names, tables, weights, bad input."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from aucmax import AUCClassifier, AUCClassifierCV


@parametrize_with_checks([AUCClassifier(), AUCClassifierCV()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
