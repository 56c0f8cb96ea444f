"""The squared hinge at a million rows: one gradient against a sort and two products, a fit against scikit-learn."""

import warnings
from bisect import bisect_left

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from aucmax.losses import SquaredHinge
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem, automatic_alpha
from aucmax.solvers import Newton
from benchmarks.timing import medians, row

ACCURACY = 1e-4  # of both objectives, relative


def make_table(n=1_000_000, dim=20, *, mixed, seed=0):
    """5 % positives, shifted in a quarter of the columns; a random linear map makes them harder for lbfgs."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.05).astype(int)
    X = rng.normal(size=(n, dim))
    X[:, : dim // 4] += 0.4 * y[:, None]
    return (X @ (np.eye(dim) + rng.normal(size=(dim, dim)) / np.sqrt(dim)) if mixed else X), y


def logistic(X, y, iterations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # stopped early on purpose
        return LogisticRegression(tol=1e-12, max_iter=iterations).fit(X, y)


def logistic_iterations(X, y):
    """The fewest iterations that bring the logistic objective within ACCURACY of its minimum."""

    def objective(iterations):
        model = logistic(X, y, iterations)
        return log_loss(y, model.predict_proba(X)[:, 1]) + 0.5 * (model.coef_**2).sum() / y.size

    most = 64
    target = objective(most) * (1.0 + ACCURACY)
    return 1 + bisect_left(range(1, most), True, key=lambda k: objective(k) <= target)


def gradient_rows(X, sign):
    data = Data.of(X, sign, np.ones(sign.size), standardize=True)
    w = 0.1 * data.delta
    scores = data.scores(w)
    loss = SquaredHinge()
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


def fit_rows(X, y, sign, kind):
    """Our time includes the class statistics; both reach the same relative accuracy of their objective."""
    iterations = logistic_iterations(X, y)

    def ours(alpha=None):
        data = Data.of(X, sign, np.ones(sign.size), standardize=True)
        alpha = automatic_alpha(data) if alpha is None else alpha
        return Newton(tol=ACCURACY).solve(Problem(data, SquaredHinge(), ElasticNet(0.0, alpha)))

    auto, weak, theirs = medians(ours, lambda: ours(1e-4), lambda: logistic(X, y, iterations), repeats=3)
    what = f"squared hinge {sign.size:.0e} x {X.shape[1]} {kind}, alpha {{}}, against {iterations} steps of lbfgs"
    bar = "ratio >= 0.33 (at most 3x its time)"
    return [row(what.format("auto"), auto, theirs, bar), row(what.format("1e-4"), weak, theirs, bar)]


def run(n: int = 1_000_000, dim: int = 20) -> list[dict]:
    rows = []
    for kind, mixed in (("plain", False), ("mixed", True)):
        X, y = make_table(n, dim, mixed=mixed)
        sign = np.where(y == 1, 1.0, -1.0)
        rows += [] if mixed else gradient_rows(X, sign)
        rows += fit_rows(X, y, sign, kind)
    return rows
