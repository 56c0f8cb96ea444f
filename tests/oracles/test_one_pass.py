"""OPAUC, AdaOAM, OAM and Uni-Exp against the papers' algorithms."""

import numpy as np
import pytest
from oracles.one_pass import adaoam, oam, opauc, sketched_opauc, uniexp
from oracles.tables import EACH_FORM, EACH_TABLE, assert_close, drawn_table
from problems import make_problem, run_epochs
from scipy import sparse

from aucmax.losses import Exponential, Hinge
from aucmax.solvers import OAM, OPAUC, AdaOAM, UniExp

pytestmark = pytest.mark.thorough


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("eta", [0.01, 1e9])  # the bound on the step never matters, always does
def test_opauc(form, weighted, covariance, eta):
    X, y, weight = drawn_table(weighted)
    w = opauc(X, y, weight, eta, 0.05, diagonal=covariance == "diagonal")
    solver = OPAUC(covariance=covariance, eta=eta, order="stream")
    assert_close(run_epochs(solver, make_problem(form(X), y, weight, l2=0.05)).w, w)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize(("eta", "l2"), [(0.02, 0.01), (1e9, 0.0), (0.05, 5.0)])  # the last multiplies v out often
def test_sketched_opauc(form, weighted, eta, l2):
    X, y, weight = drawn_table(weighted, n=600, dim=12)
    solver = OPAUC(covariance="sketched", tau=5, eta=eta, order="stream")
    state = run_epochs(solver, make_problem(form(X), y, weight, l2=l2))
    words = np.random.Philox(key=state.seed).random_raw(4 * 600)
    signs = np.unpackbits(words.view(np.uint8).reshape(600, -1), axis=1, count=5)
    assert_close(state.w, sketched_opauc(X, y, weight, signs, eta, l2))


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("root", ["diagonal", "full"])
@pytest.mark.parametrize(("l2", "eta", "delta"), [(0.01, 0.05, 1e-5), (30.0, 2.0, 1e-3)])
def test_adaoam(form, weighted, covariance, root, l2, eta, delta):
    X, y, weight = drawn_table(weighted, n=100)
    settings = {"delta": delta, "root": root}
    w, projected = adaoam(X, y, weight, l2, eta, diagonal=covariance == "diagonal", **settings)
    assert projected > 5 if l2 > 1 else projected == 0
    problem = make_problem(form(X), y, weight, l2=l2)
    solver = AdaOAM(covariance=covariance, eta=eta, order="stream", **settings)
    assert_close(run_epochs(solver, problem).w, w)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("update", ["sequential", "gradient"])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("l2", [0.0, 3.0])
@pytest.mark.parametrize("negatives", [None, 3, 20])
def test_oam(form, weighted, update, normalize, l2, negatives):
    X, y, weight = drawn_table(weighted)
    sizes = {"buffer_size": 7, "negative_buffer_size": negatives}
    learner = OAM(update=update, normalize=normalize, C=0.02, eta=0.3, order="stream", **sizes)
    expected, rows = oam(X, y, weight, np.random.default_rng(0).random(150), l2, learner)
    state = run_epochs(learner, make_problem(form(X), y, weight, loss=Hinge(), l2=l2))
    assert_close(state.w, expected)
    kept = state.reservoirs.X
    np.testing.assert_array_equal(kept.toarray() if sparse.issparse(kept) else kept, rows)


@EACH_FORM
@EACH_TABLE
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("penalised", ["pair_loss", "row_loss"])
@pytest.mark.parametrize(("l2", "eta"), [(0.0, 0.1), (0.01, 0.5), (100.0, 1.0)])
def test_uniexp(form, weighted, centred, penalised, l2, eta):
    """The last setting makes the factor of w small many times."""
    X, y, weight = drawn_table(weighted, n=300)
    means = [np.average(X[y == k], axis=0, weights=weight[y == k]) for k in (1, -1)]
    w, b = uniexp(X, y, weight, l2, eta, np.mean(means, axis=0) * centred, penalised)
    solver = UniExp(eta=eta, centre=centred, penalised=penalised, order="stream")
    state = run_epochs(solver, make_problem(form(X), y, weight, loss=Exponential(), l2=l2))
    assert_close(state.w, w)
    assert_close(state.b, b)
