"""Verdicts on tables whose truth is known by construction.

Both classes are normal, with means 0 and delta, and covariances S- and S+. The AUC of a direction w is
Phi(w.delta / sqrt(w'(S+ + S-)w)), and the squared loss without a penalty has the best direction, (S+ + S-)^-1 delta.
"""

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from aucmax.comparison import compare

pytestmark = pytest.mark.thorough

DELTA = np.array([1.5, 0.5, 0.5])


def table(n, spread, seed):
    """Rows with 5 % positives, whose first column has another standard deviation than that of the negatives."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 20 == 0
    X = rng.normal(size=(n, 3))
    X[y] = X[y] * [spread, 1.0, 1.0] + DELTA
    return X, y


def true_auc(w, spread):
    return float(ndtr(w @ DELTA / np.sqrt(w**2 @ [1.0 + spread**2, 2.0, 2.0])))


def best_auc(spread):
    return true_auc(DELTA / [1.0 + spread**2, 2.0, 2.0], spread)


def test_the_squared_loss_wins_by_two_points():
    """A spread of 3.2 misleads logistic regression, whose direction is that of the negatives' covariance."""
    spread = 3.2
    direction = LogisticRegression().fit(*table(400_000, spread, seed=1)).coef_[0]
    truth = best_auc(spread) - true_auc(direction, spread)
    assert truth == pytest.approx(0.02, abs=0.001)
    X, y = table(60_000, spread, seed=2)
    result = compare(X, y, {"logistic": LogisticRegression(), "squared": "exact"})
    row = result["squared"]
    assert row.verdict == "better"
    assert row.difference_low < truth < row.difference_high
    assert row.low < best_auc(spread) < row.high
    assert result.summary.startswith("better: squared")


def test_all_models_are_equivalent():
    """With equal covariances all of them have the same direction, the best there is."""
    X, y = table(40_000, 1.0, seed=3)
    models = {
        "logistic": LogisticRegression(),
        "balanced": LogisticRegression(class_weight="balanced"),
        "squared": "exact",
        "lda": LinearDiscriminantAnalysis(),
        "ridge": RidgeClassifier(),
    }
    result = compare(X, y, models)
    assert {row.verdict for row in result.rows} == {"reference", "equivalent"}
    assert all(row.low < best_auc(1.0) < row.high for row in result.rows)
