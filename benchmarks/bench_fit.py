"""Exact fits against X.T @ X and scikit-learn, and a cross-validated path against scikit-learn's searches."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeClassifier
from sklearn.model_selection import GridSearchCV

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem
from benchmarks.timing import medians, row


def dense_table(n, dim, *, positive=0.05, seed=0):
    """Few positives, shifted in a tenth of the columns."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < positive).astype(int)
    X = rng.normal(size=(n, dim))
    X[:, : dim // 10] += 0.3 * y[:, None]
    return X, y


def sparse_table(n=50_000, dim=50_000, stored=74, *, seed=0):
    """Rows of 74 non-zeros in distinct columns, more often in the first ones; 10 % positives."""
    rng = np.random.default_rng(seed)
    draws = (dim * rng.random((n, 2 * stored)) ** 3).astype(np.int64)
    columns = np.sort(np.vstack([rng.permutation(np.unique(draw))[:stored] for draw in draws]), axis=1)
    X = sparse.csr_array(
        (
            rng.random(n * stored),
            columns.ravel().astype(np.int32),
            np.arange(0, n * stored + 1, stored, dtype=np.int32),
        ),
        shape=(n, dim),
    )
    scores = X @ rng.normal(size=dim)
    y = (scores + 2 * rng.normal(size=n) > np.quantile(scores, 0.92)).astype(int)
    return X, y


def dense_rows(wall):
    X, y = dense_table(50_000, 300)
    gram, ours, ridge, lda = medians(
        lambda: X.T @ X,
        lambda: AUCClassifier().fit(X, y),
        lambda: RidgeClassifier(class_weight="balanced").fit(X, y),
        lambda: LinearDiscriminantAnalysis().fit(X, y),
        wall=wall,
    )
    what = f"exact fit 50k x 300, {'wall clock, all threads' if wall else 'CPU time'}, against"
    return [
        row(f"{what} X.T @ X", ours, gram, "ratio >= 0.67 (at most 1.5x its time)"),
        row(f"{what} RidgeClassifier balanced", ours, ridge, ">= 1.5"),
        row(f"{what} LDA (svd)", ours, lda, ">= 4"),
    ]


def sparse_rows():
    """Both at the same alpha and not standardised, as scikit-learn's ridge; objectives are compared."""
    X, y = sparse_table()
    model = AUCClassifier(standardize=False).fit(X, y)
    alpha = model.alpha_
    ridge = RidgeClassifier(alpha=y.size * alpha / 2, solver="sparse_cg", class_weight="balanced", tol=1e-4)
    ours, theirs = medians(
        lambda: AUCClassifier(alpha=alpha, standardize=False).fit(X, y), lambda: ridge.fit(X, y), repeats=5
    )
    excess = _best_objective(X, y, alpha, ridge.coef_.ravel()) / model.objective_ - 1
    distances = f"(ours {model.gap_ / model.objective_:.0e} from the optimum, theirs {excess:.0e} from ours)"
    return [row(f"cg fit CSR 50k x 50k against Ridge sparse_cg {distances}", ours, theirs, ">= 1.5, equal objective")]


def _best_objective(X, y, alpha, direction):
    """Objective at the best multiple of a direction: the scale of the ridge weights is not comparable."""
    sign = np.where(y == 1, 1.0, -1.0)
    data = Data.of(X, sign, np.ones(y.size), standardize=False)
    problem = Problem(data, Squared(), ElasticNet(0.0, alpha))
    slope = data.delta @ direction
    curvature = 2 * problem.objective(direction) - 1 + 2 * slope
    return problem.objective(direction * slope / curvature)


def path_rows(wall):
    X, y = dense_table(20_000, 100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns about its own defaults
        ours, path, grid = medians(
            lambda: AUCClassifierCV(random_state=0).fit(X, y),
            lambda: LogisticRegressionCV(Cs=11, cv=5, scoring="roc_auc").fit(X, y),
            lambda: GridSearchCV(LogisticRegression(), {"C": np.logspace(-4, 4, 11)}, cv=5, scoring="roc_auc").fit(
                X, y
            ),
            repeats=3,
            wall=wall,
        )
    what = f"5 folds x 11 alphas, 20k x 100, {'wall clock, all threads' if wall else 'CPU time'}, against"
    return [
        row(f"{what} LogisticRegressionCV", ours, path, ">= 20"),
        row(f"{what} GridSearchCV(LogisticRegression)", ours, grid, ">= 40"),
    ]


def run():
    clocks = (True, False)
    return [line for rows in (dense_rows, path_rows) for wall in clocks for line in rows(wall)] + sparse_rows()
