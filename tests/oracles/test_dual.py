"""SDCA and SPDAM against their equations."""

import numpy as np
import pytest
from oracles.dual import Equations, spdam, theorem_5_1
from oracles.tables import EACH_FORM, EACH_TABLE, assert_close, drawn_table, shuffled_runs
from problems import make_problem, run_epochs

from aucmax.penalties import ElasticNet
from aucmax.solvers import SDCA, SPDAM

pytestmark = pytest.mark.thorough

PENALTIES = {"l2": ElasticNet(0.0, 0.05), "elastic net": ElasticNet(0.02, 0.05)}


def systematic(frequency, visits, rng):
    """Row i its share of n visits, rounded up or down: all rows visited at all, then their further visits."""
    n = frequency.size
    ends = np.floor(np.cumsum(frequency) * (n / frequency.sum()) + rng.random()).astype(int)
    ends[-1] = n
    times = np.diff(ends, prepend=0)
    again = rng.permutation([i for i in range(n) for _ in range(times[i] - 1)])
    return np.concatenate([np.flatnonzero(times), again]).astype(int)[visits]


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("shape", [(150, 6), (30, 40)], ids=["more rows", "more columns"])
def test_sdca(form, weighted, shape):
    n, dim = shape
    X, y, weight = drawn_table(weighted, n, dim)
    problem = make_problem(form(X), y, weight, l2=0.05)
    equations = Equations(problem)
    rng = np.random.default_rng(0)
    visits = []
    for _ in range(4):
        visits.append(systematic(1 + equations.curvature(), shuffled_runs(n, rng), rng))
    theta, w = equations.ascend(np.concatenate(visits))
    state = run_epochs(SDCA(), problem, 4)
    assert_close(state.theta, theta)
    assert_close(state.w, w)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("steps", ["corrected", "printed"])
@pytest.mark.parametrize("size, rows", [(1, 1), (7, 7), (0.1, 15)])
def test_spdam(form, weighted, penalty, steps, size, rows):
    X, y, weight = drawn_table(weighted)
    problem = make_problem(form(X), y, weight, penalty)
    rng = np.random.default_rng(0)
    batches = [batch for _ in range(2) for batch in shuffled_runs(150, rng)[: 150 // rows * rows].reshape(-1, rows)]
    w, beta = spdam(problem, batches, *theorem_5_1(problem, rows, printed=steps == "printed"))
    state = run_epochs(SPDAM(batch_size=size, steps=steps), problem, 2)
    assert_close(state.w, w)
    assert_close(state.beta, beta)
