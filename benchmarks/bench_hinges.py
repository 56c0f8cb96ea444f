"""The squared hinge at a million rows: one gradient against a sort and two products, a fit against scikit-learn."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from aucmax.losses import SquaredHinge
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem, automatic_alpha
from aucmax.solvers.newton import Newton
from benchmarks.timing import medians, row

ACCURACY = 1e-4  # of both objectives, relative


def correlated_table(n=1_000_000, dim=20, *, seed=0):
    """5 % positives, shifted in a quarter of the columns, which are then mixed."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.05).astype(int)
    X = rng.normal(size=(n, dim))
    X[:, : dim // 4] += 0.4 * y[:, None]
    return X @ (np.eye(dim) + rng.normal(size=(dim, dim)) / np.sqrt(dim)), y


def logistic_tolerance(X, y):
    """The loosest tol, in powers of ten, that brings the logistic objective within ACCURACY of its minimum."""

    def objective(tol):
        model = LogisticRegression(tol=tol, max_iter=1000).fit(X, y)
        return log_loss(y, model.predict_proba(X)[:, 1]) + 0.5 * (model.coef_**2).sum() / y.size

    best = objective(1e-7)
    for tol in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        if objective(tol) <= best * (1.0 + ACCURACY):
            return tol
    return 1e-6


def gradient_rows(X, sign):
    data = Data.of(X, sign, np.ones(sign.size), standardize=True, full=False)
    w = 0.1 * data.delta
    scores, loss = data.scores(w), SquaredHinge()
    ours, sort, product, transposed = medians(
        lambda: loss.value_and_gradient(data, w),
        lambda: np.sort(scores),
        lambda: X @ w,
        lambda: X.T @ scores,
    )
    size = f"{sign.size:.0e} x {X.shape[1]}"
    return [
        row(
            f"squared hinge gradient {size} against 6 sorts and 2 products",
            ours,
            6 * sort + product + transposed,
            ">= 1",
        ),
        row(f"squared hinge gradient {size} against 1 sort and 2 products", ours, sort + product + transposed, "-"),
    ]


def fit_rows(X, y, sign):
    """Statistics of the table are counted with our fit; both at the same relative accuracy of their objective."""
    tol = logistic_tolerance(X, y)

    def ours(alpha=None):
        data = Data.of(X, sign, np.ones(sign.size), standardize=True, full=False)
        alpha = automatic_alpha(data.moments) if alpha is None else alpha
        return Newton(tol=ACCURACY).solve(Problem(data, SquaredHinge(), ElasticNet(0.0, alpha)))

    auto, weak, logistic = medians(
        ours,
        lambda: ours(1e-4),
        lambda: LogisticRegression(tol=tol, max_iter=1000).fit(X, y),
        repeats=3,
    )
    size, bar = f"{sign.size:.0e} x {X.shape[1]}", "ratio >= 0.33 (at most 3x its time)"
    return [
        row(f"squared hinge {size}, alpha auto, against LogisticRegression (tol {tol:.0e})", auto, logistic, bar),
        row(f"squared hinge {size}, alpha 1e-4, against LogisticRegression (tol {tol:.0e})", weak, logistic, bar),
    ]


def run(n: int = 1_000_000, dim: int = 20) -> list[dict]:
    X, y = correlated_table(n, dim)
    sign = np.where(y == 1, 1.0, -1.0)
    return [*gradient_rows(X, sign), *fit_rows(X, y, sign)]
