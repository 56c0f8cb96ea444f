"""OAM: a step against a general minimiser, the reservoirs against uniform samples; runs are in tests/oracles."""

from functools import partial

import numpy as np
import pytest
from problems import make_problem, run_epochs
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import chi2

from aucmax.losses import Hinge
from aucmax.problem import Moments
from aucmax.solvers import OAM

problem_of = partial(make_problem, loss=Hinge(), l2=0.0)


def test_a_step_is_the_minimiser_of_its_own_problem():
    """argmin |w - w0|^2 + C hinge(w.z), with the slack as a variable."""
    rng = np.random.default_rng(0)
    for C in (0.01, 0.1, 1.0, 100.0):
        x, b, w0 = rng.normal(size=(3, 4))
        z = x - b
        found = run_epochs(
            OAM(C=C, normalize=False, order="stream"), problem_of(np.array([b, x]), np.array([-1.0, 1.0])), w=w0
        ).w
        above = {"type": "ineq", "fun": lambda v, z=z: v[4] - 1.0 + v[:4] @ z}
        best = minimize(
            lambda v, C=C, w0=w0: (v[:4] - w0) @ (v[:4] - w0) + C * v[4],
            np.append(w0, 10.0),
            constraints=[above],
            bounds=[(None, None)] * 4 + [(0.0, None)],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        np.testing.assert_allclose(found, best.x[:4], atol=1e-6)


def kept_rows(weight, size, seeds):
    """How often each of the rows of a class was in the reservoir at the end."""
    n = weight.size
    X, y = np.arange(n, dtype=float)[:, None], -np.ones(n)
    problem = problem_of(X, y, weight, seen=Moments.of(X, np.where(X[:, 0] > 0, -1.0, 1.0), weight, full=False))
    learner = OAM(buffer_size=size, order="stream")
    states = (run_epochs(learner, problem, seed=seed) for seed in range(seeds))
    return np.sum([np.bincount(state.reservoirs.X[:, 0].astype(int), minlength=n) for state in states], axis=0)


def test_reservoirs_are_uniform():
    """Chi-square of the counts, with the variance of sampling without replacement."""
    counts = kept_rows(np.ones(40), 8, 2000)
    expected = 2000 * 8 / 40
    assert counts.sum() == 2000 * 8
    statistic = ((counts - expected) ** 2).sum() / (expected * (1 - 8 / 40)) * 39 / 40
    assert statistic < chi2.ppf(0.999, 39)


def test_reservoirs_favour_rows_by_their_weight():
    weight = np.tile([1.0, 3.0], 100)
    counts = kept_rows(weight, 5, 2000)
    ratio = counts[11::2].sum() / counts[10::2].sum()  # the first rows are in for certain, for a while
    assert abs(ratio - 3.0) < 0.25


def test_scaled_up_buffer_is_unbiased_for_the_sum_over_all_rows(table):
    """From w = 0 every pair is active, so that the step of a last row is C/2 times the sum over all pairs."""
    X, y, _ = table(n=100)
    X, y = np.vstack([X[y < 0], X[y > 0][:1]]), np.append(-np.ones((y < 0).sum()), 1.0)
    learner = OAM(update="gradient", normalize=False, C=2.0, buffer_size=10, order="stream")
    problem = problem_of(X, y)
    steps = [run_epochs(learner, problem, seed=seed).w for seed in range(1000)]
    full = (X[-1] - X[:-1]).sum(axis=0)
    assert (np.abs(np.mean(steps, axis=0) - full) < 5 * np.std(steps, axis=0) / np.sqrt(1000)).all()


def test_reservoirs_own_their_rows_and_know_no_scale(table):
    X, y, _ = table(n=100)
    learner = OAM(buffer_size=20)
    state = run_epochs(learner, problem_of(X, y))
    kept = state.reservoirs.X.copy()
    X[:] = np.nan
    np.testing.assert_array_equal(state.reservoirs.X, kept)
    assert len(kept) == 40
    np.testing.assert_array_equal(state.rescaled(np.full(6, 2.0)).reservoirs.X, kept)


def test_a_stream_may_change_from_dense_to_csr_and_to_a_smaller_buffer(table):
    X, y, _ = table(n=200)
    seen = Moments.of(X, y, full=False)
    halves = [problem_of(X[:100], y[:100], seen=seen), problem_of(sparse.csr_array(X[100:]), y[100:], seen=seen)]
    dense = [halves[0], problem_of(X[100:], y[100:], seen=seen)]
    answers = []
    for problems in (dense, halves):
        rng = np.random.default_rng(0)
        state = OAM(buffer_size=20).init(problems[0], np.zeros(6))
        state = OAM(buffer_size=20).epoch(problems[0], state, rng)
        answers.append(OAM(buffer_size=10).epoch(problems[1], state, rng).w)
    np.testing.assert_allclose(answers[1], answers[0], rtol=1e-10)


def test_identical_rows_of_both_classes_are_skipped():
    X, y = np.ones((20, 3)), np.tile([1.0, -1.0], 10)
    assert not run_epochs(OAM(), problem_of(X, y)).w.any()


def test_unknown_update_is_refused():
    with pytest.raises(ValueError, match=r"update='both'; give one of \['sequential', 'gradient'\]"):
        OAM(update="both").check_settings()


@pytest.mark.parametrize(
    "setting", [{"buffer_size": 2.5}, {"buffer_size": True}, {"C": "x"}, {"eta": "x"}, {"normalize": 1}], ids=str
)
def test_settings_of_another_type_are_refused(setting):
    with pytest.raises(ValueError, match=f"{next(iter(setting))}=.*; give "):
        OAM(**setting).check_settings()


@pytest.mark.parametrize("name", ["buffer_size", "negative_buffer_size"])
@pytest.mark.parametrize("size", [10**6 + 1, 10**400], ids=["above", "huge"])
def test_reservoirs_are_bounded(name, size):
    with pytest.raises(ValueError, match=f"{name}={size}; give .*an integer from 1 to 1000000"):
        OAM(**{name: size}).check_settings()
