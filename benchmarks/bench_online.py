"""Rows per second of the one-pass learners, dense and CSR, and their time as a multiple of one product X @ w.

A call is a whole epoch: the compiled loop, the order of the rows, and a copy of the state. `reference_rows_per_s`
are those of the bare compiled loops of a reference implementation on an idle core; `products` and
`reference_products`, times in units of one X @ w, can be compared on a busy one. X @ w processed 62 (dense) and 9.0
(CSR) million rows per second in the best of many runs on such a core. What is computed once per table is excluded:
|x|^2 of the rows, and, where Uni-Exp centres them (its default, unlike the reference), x.centre, one more product.
"""

import numpy as np
from scipy import sparse

from aucmax.numerics.threads import threads_for
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem
from aucmax.solvers import OAM, OPAUC, AdaOAM, UniExp
from benchmarks.timing import medians

DENSE = [
    ("OAM sequential", OAM(), 133e3),
    ("OAM gradient", OAM(update="gradient"), 336e3),
    ("OPAUC full", OPAUC(), 153e3),
    ("OPAUC diagonal", OPAUC(covariance="diagonal"), 6.2e6),
    ("OPAUC sketched, tau=20", OPAUC(covariance="sketched", tau=20), 476e3),
    ("AdaOAM full", AdaOAM(), 144e3),
    ("AdaOAM diagonal", AdaOAM(covariance="diagonal"), 1.9e6),
    ("Uni-Exp, not centred", UniExp(centre=False), 15e6),
    ("Uni-Exp, centred", UniExp(), 15e6),
]
SPARSE = [
    ("OAM sequential", OAM(), 10e3),
    ("OPAUC sketched, tau=10", OPAUC(covariance="sketched", tau=10), 416e3),
    ("OPAUC sketched, tau=50", OPAUC(covariance="sketched", tau=50), 41e3),
    ("Uni-Exp, not centred", UniExp(centre=False), 3.2e6),
    ("Uni-Exp, centred", UniExp(), 3.2e6),
]


def labels(n, rng):
    return np.where(rng.random(n) < 0.2, 1.0, -1.0)


def dense_table(n=5000, dim=100, *, seed=0):
    """4 MB: compiled loops are timed, not memory."""
    rng = np.random.default_rng(seed)
    y = labels(n, rng)
    return rng.normal(size=(n, dim)) + 0.1 * y[:, None], y


def sparse_table(n=10_000, dim=50_000, stored=100, *, seed=0):
    """Rows with one non-zero in each of 100 groups of columns."""
    rng = np.random.default_rng(seed)
    y = labels(n, rng)
    width = dim // stored
    columns = (rng.integers(width, size=(n, stored)) + width * np.arange(stored)).astype(np.int32)
    values = rng.normal(size=n * stored) + 0.1 * np.repeat(y, stored)
    indptr = np.arange(0, n * stored + 1, stored, dtype=np.int32)
    return sparse.csr_array((values, columns.ravel(), indptr), shape=(n, dim)), y


def measure(what, X, y, learners, product_rate):
    """One row per learner, alternating with X @ w."""
    n, dim = X.shape
    data = Data.of(X, y, np.ones(n), standardize=False)
    w = np.random.default_rng(0).normal(size=dim)
    rng = np.random.default_rng(0)
    rows = []
    for name, learner, reference_rate in learners:
        problem = Problem(data, learner.losses[0](), ElasticNet(0.0, 1e-3))
        state = learner.init(problem, np.zeros(dim))
        product, time = medians(
            lambda: X @ w,
            lambda learner=learner, problem=problem, state=state: learner.epoch(problem, state, rng),
        )
        rows.append(
            {
                "what": f"{name}, {what}",
                "rows_per_s": 1e3 * n / time,
                "reference_rows_per_s": reference_rate,
                "products": time / product,
                "reference_products": product_rate / reference_rate,
                "ratio": product_rate / reference_rate * product / time,
                "bar": ">= 0.8",
            }
        )
    return rows


def run():
    with threads_for(100):
        dense = measure("dense d=100", *dense_table(), DENSE, 62e6)
        return dense + measure("CSR 100 of 50,000", *sparse_table(), SPARSE, 9e6)
