"""Stochastic solvers: epochs against X @ w and SGDClassifier, runs against SAG and SAGA, cost against d."""

import warnings
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeClassifier, SGDClassifier

from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem
from aucmax.solvers import SDCA, SOLAM, SPAM, VRSPAM, Solver
from benchmarks.bench_fit import dense_table, sparse_table
from benchmarks.timing import medians, row


def make(X, y, alpha):
    sign = np.where(y > 0, 1.0, -1.0)
    data = Data.of(X, sign, np.ones(y.size), standardize=False)
    return Problem(data, Squared(), ElasticNet(0.0, alpha))


def epoch(solver: Solver, problem: Problem):
    """A call that runs one epoch from the initial state."""
    state = solver.init(problem, np.zeros(problem.data.dim))
    return lambda: solver.epoch(problem, state, np.random.default_rng(0))


def epoch_rows():
    return _epochs("CSR 50k x 50k", *sparse_table(), ">= 3", ">= 0.5") + _epochs(
        "dense 50k x 300", *dense_table(50_000, 300), ">= 1", ""
    )


def _epochs(name, X, y, bar_sgd, bar_product):
    """Without averaging against SGD without, with averaging against SGD with."""
    problem = make(X, y, 1e-3)
    w = np.ones(X.shape[1])
    last, average, sdca, sgd, averaged_sgd, product = medians(
        epoch(SPAM(average=False), problem),
        epoch(SPAM(), problem),
        epoch(SDCA(), problem),
        _sgd(X, y),
        _sgd(X, y, average=True),
        lambda: X @ w,
        repeats=15,
    )
    return [
        row(f"spam, an epoch, {name}, against SGDClassifier", last, sgd, bar_sgd),
        row(f"the same, both averaged, {name}", average, averaged_sgd, bar_sgd),
        row(f"spam, an epoch, {name}, against X @ w", last, product, bar_product),
        row(f"spam, an averaged epoch, {name}, against X @ w", average, product, ""),
        row(f"sdca, an epoch, {name}, against X @ w", sdca, product, ""),
    ]


def _sgd(X, y, **settings):
    """A call that runs one epoch of SGDClassifier."""
    model = SGDClassifier(loss="log_loss", alpha=1e-3, max_iter=1, tol=None, **settings)
    return lambda: model.fit(X, y)


def ridge_rows():
    """Half of the dense rows are positive: with 5 %, class weights make scikit-learn's SAG and SAGA diverge."""
    dense = dense_table(20_000, 100, positive=0.5)
    return _ridges("CSR 50k x 50k", *sparse_table()) + _ridges("dense 20k x 100", *dense)


def _ridges(name, X, y, alpha=1e-3):
    """To 1e-6 of the optimum: ours stop by their gap; scikit-learn's tolerance is lowered until it gets there."""
    rows = []
    problem = make(X, y, alpha)
    best = SDCA(tol=1e-10).solve(problem, rng=np.random.default_rng(0)).objective
    for sklearn_name in ("sag",) if sparse.issparse(X) else ("sag", "saga"):  # its SAGA takes no sparse rows here
        ridge = _precise_ridge(sklearn_name, X, y, alpha, problem, best)
        for solver in (SDCA(tol=1e-6), VRSPAM(tol=1e-6)):
            ours, theirs = medians(_solve(solver, problem), partial(ridge.fit, X, y), repeats=3)
            what = f"{type(solver).__name__.lower()} to 1e-6, {name}, against Ridge {sklearn_name}, tol {ridge.tol:g}"
            rows.append(row(what, ours, theirs, "> 1"))
    return rows


def _solve(solver, problem):
    return lambda: solver.solve(problem, rng=np.random.default_rng(0))


def _precise_ridge(name, X, y, alpha, problem, best):
    """RidgeClassifier with the largest tolerance that comes as close to the optimum."""
    for tol in 10.0 ** np.arange(-2, -9, -1):
        ridge = RidgeClassifier(
            alpha=y.size * alpha / 2, class_weight="balanced", solver=name, tol=tol, max_iter=200, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            direction = ridge.fit(X, y).coef_.ravel()
        value = problem.loss.value_and_gradient(problem.data, direction)[0]
        curved = 2 * value - 1 + 2 * problem.data.delta @ direction + alpha * direction @ direction
        scaled = direction * (problem.data.delta @ direction / curved)
        if problem.objective(scaled) <= best * (1 + 1e-6):
            break
    return ridge


def dimension_rows():
    """Cost of a step on the same rows in ever wider tables; the ratio is to a step at the smallest width.

    It is the additional time of an epoch of twice the rows: O(dim) is allowed once per epoch.
    """
    rows = []
    reference = {}
    for dim in (10_000, 100_000, 1_000_000):
        long, short = (make(*wide_table(n, dim), 1e-3) for n in (200_000, 100_000))
        for solver in (SPAM(), SPAM(average=False), SOLAM(), SDCA(), VRSPAM(start="zero")):
            twice, once = medians(epoch(solver, long), epoch(solver, short), repeats=7)
            step = (twice - once) / 100_000
            name = f"{solver!r} a step at d = {dim:,} against d = 10,000, same 20 non-zeros a row"
            rows.append(row(name, step, reference.setdefault(repr(solver), step), "about 1"))
    return rows


def wide_table(n, dim, stored=20, used=10_000):
    """Rows whose non-zeros are all in the first columns; 10 % positives."""
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(used, size=(n, stored)), axis=1).astype(np.int32)
    X = sparse.csr_array((rng.random(n * stored), columns.ravel(), np.arange(n + 1) * stored), shape=(n, dim))
    X.sum_duplicates()
    return X, (rng.random(n) < 0.1).astype(int)


def run():
    return epoch_rows() + ridge_rows() + dimension_rows()
