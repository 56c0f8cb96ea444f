"""Convergence rates of the linearly convergent solvers compared with their theorems, and the rate of SPAM.

A theorem bounds the rate in the worst case; a run should not be slower. SPAM draws rows independently here, as in its
theorem; its rate is the slope of the mean squared distance to the optimum against steps, on log-log axes.
"""

import os
from unittest.mock import patch

import numpy as np

from aucmax import datasets
from aucmax.losses import Squared
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Problem, automatic_alpha
from aucmax.solvers import SDCA, SPAM, SPDAM, VRSPAM

SETS = ("digits", "a9a", "w8a", "splice_scale")


def make(name, strength=1.0):
    dataset = datasets.load(name)
    data = Data.of(dataset.X, dataset.y.astype(float), np.ones(dataset.y.size), standardize=False)
    return Problem(data, Squared(), ElasticNet(0.0, strength * automatic_alpha(data)))


def promised(solver, problem):
    """Factor per pass by which the error decreases according to the theorem (docs/mathematics.md, section 8)."""
    data, l2 = problem.data, problem.penalty.l2
    n = data.n
    own = np.where(data.y > 0, 0, 1)
    norms = data.squared_norms - 2 * data.mean_products[np.arange(n), own] + (data.means**2).sum(axis=1)[own]
    delta2 = data.delta @ data.delta
    if isinstance(solver, VRSPAM):  # 2n steps cost 3 passes
        uniform = (data.e * norms).max() + delta2
        importance = data.r @ norms + delta2
        L = importance if uniform > 4 * importance else uniform
        step = max((1 + l2 / (3 * L)) ** -2, 1 - 1 / (4 * n))
        return step ** (2 * n / 3)
    if isinstance(solver, SDCA):  # coordinate ascent, coordinates drawn in proportion to their curvature v
        along = (data.scores(data.delta) - (data.means @ data.delta)[own]) ** 2 / (l2 + delta2)
        v = 1 + data.r * (norms - along) / l2
        return (1 - 1 / v.sum()) ** n
    m = solver.batch_size  # SPDAM
    kappa2 = (data.e * norms).max()
    sigma = l2 * ((n - m) + np.sqrt((n - m) ** 2 + 4 * n * m * kappa2 / l2)) / (4 * m * kappa2)
    return (1 - l2 / (l2 + 2 * sigma * kappa2)) ** (n / m)


def linear_row(name, solver):
    problem = make(name)
    trace = solver.solve(problem, rng=np.random.default_rng(0)).trace
    passes, logs = trace["passes"], np.log10(trace["gap"])
    return {
        "solver": type(solver).__name__.lower(),
        "data": name,
        "passes to a relative gap of 1e-10": float(passes[-1]),
        "digits per pass": -float(np.polyfit(passes, logs, 1)[0]),
        "promised": -float(np.log10(promised(solver, problem))),
        "correlation with a straight line": f"{np.corrcoef(passes, logs)[0, 1]:.3f}",
    }


def spam_row(name, runs=4, epochs=256):
    """Slope for the last iterate, over the last four doublings of the number of passes."""
    problem = make(name, strength=10.0)
    best = SDCA(tol=1e-14, max_epochs=100).solve(problem, rng=np.random.default_rng(0)).coef
    solver = SPAM(average=False)
    distance = np.zeros(epochs)
    with patch("aucmax.solvers.published.spam.shuffled_blocks", lambda n, rng, run: rng.integers(n, size=n)):
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            state = solver.init(problem, np.zeros(problem.data.dim))
            for k in range(epochs):
                state = solver.epoch(problem, state, rng)
                distance[k] += np.sum((state.w - best) ** 2)
    t = np.arange(1, epochs + 1)
    slope = np.polyfit(np.log(t[15:]), np.log(distance[15:]), 1)[0]
    return {
        "solver": "spam",
        "data": f"{name}, 10 times the automatic alpha",
        "passes to a relative gap of 1e-10": f"squared distance decreases as t^{slope:.2f}",
        "digits per pass": "",
        "promised": "t^-1",
        "correlation with a straight line": "",
    }


def run():
    sets = SETS if "AUCMAX_DATA" in os.environ else SETS[:1]
    rows = [linear_row(name, kind(tol=1e-10, max_epochs=400)) for kind in (VRSPAM, SDCA, SPDAM) for name in sets]
    return rows + [spam_row(name) for name in sets]
