"""SOLAM and FSAUC against the papers' algorithms."""

import numpy as np
import pytest
from oracles.saddle import ScaledRows, fsauc, onto_l1, onto_l2, solam
from oracles.tables import EACH_FORM, EACH_TABLE, assert_close, drawn_table, in_batches, shuffled_runs
from problems import make_problem, run_epochs
from scipy import sparse

from aucmax.penalties import ElasticNet
from aucmax.problem import Moments
from aucmax.solvers import FSAUC, SOLAM

pytestmark = pytest.mark.thorough

PUBLISHED = {"capped": False, "prior": "running", "tilt": 0.0, "centre": False, "row_scaling": False}


def steps(n, size, epochs, seed=0):
    """The batches of several epochs."""
    rng = np.random.default_rng(seed)
    return [batch for _ in range(epochs) for batch in in_batches(shuffled_runs(n, rng), size)]


def compare(solver, form, weighted, penalty, size=1, epochs=3):
    """Some epochs of SOLAM beside the transcription."""
    X, y, weight = drawn_table(weighted)
    problem = make_problem(form(X), y, weight, penalty)
    table = ScaledRows(X, y, weight, solver.centre, solver.row_scaling)
    ball = solver.form != "regularised"
    l2 = 0.0 if ball else penalty.l2 / table.unit**2
    settings = {
        "l1": 0.0 if ball else penalty.l1 / table.unit,
        "l2": l2,
        "tilt": solver.tilt,
        "cap": 1 / (table.curvature(size) + l2) if solver.capped else np.inf,
        "running": solver.prior == "running",
    }
    radius = solver.radius if ball else min(0.5 / np.sqrt(penalty.l2), 0.25 / (penalty.l1 or 1e-300))
    if solver.radius == "printed":
        radius = np.sqrt(2.0 / (2.0 * table.p * (1.0 - table.p) * penalty.l2))  # sqrt(2 / lambda)
    project = onto_l1 if solver.form == "l1_ball" else onto_l2
    w, last, (a, b, al) = solam(
        table, steps(150, size, epochs), solver.zeta, project, radius * table.unit, **settings
    )
    state = run_epochs(solver, problem, epochs)
    assert state.saddle.t == len(steps(150, size, epochs))
    assert_close(state.w * table.unit, w)
    assert_close(state.last * table.unit, last)
    shift = state.last @ table.centre
    assert_close(state.saddle[2:], np.array([a + shift, b + shift, al]))


# with the larger alpha s falls below SMALL
@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize(("centre", "l2"), [(False, 0.1), (True, 0.1), (True, 200.0)])
@pytest.mark.parametrize("prior", ["data", "running"])
def test_regularised_solam(form, weighted, centre, l2, prior):
    compare(SOLAM(zeta=0.01, centre=centre, tilt=0.0, prior=prior), form, weighted, ElasticNet(0.0, l2))


# always, sometimes and never at the border
@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("radius", [0.01, 0.3, 30.0])
def test_solam_in_an_l2_ball(form, weighted, radius):
    compare(SOLAM(form="l2_ball", radius=radius, zeta=0.03), form, weighted, ElasticNet(0.0, 0.1))


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize(("radius", "size"), [(0.01, 7), (0.5, 1)])
def test_solam_in_an_l1_ball(form, weighted, radius, size):
    solver = SOLAM(form="l1_ball", radius=radius, zeta=0.03, batch_size=size)
    compare(solver, form, weighted, ElasticNet(0.0, 0.1), size)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("size", [1, 7])
def test_solam_with_an_elastic_net(form, weighted, size):
    compare(SOLAM(zeta=0.03, batch_size=size), form, weighted, ElasticNet(0.1, 0.1), size)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("capped", [True, False])
def test_solam_with_steps_beyond_the_cap(form, weighted, capped):
    compare(SOLAM(zeta=3.0, capped=capped), form, weighted, ElasticNet(0.0, 0.1))


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("zeta", [0.1, 2.0])
@pytest.mark.parametrize("kind", ["regularised", "l2_ball", "l1_ball"])
def test_solam_as_published(form, weighted, zeta, kind):
    """The running share of positives, steps without the cap, the average of the paper, and rows as they are."""
    size = 5 if kind == "l1_ball" else 1
    radius = None if kind == "regularised" else 0.4
    solver = SOLAM(form=kind, zeta=zeta, radius=radius, batch_size=size, **PUBLISHED)
    compare(solver, form, weighted, ElasticNet(0.0, 0.1), size, epochs=2)


