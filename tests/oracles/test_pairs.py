"""PairSVRG, MBA and RankOpt against their definitions on explicit pairs."""

import numpy as np
import pytest
from oracles.pairs import mba, pair_svrg, rankopt
from oracles.tables import EACH_FORM, EACH_TABLE, assert_close, drawn_table
from problems import make_problem, run_epochs

from aucmax.losses import Sigmoid
from aucmax.penalties import ElasticNet
from aucmax.solvers import MBA, PairSVRG, RankOpt

pytestmark = pytest.mark.thorough

PENALTIES = {"l2": ElasticNet(0.0, 0.1), "elastic net": ElasticNet(0.05, 0.1), "l1": ElasticNet(0.1, 0.0)}
EACH_PENALTY = pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)


@EACH_FORM
@EACH_TABLE
@EACH_PENALTY
def test_pair_svrg(form, weighted, penalty):
    X, y, weight = drawn_table(weighted)
    snapshots = pair_svrg(X, y, weight, penalty, 2.0, 3, np.random.default_rng(0))
    problem = make_problem(form(X), y, weight, penalty)
    values = [problem.objective(w) for w in snapshots]
    assert values == sorted(values, reverse=True)  # no snapshot is discarded
    state = run_epochs(PairSVRG(inner_length=2.0), problem, 3)
    assert_close(state.w, snapshots[-1])


@EACH_FORM
@EACH_TABLE
@EACH_PENALTY
def test_mba(form, weighted, penalty):
    X, y, weight = drawn_table(weighted)
    w = mba(X, y, weight, penalty, 50, 4, np.random.default_rng(0))
    assert_close(run_epochs(MBA(pairs=50), make_problem(form(X), y, weight, penalty), 4).w, w)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("radius", [2.0, 10.0])
def test_rankopt(form, weighted, radius):
    X, y, weight = drawn_table(weighted)
    w = rankopt(X, y, weight, radius, 2, np.random.default_rng(0))
    problem = make_problem(form(X), y, weight, loss=Sigmoid())
    assert_close(run_epochs(RankOpt(radius=radius), problem, 2).w, w)
