"""Descent on AUM: steps, penalty, normalization and intercept against brute force and linear programming."""

from time import sleep

import aum_oracle
import numpy as np
import pytest
from aum_problems import random_problem
from scipy import sparse
from scipy.optimize import linprog
from sklearn.metrics import roc_auc_score

from aucmax.aum import Descent, ErrorFunctions, aum, best_intercept, descend
from aucmax.aum.descent import run_descent
from aucmax.aum.step import GRID, AUMData
from aucmax.aum.value import aum_subgradient
from aucmax.problem import Record


def noisy(n=120, dim=4, seed=0):
    """A table that no weights separate, and its labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    return X, np.where(X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=n) > 0.3, 1.0, -1.0)


def errors_of(_, y, weight=None):
    return ErrorFunctions.from_labels(y, weight)


LINE_SEARCHES = ("first_min", "linear", "all", "grid")


def one_step(seed, **settings):
    """The size of one step, and the rows of rational arithmetic along its line."""
    X, y = noisy(8, 2, seed)
    train = AUMData(errors_of(X, y), X)
    descent = Descent(normalization="none", **settings)
    start = descent.start(train, np.array([1.0, 0.5]))
    d = -train.combine(aum_subgradient(train.errors, start.pred)) / train.unit
    after = descent.step(train, start)
    e = train.errors
    exact = aum_oracle.exact_lines(e.example, e.v, e.fp, e.fn, start.pred, train.scores(d))
    return 0.0 if after is None else after.step, exact, aum_oracle.table(exact)


SEEDS = [seed for seed in range(60) if len(set(noisy(8, 2, seed)[1])) == 2]


@pytest.mark.parametrize("line_search", LINE_SEARCHES)
def test_a_step_is_the_lowest_of_its_rows_in_rational_arithmetic(line_search):
    for seed in SEEDS[:20]:
        step, exact, rows = one_step(seed, line_search=line_search)
        count = len(exact) if line_search == "linear" else len(rows)
        values = [aum_oracle.at(exact, aum_oracle.Fraction(s))[0] for s in GRID]
        lowest = min(values) if line_search == "grid" else min(row[1] for row in rows[:count])
        assert float(aum_oracle.at(exact, aum_oracle.Fraction(step))[0]) == pytest.approx(float(lowest), abs=1e-12)


def linear_program(X, y):
    """min over w, c of sum (c + x.w)+ over negatives + (-c - x.w)+ over positives, with w.delta = 1: least AUM."""
    n, dim = X.shape
    delta = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    cost = np.concatenate([np.zeros(dim + 1), np.ones(n)])
    rows = np.hstack([-y[:, None] * X, -y[:, None], -np.eye(n)])
    bounds = [(None, None)] * (dim + 1) + [(0, None)] * n
    equal = np.concatenate([delta, np.zeros(n + 1)])[None, :]
    return linprog(cost, A_ub=rows, b_ub=np.zeros(n), A_eq=equal, b_eq=[1.0], bounds=bounds).fun


@pytest.mark.parametrize("line_search", LINE_SEARCHES)
def test_descent_approaches_the_optimum_of_the_linear_program(line_search):
    X, y = noisy()
    found = descend(errors_of(X, y), X, np.ones(4), settings=Descent(line_search=line_search, max_epochs=300))
    best = linear_program(X, y)
    best /= min((y > 0).sum(), (y < 0).sum())
    assert best * (1 - 1e-9) <= found.trace["aum"].min() <= 1.02 * best


def test_objective_falls_at_every_step():
    X, y = noisy()
    for line_search in LINE_SEARCHES:
        for l2 in (0.0, 0.1):
            settings = Descent(l2=l2, line_search=line_search, tol=0.0)
            objective = descend(errors_of(X, y), X, np.ones(4), settings=settings).trace["objective"]
            assert (np.diff(objective) < 0).all()


def test_weights_shrink_on_labels_without_normalization():
    X, y = noisy()
    found = descend(errors_of(X, y), X, np.ones(4), settings=Descent(normalization="none", tol=0.0))
    assert np.linalg.norm(found.coef) < 1e-3


def test_columns_without_a_difference_of_means_have_no_normalization():
    X = np.array([[1.0], [-1.0], [1.0], [-1.0], [0.5], [-0.5]])
    found = descend(errors_of(X, [0, 0, 1, 1, 1, 1]), X, np.ones(1))
    assert 0.0 <= found.coef[0] < 1e-3


def test_the_mean_difference_is_one_after_descent():
    X, y = noisy()
    delta = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    for l2 in (0.0, 0.1):
        found = descend(errors_of(X, y), X, np.ones(4), settings=Descent(l2=l2))
        assert found.coef @ delta == pytest.approx(1.0, abs=1e-12)


def test_a_strong_penalty_gives_the_shortest_normalized_weights():
    X, y = noisy()
    delta = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    found = descend(errors_of(X, y), X, np.ones(4), settings=Descent(l2=1e4))
    np.testing.assert_allclose(found.coef, delta / (delta @ delta), atol=1e-3)


def test_a_step_from_ties_never_raises_aum():
    """At w = 0 all changepoint predictions are tied, and minus the mean derivative may be an ascent direction."""
    moved = 0
    for seed in range(2, 400, 4):
        problem = random_problem(seed)
        X = np.random.default_rng(seed).integers(-2, 3, size=(problem.pred.size, 2)).astype(float)
        train, descent = AUMData(problem.errors, X), Descent(normalization="none")
        if train.is_homogeneous:
            continue
        start = descent.start(train, np.zeros(2))
        after = descent.step(train, start)
        moved += after is not None
        assert after is None or after.aum.value <= start.aum.value + 1e-12
    assert moved > 20


def test_a_step_moves_along_the_gradient_of_finite_differences():
    X, y = noisy()
    errors, w = errors_of(X, y), np.array([1.0, 0.5, -0.2, 0.1])
    train = AUMData(errors, X)
    for line_search in LINE_SEARCHES:
        descent = Descent(line_search=line_search, normalization="none")
        after = descent.step(train, descent.start(train, w))
        slope = [(aum(errors, X @ (w + 1e-7 * u)).value - aum(errors, X @ w).value) / 1e-7 for u in np.eye(4)]
        gradient = np.array(slope) / min((y > 0).sum(), (y < 0).sum())
        np.testing.assert_allclose((w - after.w) / after.step, gradient, atol=1e-6)


def test_the_trace_has_both_auc_and_the_best_step_is_kept():
    X, y = noisy(200)
    validation = (errors_of(X[100:], y[100:]), X[100:])
    found = descend(errors_of(X[:100], y[:100]), X[:100], np.ones(4), validation)
    aucs = found.trace["validation_auc"]
    assert found.best_epoch == np.argmax(aucs)
    assert aucs[found.best_epoch] == pytest.approx(roc_auc_score(y[100:], X[100:] @ found.coef), rel=1e-12)
    assert found.trace["auc"][0] == pytest.approx(roc_auc_score(y[:100], X[:100] @ np.ones(4)), rel=1e-12)


def test_csr_and_scaled_columns_give_the_same_descent():
    X, y = noisy()
    X[np.abs(X) < 0.5] = 0.0
    scale, errors = np.array([1.0, 2.0, 0.5, 4.0]), errors_of(X, y)
    plain = descend(errors, X / scale, np.ones(4), settings=Descent(max_epochs=5))
    for rows in (X, sparse.csr_array(X)):
        scaled = run_descent(Descent(max_epochs=5), AUMData(errors, rows, scale), np.ones(4))
        np.testing.assert_allclose(scaled.coef, plain.coef, rtol=1e-9)


def test_a_weight_of_two_is_two_copies():
    X, y = noisy()
    times = np.random.default_rng(1).integers(1, 4, size=y.size)
    weighted = descend(errors_of(X, y, times), X, np.ones(4), settings=Descent(max_epochs=5))
    copied = descend(
        errors_of(X, np.repeat(y, times)), np.repeat(X, times, axis=0), np.ones(4), settings=Descent(max_epochs=5)
    )
    np.testing.assert_allclose(weighted.coef, copied.coef, rtol=1e-7)


def test_aum_subgradient_is_a_subgradient_where_predictions_are_tied():
    rng = np.random.default_rng(0)
    for _ in range(20):
        errors = ErrorFunctions.from_labels(rng.permutation(np.arange(12) % 3 == 0), rng.integers(1, 4, size=12))
        pred = rng.integers(-1, 2, size=12).astype(float)
        here, gradient = aum(errors, pred).value, aum_subgradient(errors, pred)
        for other in pred + rng.normal(size=(30, 12)):
            assert aum(errors, other).value >= here + gradient @ (other - pred) - 1e-12


def test_aum_subgradient_is_the_gradient_without_ties():
    for problem in map(random_problem, range(2, 100)):
        pred = problem.pred + np.random.default_rng(0).normal(size=problem.pred.size)
        np.testing.assert_allclose(aum_subgradient(problem.errors, pred), aum(problem.errors, pred).left, atol=1e-12)


def test_changepoint_errors_are_learned_from_zero():
    """Three breakpoints per example, whose values depend on a feature; predictions need the right scale."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    v = (2.0 * x[:, None] + np.array([-1.0, 0.0, 1.0])).ravel()
    fp, fn = np.tile([0.0, 0.0, 1.0], 80), np.tile([-1.0, 0.0, 0.0], 80)
    errors = ErrorFunctions(np.repeat(np.arange(80), 3), v, fp, fn)
    found = descend(errors, x[:, None], np.zeros(1))
    assert found.trace["aum"][-1] == 0.0
    assert abs(found.coef[0] - 2.0) < 1.0


