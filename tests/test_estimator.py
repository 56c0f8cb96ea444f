"""The estimator: scikit-learn's own checks, names, tables, weights, bad input."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from aucmax import AUCClassifier


@parametrize_with_checks([AUCClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