@EACH_FORM
@EACH_TABLE
def test_regularised_solam_with_the_printed_radius(form, weighted):
    """Steps so long, with a penalty so strong, that the larger ball makes a difference."""
    solver = SOLAM(zeta=2.0, radius="printed", **PUBLISHED)
    compare(solver, form, weighted, ElasticNet(0.0, 0.5), epochs=2)
    X, y, weight = drawn_table(weighted)
    problem = make_problem(form(X), y, weight, ElasticNet(0.0, 0.5))
    smaller = SOLAM(zeta=2.0, **PUBLISHED)
    assert np.abs(run_epochs(solver, problem).w - run_epochs(smaller, problem).w).max() > 1e-3


KINDS_OF_STATISTICS = {
    "data": {"running": False},
    "running": {"running": True},
    "stage": {"running": True, "restarted": True},
}
EACH_STATISTICS = pytest.mark.parametrize("statistics", KINDS_OF_STATISTICS)


def compare_fsauc(form, weighted, size, eta, statistics, row_scaling=True):
    """A pass of FSAUC beside the transcription."""
    X, y, weight = drawn_table(weighted, n=300)
    table = ScaledRows(X, y, weight, True, row_scaling)
    order = shuffled_runs(300, np.random.default_rng(0))
    w, _ = fsauc(table, order, size, 0.3 * table.unit, eta=eta, **KINDS_OF_STATISTICS[statistics])
    solver = FSAUC(radius=0.3, eta=eta, batch_size=size, statistics=statistics, row_scaling=row_scaling)
    assert_close(run_epochs(solver, make_problem(form(X), y, weight)).w * table.unit, w)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("size", [1, 5])
@EACH_STATISTICS
@pytest.mark.parametrize("row_scaling", [True, False])
def test_fsauc(form, weighted, size, statistics, row_scaling):
    compare_fsauc(form, weighted, size, 0.02, statistics, row_scaling)


@EACH_STATISTICS
def test_fsauc_at_the_balls_around_the_starts(statistics):
    """Steps so long that iterates meet them dozens of times; their exact projection makes the transcription slow."""
    compare_fsauc(sparse.csr_array, True, 1, 20.0, statistics)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("rate", [0.1, 0.4])  # xi is not positive, positive
@pytest.mark.parametrize("delta", [0.1, 0.5])
@EACH_STATISTICS
def test_fsauc_with_the_schedule_of_the_theorem(form, weighted, rate, delta, statistics):
    X, y, weight = drawn_table(weighted, n=400, rate=rate)
    table = ScaledRows(X, y, weight, True)
    order = shuffled_runs(400, np.random.default_rng(0))
    w, steps = fsauc(table, order, 10, 0.3 * table.unit, delta=delta, **KINDS_OF_STATISTICS[statistics])
    assert (steps[1] > steps[0]) == (rate == 0.4)
    solver = FSAUC(radius=0.3, schedule="theorem", batch_size=10, delta=delta, statistics=statistics)
    assert_close(run_epochs(solver, make_problem(form(X), y, weight)).w * table.unit, w)


@EACH_FORM
@EACH_TABLE
def test_fsauc_as_published_in_a_stream(form, weighted):
    """One pass over rows that come in batches; their number and the longest row are known, as in the paper."""
    X, y, weight = drawn_table(weighted, n=300)
    longest = np.argmax((X**2).sum(axis=1))
    X[[0, longest]], y[[0, longest]], weight[[0, longest]] = X[[longest, 0]], y[[longest, 0]], weight[[longest, 0]]
    seen = Moments.of(X, y, weight, full=False)
    solver = FSAUC(radius=0.3, eta=0.05, batch_size=1, centre=False, statistics="running", horizon=300)
    rng = np.random.default_rng(0)
    same = np.random.default_rng(0)
    order = []
    state = None
    for start, stop in ((0, 7), (7, 8), (8, 130), (130, 300)):
        part = slice(start, stop)
        problem = make_problem(form(X[part]), y[part], weight[part], seen=seen)
        state = solver.init(problem, np.zeros(6)) if state is None else state
        state = solver.epoch(problem, state, rng)
        order.append(start + shuffled_runs(stop - start, same))
    table = ScaledRows(X, y, weight, False)
    w, _ = fsauc(table, np.concatenate(order), 1, 0.3 * table.unit, eta=0.05, running=True)
    assert_close(state.w * table.unit, w)
