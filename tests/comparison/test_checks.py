"""Findings on models: each is found where it is made, and not elsewhere."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifier, AUCClassifierCV, KernelAUCClassifier, compare
from aucmax.comparison.checks import check_groups


class Overconfident(ClassifierMixin, BaseEstimator):
    """A logistic regression whose logits are multiplied."""

    def __init__(self, factor=1.0):
        self.factor = factor

    def fit(self, X, y):
        self.inner_ = LogisticRegression().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        p = 1.0 / (1.0 + np.exp(-self.factor * self.inner_.decision_function(X)))
        return np.column_stack([1.0 - p, p])


def table(n=600, dim=4, gain=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4 == 0
    X = rng.normal(size=(n, dim))
    X[:, 0] += gain * y
    return X, y


def codes(result):
    return {(finding.code, finding.models[0]) for finding in result.findings}


def test_an_honest_model_on_a_plain_table_has_no_findings():
    result = compare(*table(seed=1), {"linear": AUCClassifierCV(random_state=0)})
    assert result.findings == ()


def test_alpha_at_the_edge_of_its_grid():
    """A good column of tiny numbers among large noise, unscaled: the smaller alpha, the better, up to a point."""
    X, y = table(gain=2.0)
    X = X * [1e-3, 1.0, 1.0, 1.0]
    models = {
        "short": AUCClassifierCV([1e2, 1e-1, 1e-3], loss="squared", standardize=False),
        "long": AUCClassifierCV([1e2, 1e-1, 1e-4, 1e-7, 1e-10], loss="squared", standardize=False),
    }
    found = {code for code in codes(compare(X, y, models)) if code[0] == "AUC201"}
    assert found == {("AUC201", "short")}


def test_training_auc_far_above_the_other():
    X, y = table(60, 50, gain=0.5)
    result = compare(X, y, {"tight": AUCClassifier(alpha=1e-9), "trees": ExtraTreesClassifier(20, random_state=0)})
    assert ("AUC202", "tight") in codes(result)
    assert ("AUC202", "trees") not in codes(result)


def test_equivalent_to_logistic_regression():
    X, y = table(4000, gain=2.0)
    result = compare(X, y, {"aucmax": "exact", "logistic": LogisticRegression()})
    assert ("AUC203", "aucmax") in codes(result)


def test_a_kernel_that_is_no_better_than_the_linear_model():
    models = {"linear": AUCClassifierCV(random_state=0), "kernel": KernelAUCClassifier("rbf", random_state=0)}
    assert ("AUC204", "kernel") in codes(compare(*table(200), models, cv=3))
    X, _ = table(400)
    circle = (X[:, 0] ** 2 + X[:, 1] ** 2) < 0.8
    assert not {code for code, _ in codes(compare(X, circle, models, cv=3))} & {"AUC204"}


def test_trees_that_are_better():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    result = compare(X, y, {"linear": AUCClassifier(), "trees": ExtraTreesClassifier(30, random_state=0)}, cv=3)
    assert ("AUC205", "trees") in codes(result)


def test_folds_that_disagree():
    """Consecutive folds of a table whose first half can be ranked and whose second half cannot."""
    X, y = table(1200, gain=0.0)
    X[:600, 0] += 3.0 * y[:600]
    blocks = np.arange(1200) // 200
    splits = [(np.flatnonzero(blocks != k), np.flatnonzero(blocks == k)) for k in range(6)]
    assert ("AUC206", "a") in codes(compare(X, y, {"a": AUCClassifier()}, cv=splits))
    assert not compare(X, y, {"a": AUCClassifier()}, cv=6).findings


def test_fits_that_do_not_converge():
    X, y = table()
    models = {"stuck": LogisticRegression(max_iter=1), "fine": LogisticRegression()}
    assert ("AUC207", "stuck") in codes(compare(X, y, models))
    assert ("AUC207", "fine") not in codes(compare(X, y, models))


@pytest.mark.parametrize(("factor", "found"), [(1.0, False), (3.0, True), (0.4, True)])
def test_probabilities_that_are_not_calibrated(factor, found):
    result = compare(*table(), {"a": Overconfident(factor)})
    assert (("AUC208", "a") in codes(result)) == found


def test_a_group_that_is_ranked_worse():
    X, y = table(2000, gain=2.0)
    groups = np.where(np.random.default_rng(0).random(2000) < 0.25, "north", "south")
    north = groups == "north"
    X[north, 0] -= 2.0 * y[north]
    result = compare(X, y, {"a": AUCClassifier()})
    [finding] = check_groups(result, groups)
    assert finding.code == "AUC209" and "'north'" in finding.message
    assert check_groups(result, np.random.default_rng(1).integers(0, 4, 2000)) == []


def test_models_inside_pipelines_are_recognised():
    X, y = table(4000, gain=2.0)
    models = {"scaled": make_pipeline(StandardScaler(), AUCClassifier()), "logistic": LogisticRegression()}
    assert ("AUC203", "scaled") in codes(compare(X, y, models))
