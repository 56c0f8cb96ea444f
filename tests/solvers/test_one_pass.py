"""What all one-pass learners guarantee: streams of any shape, pickles, weights, hard tables; and their statistics."""

import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from problems import make_data, make_problem, run_epochs
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifier
from aucmax.problem import Moments
from aucmax.solvers import OAM, OPAUC, AdaOAM, UniExp
from aucmax.solvers.published.one_pass import total_variance

LEARNERS = [
    OPAUC(),
    OPAUC(covariance="diagonal"),
    OPAUC(covariance="sketched", tau=4),
    AdaOAM(),
    AdaOAM(covariance="diagonal"),
    OAM(buffer_size=10),
    OAM(buffer_size=10, update="gradient", normalize=False),
    UniExp(),
]
EVERY = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def problem_of(learner, X, y, weight=None, **options):
    return make_problem(X, y, weight, loss=learner.losses[0](), **options)


def arrays(state):
    """All numbers of a state, nested ones too."""
    if is_dataclass(state):
        return [array for field in fields(state) for array in arrays(getattr(state, field.name))]
    if isinstance(state, tuple):
        return [array for part in state for array in arrays(part)]
    return [] if state is None else [state.toarray() if sparse.issparse(state) else np.asarray(state)]


def assert_equal_states(one, other):
    for mine, theirs in zip(arrays(one), arrays(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@EVERY
def test_learns_to_rank_in_one_pass(learner, table):
    X, y, _ = table(n=2000, dim=6)
    w = run_epochs(learner, problem_of(learner, X, y)).w
    best = roc_auc_score(y, AUCClassifier().fit(X, y).decision_function(X))
    assert roc_auc_score(y, X @ w) > best - 0.04  # a reservoir of 10 rows is the noisiest


@EVERY
def test_csr_is_dense(learner, table):
    X, y, weight = table(n=300)
    dense = run_epochs(learner, problem_of(learner, X, y, weight), epochs=2).w
    csr = run_epochs(learner, problem_of(learner, sparse.csr_array(X), y, weight), epochs=2).w
    np.testing.assert_allclose(csr, dense, rtol=1e-9, atol=1e-12)


@EVERY
def test_same_seed_same_answer_and_another_for_another_seed(learner, table):
    X, y, weight = table(n=200)
    problem = problem_of(learner, X, y, weight)
    assert_equal_states(run_epochs(learner, problem, 2, seed=3), run_epochs(learner, problem, 2, seed=3))
    assert not np.array_equal(run_epochs(learner, problem, seed=3).w, run_epochs(learner, problem, seed=4).w)


@EVERY
def test_pickled_state_continues_and_old_states_are_unchanged(learner, table):
    X, y, weight = table(n=150)
    problem = problem_of(learner, X, y, weight)
    rng = np.random.default_rng(5)
    first = learner.epoch(problem, learner.init(problem, np.zeros(6)), rng)
    kept = pickle.dumps((first, rng))
    second = learner.epoch(problem, first, rng)
    again, rng_again = pickle.loads(kept)
    assert_equal_states(again, first)
    assert_equal_states(learner.epoch(problem, again, rng_again), second)


@EVERY
def test_the_batches_of_a_stream_do_not_matter(learner, table):
    """In the order of the stream, with a step that does not depend on what was seen: even one-class batches."""
    settings = {"OPAUC": {"eta": 0.01}, "OAM": {"eta": 0.1, "C": 0.01}, "UniExp": {"eta": 0.1, "centre": False}}
    learner = clone(learner).set_params(order="stream", **settings.get(type(learner).__name__, {}))
    X, y, _ = table(n=120)
    whole = run_epochs(learner, problem_of(learner, X, y)).w
    rng = np.random.default_rng(0)
    seen = Moments.of(X[:0], y[:0], full=False)
    state = None
    for rows in np.split(np.arange(120), [1, 2, 3, 50, 51, 100]):
        seen = seen + Moments.of(X[rows], y[rows], full=False)
        problem = problem_of(learner, X[rows], y[rows], seen=seen)
        state = learner.init(problem, np.zeros(6)) if state is None else state
        state = learner.epoch(problem, state, rng)
    np.testing.assert_allclose(state.w, whole, rtol=1e-9, atol=1e-12)


@EVERY
def test_no_step_before_both_classes_were_seen(learner, table):
    X, y, _ = table(n=100)
    problem = problem_of(learner, X[y < 0], y[y < 0], seen=Moments.of(X, y, full=False))
    state = run_epochs(learner, problem)
    assert not state.w.any()
    assert run_epochs(learner, problem_of(learner, X[y > 0], y[y > 0]), state=state).w.any()


@EVERY
def test_weights_matter_only_relative_to_each_other(learner, table):
    X, y, weight = table(n=200)
    one = run_epochs(learner, problem_of(learner, X, y, weight)).w
    other = run_epochs(learner, problem_of(learner, X, y, 8.0 * weight)).w
    np.testing.assert_allclose(other, one, rtol=1e-8, atol=1e-12)


@EVERY
def test_rescaled_state_keeps_its_weights_and_can_continue(learner, table):
    X, y, weight = table(n=200)
    state = run_epochs(learner, problem_of(learner, X, y, weight))
    ratio = np.exp(np.random.default_rng(1).normal(size=6))
    after = state.rescaled(ratio)
    np.testing.assert_array_equal(after.w, state.w)
    assert after.passes == state.passes
    continued = run_epochs(learner, problem_of(learner, X / ratio, y, weight), state=after)
    assert np.isfinite(continued.w).all()


@EVERY
def test_hard_tables_leave_finite_weights(learner):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.3, 1.0, -1.0)
    X = rng.normal(size=(400, 5)) + y[:, None]
    X[:, 1], X[::3], X[:, 2] = 7.0, 0.0, X[:, 2] * 1e12
    for l2 in (0.0, 0.01, 1e6):
        for table in (X, sparse.csr_array(X), np.zeros_like(X)):
            assert np.isfinite(run_epochs(learner, problem_of(learner, table, y, l2=l2), epochs=2).w).all()


@EVERY
def test_stream_that_starts_with_one_class(learner):
    rng = np.random.default_rng(0)
    y = np.concatenate([-np.ones(10_000), np.where(rng.random(3000) < 0.5, 1.0, -1.0)])
    X = rng.normal(size=(13_000, 5)) + 0.5 * y[:, None] + 3.0
    X[:, 1], X[::50], X[:, 2] = 7.0, 0.0, X[:, 2] * 1e12
    model = AUCClassifier(solver=clone(learner), loss=learner.losses[0].name, random_state=0)
    for rows in np.split(np.arange(13_000), [5000, 10_000, 11_000]):
        model.partial_fit(X[rows], y[rows], classes=[-1, 1])
    assert np.isfinite(model.coef_).all()
    assert roc_auc_score(y, model.decision_function(X)) > 0.85


@EVERY
def test_unknown_settings_are_refused(learner):
    with pytest.raises(ValueError, match=r"order='sorted'; give one of \['shuffled', 'stream'\]"):
        clone(learner).set_params(order="sorted").check_settings()
    with pytest.raises(ValueError, match="eta=-1"):
        clone(learner).set_params(eta=-1.0).check_settings()


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_statistics_are_those_of_the_rows(covariance, table):
    X, y, weight = table(n=300, unscaled=True)
    learner = OPAUC(covariance=covariance)
    for rows in (X, sparse.csr_array(X)):
        statistics = run_epochs(learner, problem_of(learner, rows, y, weight)).statistics
        for k, label in enumerate((-1, 1)):
            part = X[y == label]
            share = weight[y == label] / weight[y == label].sum()
            centred = part - share @ part
            expected = (centred * share[:, None]).T @ centred
            units = np.sqrt(np.diag(expected))
            found = statistics.scatter[k] / statistics.weight[k]
            if covariance == "full":
                difference = (found - expected) / np.outer(units, units)
            else:
                difference = found / units**2 - 1.0
            np.testing.assert_allclose(statistics.mean[k] / units, share @ part / units, atol=1e-12)
            np.testing.assert_allclose(difference, 0.0, atol=1e-12)
            np.testing.assert_allclose(statistics.trace[k], np.trace(expected) * weight[y == label].sum(), rtol=1e-12)


def test_weighted_statistics_are_those_of_copies(table):
    X, y, _ = table(n=100)
    copies = np.random.default_rng(0).integers(1, 5, size=100)
    learner = OPAUC(order="stream")
    weighted = run_epochs(learner, problem_of(learner, X, y, copies.astype(float))).statistics
    copied = run_epochs(learner, problem_of(learner, np.repeat(X, copies, axis=0), np.repeat(y, copies))).statistics
    for mine, theirs in zip(weighted, copied, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)


def test_weighted_steps_are_copies_to_first_order(table):
    """Ten times shorter steps bring the two answers ten times nearer, relative to their size."""
    X, y, _ = table(n=100)
    copies = np.random.default_rng(0).integers(1, 5, size=100)
    distances = []
    for eta in (1e-5, 1e-6):  # so short that w is still proportional to their number
        one, long = OPAUC(order="stream", eta=eta), OPAUC(order="stream", eta=eta * copies.mean())
        weighted = run_epochs(long, problem_of(long, X, y, copies.astype(float))).w
        copied = run_epochs(one, problem_of(one, np.repeat(X, copies, axis=0), np.repeat(y, copies))).w
        distances.append(np.linalg.norm(weighted - copied) / np.linalg.norm(copied))
    assert distances[0] < 0.05
    assert 8 < distances[0] / distances[1] < 12


def test_rescaled_statistics_are_those_of_rescaled_rows(table):
    X, y, weight = table(n=100)
    ratio = np.exp(np.random.default_rng(1).normal(size=6))
    for learner in (OPAUC(order="stream"), OPAUC(order="stream", covariance="diagonal")):
        before = run_epochs(learner, problem_of(learner, X, y, weight)).rescaled(ratio).statistics
        after = run_epochs(learner, problem_of(learner, X / ratio, y, weight)).statistics
        for mine, theirs in zip(before, after, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)


def test_total_variance_is_the_mean_squared_distance_to_the_mean(table):
    X, y, weight = table()
    centred = X - np.average(X, axis=0, weights=weight)
    expected = np.average((centred**2).sum(axis=1), weights=weight)
    for full in (True, False):
        assert np.isclose(total_variance(make_data(X, y, weight, full=full)), expected, rtol=1e-12)


@EVERY
def test_a_fit_in_the_order_of_the_table_is_a_stream_of_its_rows(learner, table):
    X, y, weight = table(n=300)
    order = np.argsort(y)
    problem = problem_of(learner, X[order], y[order], weight[order])
    in_order = clone(learner).set_params(order="stream")
    expected = run_epochs(in_order, problem).w
    np.testing.assert_array_equal(in_order.solve(problem, rng=np.random.default_rng(0)).coef, expected)