def test_a_run_stops_by_each_of_its_criteria():
    X, y = noisy()
    start = (errors_of(X, y), X, np.array([1.0, -0.5, 0.3, 0.1]))
    assert descend(*start, settings=Descent(max_epochs=2)).converged is False
    assert descend(*start, settings=Descent(max_epochs=2)).n_epochs == 2
    assert descend(*start, settings=Descent(tol=0.9)).n_epochs == 1
    none = descend(*start, settings=Descent(max_epochs=0))
    assert none.n_epochs == 0 and (none.coef == none.start).all()
    stopped = descend(*start, callback=lambda record: record.epoch == 1)
    assert (stopped.n_epochs, stopped.converged) == (1, False)
    separable = descend(errors_of(X, np.where(X[:, 0] > 0, 1, -1)), X, np.array([1.0, 0.0, 0.0, 0.0]))
    assert (separable.n_epochs, separable.converged) == (0, True)


def test_the_clock_does_not_count_callbacks():
    X, y = noisy()
    pause = 0.05
    found = descend(errors_of(X, y), X, np.ones(4), settings=Descent(max_epochs=5), callback=lambda _: sleep(pause))
    assert found.trace["seconds"][-1] < pause * found.n_epochs


def test_records_count_epochs_and_passes_like_those_of_solvers():
    X, y = noisy()
    trace = descend(errors_of(X, y), X, np.ones(4), settings=Descent(max_epochs=3)).trace
    assert all(isinstance(record, Record) for record in trace.records)
    assert trace["epoch"].tolist() == [0, 1, 2, 3] and trace["passes"].tolist() == [1.0, 3.0, 5.0, 7.0]


