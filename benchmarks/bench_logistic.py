"""The pairwise logistic loss at a million rows: one gradient against two products, a fit against scikit-learn."""

import numpy as np

from aucmax.losses import Logistic
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem, automatic_alpha
from aucmax.solvers import Newton
from benchmarks.bench_hinges import ACCURACY, logistic, logistic_iterations, make_table
from benchmarks.timing import medians, row


def gradient_row(X, sign):
    data = Data.of(X, sign, np.ones(sign.size), standardize=True)
    w = 0.1 * data.delta
    scores = data.scores(w)
    loss = Logistic()
    ours, product, transposed = medians(
        lambda: loss.value_and_gradient(data, w), lambda: X @ w, lambda: X.T @ scores, repeats=5
    )
    what = f"logistic gradient {sign.size:.0e} x {X.shape[1]} against 2 products with X"
    return row(what, ours, product + transposed, "-")


def fit_rows(X, y, sign, kind, repeats):
    """Our time includes the class statistics; both reach the same relative accuracy of their objective."""
    iterations = logistic_iterations(X, y)

    def ours(alpha=None):
        data = Data.of(X, sign, np.ones(sign.size), standardize=True)
        alpha = automatic_alpha(data) if alpha is None else alpha
        return Newton(tol=ACCURACY).solve(Problem(data, Logistic(), ElasticNet(0.0, alpha)))

    auto, weak, theirs = medians(ours, lambda: ours(1e-4), lambda: logistic(X, y, iterations), repeats=repeats)
    what = f"logistic {sign.size:.0e} x {X.shape[1]} {kind}, alpha {{}}, against {iterations} steps of lbfgs"
    bar = "ratio >= 0.33 (at most 3x its time)"
    return [row(what.format("auto"), auto, theirs, bar), row(what.format("1e-4"), weak, theirs, bar)]


def run(n: int = 1_000_000, dim: int = 20, repeats: int = 5) -> list[dict]:
    rows = []
    for kind, mixed in (("plain", False), ("mixed", True)):
        X, y = make_table(n, dim, mixed=mixed)
        sign = np.where(y == 1, 1.0, -1.0)
        rows += [] if mixed else [gradient_row(X, sign)]
        rows += fit_rows(X, y, sign, kind, repeats)
    return rows
