"""Rows with a common shift, which the saddle solvers must not mind, and runs of solvers epoch by epoch."""

import numpy as np

from aucmax.losses import Squared
from aucmax.metrics.auc import auc_of_classes
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.problem.penalties import ElasticNet


def table(n=400, dim=8, rate=0.4, seed=0):
    """Sparse rows with a common shift, labels and weights."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < rate * n, 1.0, -1.0)
    X = rng.normal(size=(n, dim)) + 0.5 * np.outer(y, rng.normal(size=dim)) + rng.normal(size=dim)
    return X * (rng.random((n, dim)) < 0.7), y, rng.uniform(0.2, 3.0, size=n)


def make(X, y, weight=None, alpha=0.1, l1_ratio=0.0, full=False):
    weight = np.ones(y.size) if weight is None else weight
    data = Data.of(X, y, weight, standardize=False, full=full)
    return Problem(data, Squared(), ElasticNet.of(alpha, l1_ratio))


def auc(data, w):
    scores = data.scores(w)
    return auc_of_classes(scores[data.y > 0], scores[data.y < 0])


def epochs(solver, problem, number, seed=0):
    """The states after 0, 1, ... epochs."""
    problem, rng = solver.adapt(problem), np.random.default_rng(seed)
    states = [solver.init(problem, np.zeros(problem.data.dim))]
    for _ in range(number):
        states.append(solver.epoch(problem, states[-1], rng))
    return states


def minimum_in_ball(problem, project):
    """The minimiser of the loss on a ball, by FISTA with restarts on the Gram matrix."""
    data, radius = problem.data, problem.penalty.radius
    H = data.within + np.outer(data.delta, data.delta)
    L = np.linalg.eigvalsh(H)[-1]
    w = z = np.zeros(data.dim)
    t = 1.0
    for _ in range(5000):
        new = project(z - (H @ z - data.delta) / L, radius)
        t = 1.0 if (z - new) @ (new - w) > 0 else t
        after = (1 + np.sqrt(1 + 4 * t * t)) / 2
        w, z, t = new, new + (t - 1) / after * (new - w), after
    return w
