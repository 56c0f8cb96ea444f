"""Problems that solvers and losses are tested on, runs epoch by epoch, and what several tests compare with."""

import os
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from aucmax.losses import Squared
from aucmax.metrics.auc import auc_of_classes
from aucmax.penalties import ElasticNet
from aucmax.problem import Data, Moments, Problem, automatic_alpha

FORMS = {"dense": np.asarray, "csr": sparse.csr_array}
EACH_FORM = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
KINDS = ("plain", "weighted", "rare", "unscaled", "collinear", "more columns")
RATIOS = {"L2": 0.0, "elastic net": 0.3}
CASES = {
    "plain": {},
    "imbalanced": {"n": 600, "rate": 0.01},
    "badly scaled": {"unscaled": True},
    "collinear": {"seed": 3},
}


def make_data(X, y, weight, *, standardize=False, full=False):
    """Rows with their scatter matrices at hand if `full`; otherwise these are computed when first asked for."""
    data = Data.of(X, y, weight, standardize=standardize)
    return replace(data, raw_moments=Moments.of(data.X, y, weight, full=full))


def make_problem(X, y, weight=None, penalty=None, *, l2=0.01, loss=None, standardize=False, full=False, seen=None):
    """A problem of these rows; by default unweighted, of the squared loss and an L2 penalty.

    `seen` are the moments of all rows of a stream, of which these are a batch.
    """
    weight = np.ones(y.size) if weight is None else weight
    if seen is None:
        data = make_data(X, y, weight, standardize=standardize, full=full)
    else:
        data = Data.of_batch(X, y, weight, seen, standardize=standardize)
    return Problem(data, loss or Squared(), penalty or ElasticNet(0.0, l2))


def problem_of_kind(table, kind="weighted", form=np.asarray, *, l1_ratio=0.0, alpha=None):
    """A problem of that kind in raw units; alpha is the automatic one, or for l1_ratio = 1 a tenth of the largest."""
    shape = (40, 70) if kind == "more columns" else (1000, 8) if kind == "rare" else (300, 8)
    X, y, weight = table(*shape, rate=0.01 if kind == "rare" else 0.3)
    if kind == "unscaled":
        X = X * 10.0 ** np.linspace(-2, 2, X.shape[1])
    if kind == "collinear":
        X[:, 1] = X[:, 0]
        X[:, 2] = X[:, 0] - 2.0 * X[:, 3]
    weight = weight if kind == "weighted" else None
    problem = make_problem(form(X), y, weight, full=kind != "more columns")
    if alpha is None:
        largest = np.abs(problem.data.delta).max()
        alpha = 0.1 * largest if l1_ratio == 1 else automatic_alpha(problem.data)
    return Problem(problem.data, Squared(), ElasticNet.of(alpha, l1_ratio))


def table_of_case(table, case):
    """Rows, labels and weights of one of the `CASES`."""
    X, y, weight = table(**{"n": 200, **CASES[case]})
    if case == "collinear":
        X[:, 1] = X[:, 0]
        X[:, 2] = X[:, 3] + X[:, 4]
    return X, y, weight


def shifted_table(n=400, dim=8, rate=0.4, seed=0):
    """Sparse rows with a common shift, which the saddle solvers must not mind; labels and weights."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < rate * n, 1.0, -1.0)
    X = rng.normal(size=(n, dim)) + 0.5 * np.outer(y, rng.normal(size=dim)) + rng.normal(size=dim)
    return X * (rng.random((n, dim)) < 0.7), y, rng.uniform(0.2, 3.0, size=n)


def far_table(shape, shift, seed=0):
    """Rows of standard deviation 1 whose columns are about `shift` from zero; labels and weights."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(shape[0]) < 0.4, 1.0, -1.0)
    X = rng.normal(size=shape) + 0.35 * (y[:, None] + 1.0) + shift * rng.uniform(0.5, 1.5, size=shape[1])
    return X, y, rng.uniform(0.5, 2.0, size=shape[0])


def a9a():
    """The rows and labels of the data set a9a."""
    z = np.load(os.path.join(os.environ["AUCMAX_DATA"], "a9a.npz"))
    X = sparse.csr_array((z["data"].astype(float), z["indices"], z["indptr"]), shape=tuple(z["shape"]))
    return X, np.where(z["y"] > 0, 1.0, -1.0)


def all_states(solver, problem, epochs, seed=0, *, w=None, state=None, rng=None):
    """The states after 0, 1, ... epochs, from weights w or from a given state."""
    rng = np.random.default_rng(seed) if rng is None else rng
    if state is None:
        state = solver.init(problem, np.zeros(problem.data.dim) if w is None else w)
    states = [state]
    for _ in range(epochs):
        states.append(solver.epoch(problem, states[-1], rng))
    return states


def run_epochs(solver, problem, epochs=1, seed=0, **start):
    """The state after that many epochs; see `all_states`."""
    return all_states(solver, problem, epochs, seed, **start)[-1]


def resumed_and_not(solver, problem):
    """The states after four epochs: of a run that was pickled after two, and of one that was not."""
    states = all_states(solver, problem, 4)
    rng = np.random.default_rng(0)
    all_states(solver, problem, 2, rng=rng)  # where the random numbers of the third epoch begin
    pickled = pickle.loads(pickle.dumps(states[2]))
    return run_epochs(solver, problem, 2, state=pickled, rng=rng), states[4]


def auc(data, w):
    scores = data.scores(w)
    return auc_of_classes(scores[data.y > 0], scores[data.y < 0])


def soft(u, threshold):
    return np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0)


def class_statistics(X, y, weight):
    """Within-class weights r, and the means of the positive and the negative rows."""
    r = np.where(y > 0, weight / weight[y > 0].sum(), weight / weight[y < 0].sum())
    return r, r[y > 0] @ X[y > 0], r[y < 0] @ X[y < 0]


def centred_rows(data):
    """x_i minus the mean of its class, the weights r within the classes, and the difference of the class means."""
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    r, pos, neg = class_statistics(X, data.y, data.weight)
    return X - np.where((data.y > 0)[:, None], pos, neg), r, pos - neg


def liblinear(all_pairs, l2, loss):
    """Minimiser over explicit pairs, every other one turned around as liblinear wants two classes."""
    sign = np.where(np.arange(all_pairs.weights.size) % 2 == 0, 1.0, -1.0)
    model = LinearSVC(C=1.0, loss=loss, fit_intercept=False, dual=True, tol=1e-10, max_iter=10**6)
    return model.fit(sign[:, None] * all_pairs.differences, sign, sample_weight=all_pairs.weights / l2).coef_[0]


def minimum_in_ball(problem, project):
    """The minimiser of the squared loss on a ball, by FISTA with restarts on the Gram matrix."""
    data = problem.data
    H = data.within + np.outer(data.delta, data.delta)
    L = np.linalg.eigvalsh(H)[-1]
    w = z = np.zeros(data.dim)
    t = 1.0
    for _ in range(5000):
        new = project(z - (H @ z - data.delta) / L, problem.penalty.radius)
        t = 1.0 if (z - new) @ (new - w) > 0 else t
        after = (1 + np.sqrt(1 + 4 * t * t)) / 2
        w, z, t = new, new + (t - 1) / after * (new - w), after
    return w
