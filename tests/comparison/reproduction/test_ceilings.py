"""Ceilings: no minimiser of the objective does better on the test rows."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifier
from aucmax.comparison.reproduction.ceilings import FINE, best_auc
from aucmax.comparison.reproduction.runs import Rows
from aucmax.datasets import make_toy


@pytest.fixture
def parts():
    X, y = make_toy(2160, 8, positive_rate=0.3, separation=0.8, random_state=3)
    X *= np.geomspace(0.1, 10, 8)
    return Rows(X[:160], y[:160]), Rows(X[160:], y[160:])


def test_l2_ceiling_is_that_of_balanced_ridge_regression(parts):
    train, test = parts
    weight = np.where(train.y > 0, 1 / (train.y > 0).sum(), 1 / (train.y < 0).sum())
    aucs = [
        roc_auc_score(test.y, Ridge(alpha=alpha).fit(train.X, train.y, weight).predict(test.X))
        for alpha in np.geomspace(1e-6, 1e6, 100)
    ]
    assert best_auc(train, test, "l2") == pytest.approx(max(aucs), abs=2e-3)  # the grids differ


@pytest.mark.parametrize(("objective", "loss"), [("l2", "squared"), ("elastic net", "squared"), ("hinge", "hinge")])
def test_no_fitted_model_is_above_the_ceiling(parts, objective, loss):
    train, test = parts
    ceiling = best_auc(train, test, objective)
    for alpha in 10.0 ** np.arange(-3.0, 3.0):
        model = AUCClassifier(alpha=alpha, loss=loss, standardize=False).fit(train.X, train.y)
        assert roc_auc_score(test.y, model.decision_function(test.X)) <= ceiling + 3e-3  # between two penalties


def test_elastic_net_ceiling_is_not_below_that_of_the_lasso(parts):
    train, test = parts
    pos, neg = train.y > 0, train.y < 0
    centred = np.where(pos[:, None], train.X - train.X[pos].mean(0), train.X - train.X[neg].mean(0))
    weight = np.where(pos, 1 / pos.sum(), 1 / neg.sum())
    delta = train.X[pos].mean(0) - train.X[neg].mean(0)
    rows = np.vstack([np.sqrt(weight)[:, None] * centred, delta])
    target = np.append(np.zeros(pos.size), 1.0)
    n = target.size
    aucs = []
    for alpha in np.abs(delta).max() * 10.0 ** np.arange(-2.5, -0.1, 0.5):
        w = Lasso(alpha=alpha / n, fit_intercept=False, max_iter=100_000).fit(rows, target).coef_
        aucs.append(roc_auc_score(test.y, test.X @ w))
    assert best_auc(train, test, "elastic net") >= max(aucs) - 5e-3  # l1_ratio is .9 there, 1 here


def test_the_grid_of_penalties_is_fine_and_wide():
    assert FINE.size > 30 and FINE[-1] / FINE[0] > 1e8
