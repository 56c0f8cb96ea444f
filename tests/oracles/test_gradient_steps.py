"""SPAM and VRSPAM against their equations."""

from itertools import pairwise

import numpy as np
import pytest
from oracles.gradient_steps import (
    inner_loop,
    largest_curvature,
    probabilities,
    smoothness,
    spam,
    spam_in_the_papers_scale,
)
from oracles.tables import (
    EACH_FORM,
    EACH_TABLE,
    assert_close,
    drawn_table,
    in_batches,
    pass_over_draws_of_top_eigenvalue,
    shuffled_runs,
)
from problems import make_problem, run_epochs

from aucmax.penalties import ElasticNet
from aucmax.solvers import SPAM, VRSPAM

pytestmark = pytest.mark.thorough

NET = ElasticNet(0.02, 0.3)


def visited(n, epochs, seed=0):
    """The rows of SPAM's epochs."""
    rng = np.random.default_rng(seed)
    return np.concatenate([shuffled_runs(n, rng, 64) for _ in range(epochs)])


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("l2", [0.3, 0.0, 300.0])
def test_spam(form, weighted, centre, l2):
    """Also where s is written out often (l2 = 300) and where steps fall as 1/sqrt(t) (no penalty)."""
    X, y, weight = drawn_table(weighted)
    L = largest_curvature(X, y, weight, centre=centre)
    penalty = ElasticNet(0.0, l2)

    def eta(t):
        return 1 / (L + l2 * t) if l2 else 1 / (L * np.sqrt(t))

    last, average = spam(X, y, weight, penalty, visited(150, 4)[:, None], eta, centre=centre)
    problem = make_problem(form(X), y, weight, penalty)
    state = run_epochs(SPAM(centre=centre), problem, 4)
    assert (state.t, state.passes) == (600, 4.0)
    assert_close(state.last, last)
    assert_close(state.w, average)
    assert_close(run_epochs(SPAM(centre=centre, average=False), problem, 4).w, last)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("size", [1, 7])
def test_spam_with_an_elastic_net(form, weighted, size):
    X, y, weight = drawn_table(weighted, n=140)
    rng = np.random.default_rng(0)
    pass_over_draws_of_top_eigenvalue(140, 6, rng)
    batches = [batch for _ in range(3) for batch in in_batches(shuffled_runs(140, rng, 64), size)]
    last, average = spam(X, y, weight, NET, batches, lambda t: 1 / (50 + NET.l2 * t), centre=True)
    state = run_epochs(SPAM(step=1 / 50, batch_size=size), make_problem(form(X), y, weight, NET), 3)
    assert_close(state.last, last)
    assert_close(state.w, average)


@EACH_FORM
@pytest.mark.parametrize(
    "theorem, theta", [("theorem_4_1", 0.5), ("theorem_4_1", 0.1), ("theorem_4_1", 0.9), ("theorem_4_2", 0.5)]
)
def test_spam_with_the_steps_of_the_theorems(form, theorem, theta):
    X, y, weight = drawn_table(False, n=60)
    w = spam_in_the_papers_scale(X, y, 200.0, visited(60, 1), theorem, theta)
    solver = SPAM(step=theorem, theta=theta, centre=False, average=False)
    assert_close(run_epochs(solver, make_problem(form(X), y, weight, l2=200.0)).w, w)


def drawn_rows(p, length, independent, rng):
    """The rows of an inner loop: drawn, or each in proportion to its probability, in random order."""
    n = p.size
    uniform = np.ptp(p) == 0
    if independent:
        return rng.integers(n, size=length) if uniform else rng.choice(n, size=length, p=p)
    if uniform:
        return np.concatenate([shuffled_runs(n, rng) for _ in range(-(-length // n))])[:length]
    levels = (rng.random() + np.arange(length)) / length
    return rng.permutation(np.minimum(np.searchsorted(np.cumsum(p), levels), n - 1))


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("estimator", ["centred", "printed"])
@pytest.mark.parametrize("sampling", ["uniform", "importance"])
@pytest.mark.parametrize("penalty", [ElasticNet(0.0, 0.3), NET], ids=["l2", "elastic net"])
def test_vrspam(form, weighted, estimator, sampling, penalty):
    X, y, weight = drawn_table(weighted, n=90)
    size = 8 if penalty.l1 > 0 else 1
    rng = np.random.default_rng(0)
    if penalty.l1 > 0:
        pass_over_draws_of_top_eigenvalue(90, 6, rng)
    eta = 0.7 / smoothness(X, y, weight, sampling, estimator, size)  # above 1/(3L): not every snapshot is taken
    p = probabilities(X, y, weight, sampling, estimator)
    w = np.zeros(6)
    for _ in range(2):
        order = drawn_rows(p, 180, False, rng)
        ends = np.linspace(0, 180, 180 // size + 1).astype(int)
        batches = [order[a:b] for a, b in pairwise(ends)]
        w = inner_loop(X, y, weight, penalty, w, batches, eta, sampling, estimator)
    settings = {"estimator": estimator, "sampling": sampling, "batch_size": size, "start": "zero", "inner": "fixed"}
    state = run_epochs(VRSPAM(step=eta, **settings), make_problem(form(X), y, weight, penalty), 2)
    assert state.eta == eta  # the guard did not interfere
    assert_close(state.snapshot.w, w)


@EACH_FORM
@EACH_TABLE
def test_vrspam_after_an_epoch_of_spam(form, weighted):
    X, y, weight = drawn_table(weighted, n=90)
    penalty = ElasticNet(0.0, 0.3)
    rng = np.random.default_rng(0)
    L = largest_curvature(X, y, weight, centre=True)
    _, z = spam(X, y, weight, penalty, shuffled_runs(90, rng, 64)[:, None], lambda t: 1 / (L + 0.3 * t), centre=True)
    order = drawn_rows(probabilities(X, y, weight, "importance", "centred"), 180, False, rng)
    eta = 0.7 / smoothness(X, y, weight, "importance", "centred", 1)
    w = inner_loop(X, y, weight, penalty, z, order[:, None], eta, "importance", "centred")
    solver = VRSPAM(step=eta, sampling="importance", inner="fixed")
    assert_close(run_epochs(solver, make_problem(form(X), y, weight, penalty)).snapshot.w, w)


@EACH_FORM
@EACH_TABLE
def test_vrspam_as_published(form, weighted):
    """Uniform independent draws, a small constant step, inner loops of m steps, every snapshot taken, from 0."""
    X, y, weight = drawn_table(weighted, n=90)
    penalty = ElasticNet(0.0, 0.3)
    eta = 0.2 / largest_curvature(X, y, weight, centre=False)
    rng = np.random.default_rng(0)
    z = np.zeros(6)
    for _ in range(3):
        z = inner_loop(X, y, weight, penalty, z, rng.integers(90, size=180)[:, None], eta, "uniform", "printed")
    settings = {"estimator": "printed", "sampling": "uniform", "inner": "fixed", "start": "zero"}
    state = run_epochs(VRSPAM(step=eta, **settings), make_problem(form(X), y, weight, penalty), 3)
    assert state.eta == eta
    assert_close(state.snapshot.w, z)