def brute_intercept_errors(errors, pred):
    thresholds = np.unique(errors.v - pred[errors.example])
    constants = np.concatenate(
        [[thresholds[0] - 1.0], 0.5 * (thresholds[1:] + thresholds[:-1]), [thresholds[-1] + 1.0]]
    )
    return min(errors_at(errors, pred, constant) for constant in constants)


def errors_at(errors, pred, constant):
    passed = pred[errors.example] + constant > errors.v
    return errors.fp[passed].sum() - errors.fn[~passed].sum()


def test_the_intercept_has_the_fewest_errors_of_all_constants():
    for problem in map(random_problem, range(200)):
        constant = best_intercept(problem.errors, problem.pred)
        best = brute_intercept_errors(problem.errors, problem.pred)
        assert errors_at(problem.errors, problem.pred, constant) == pytest.approx(best, abs=1e-12)


LABELS = errors_of(None, [0, 1, 1])
ROWS = np.eye(3)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Descent(line_search="golden"), "line_search='golden'; give one of"),
        (lambda: Descent(line_search=1), "line_search=1; give one of"),
        (lambda: Descent(normalization="wide"), "normalization='wide'; give one of"),
        (lambda: Descent(max_epochs=-1), "max_epochs=-1; give"),
        (lambda: Descent(max_epochs=2.5), "max_epochs=2.5; give an integer of 0 or more"),
        (lambda: Descent(l2="a"), "l2='a'; give a finite number of 0 or more"),
        (lambda: Descent(tol=None), "tol=None; give a finite number of 0 or more"),
        (lambda: Descent(tol=True), "tol=True; give a finite number of 0 or more"),
        (lambda: Descent(l2=-1.0), "l2=-1.0; give a finite number of 0 or more"),
        (lambda: Descent(tol=np.nan), "tol=nan; give"),
        (lambda: descend(LABELS, ROWS, np.zeros(3)), "start from other weights"),
        (lambda: descend(LABELS, ROWS, [0.0, 1.0, -1.0]), "set normalization='none'"),
        (lambda: descend(LABELS, ROWS, np.ones(2)), "pass 3 finite numbers"),
        (lambda: descend(LABELS, ROWS, [1.0, np.nan, 0.0]), "pass 3 finite numbers"),
        (lambda: descend(LABELS, ROWS[:2], np.ones(3)), "one row of features for each example"),
        (lambda: descend(LABELS, ROWS, np.ones(3), (LABELS, ROWS[:, :1])), "validation X has 1 columns but X has 3"),
        (lambda: descend(LABELS, ROWS, np.ones(3), (LABELS, np.eye(3, 4))), "validation X has 4 columns but X has 3"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()
