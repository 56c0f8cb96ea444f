"""Tables that break careless learners, for every solver: finite weights, and an AUC near that of the exact one."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifier
from aucmax.solvers import SOLVERS, Exact

ONLINE = [name for name in SOLVERS if SOLVERS[name].online]
FORMS = {"dense": np.asarray, "csr": sparse.csr_array}
NEAR = 0.03  # of AUC: one pass over 1000 rows


def plain(X):
    return X


def constant_column(X):
    X[:, 2] = 7.0
    return X


def rows_of_zeros(X):
    X[::3] = 0.0
    return X


def huge_column(X):
    X[:, 1] *= 1e12
    return X


TROUBLES = [constant_column, rows_of_zeros, huge_column]


def model_of(name, **settings):
    """A solver of that name, for a few epochs of its first loss."""
    solver = SOLVERS[name]()
    solver.set_params(max_epochs=min(solver.max_epochs, 30), tol=max(solver.tol, 0.1))
    return AUCClassifier(solver=solver, loss=solver.losses[0].name, random_state=0, **settings)


def check(model, X, y, **settings):
    """Finite, and nearly as good as the exact solution with the same columns."""
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    exact = AUCClassifier(**settings).fit(X, y)
    aucs = [roc_auc_score(y, fitted.decision_function(X)) for fitted in (model, exact)]
    assert aucs[0] >= aucs[1] - NEAR and aucs[1] > 0.6


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_fit_survives(table, name, trouble, standardize):
    X, y, _ = table(1000, rate=0.2)
    X = trouble(X)
    check(model_of(name, standardize=standardize).fit(X, y), X, y, standardize=standardize)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("name", ONLINE)
def test_a_stream_survives(table, name, trouble, standardize, form):
    X, y, _ = table(1000, rate=0.2)
    X = form(trouble(X))
    model = model_of(name, standardize=standardize)
    for batch in np.array_split(np.arange(1000), 5):
        model.partial_fit(X[batch], y[batch], classes=[-1.0, 1.0])
    check(model, X, y, standardize=standardize)


@pytest.mark.parametrize("first", [-1.0, 1.0])
@pytest.mark.parametrize("trouble", [plain, *TROUBLES])
@pytest.mark.parametrize("name", ONLINE)
def test_a_stream_survives_ten_thousand_rows_of_one_class(table, name, trouble, first):
    X, y, _ = table(13_000, rate=0.5)
    X, start = trouble(X), np.flatnonzero(y == first)
    start, rest = start[:5000], np.setdiff1d(np.arange(13_000), start[:5000])
    model = model_of(name)
    for batch in (start, start, *np.array_split(rest[:2000], 4)):
        model.partial_fit(X[batch], y[batch], classes=[-1.0, 1.0])
    check(model, X[rest], y[rest])


@pytest.mark.parametrize("name", ONLINE)
def test_a_stream_survives_batches_of_one_class_in_turn(table, name):
    X, y, _ = table(2000, rate=0.5)
    model = model_of(name)
    for k in range(10):
        batch = np.flatnonzero(y == (-1.0) ** k)[100 * (k // 2) : 100 * (k // 2 + 1)]
        model.partial_fit(X[batch], y[batch], classes=[-1.0, 1.0])
    check(model, X, y)


@pytest.mark.parametrize("name", ["oam", "opauc", "adaoam", "uniexp"])
@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_one_pass_learners_survive_a_column_far_from_zero(table, name, offset):
    X, y, _ = table(1000, rate=0.2)
    X[:, 1] += offset
    check(model_of(name).fit(X, y), X, y)


@pytest.mark.parametrize("name", SOLVERS)
def test_rows_that_do_not_differ_give_finite_weights(name):
    X, y = np.full((60, 3), 4.0), np.tile([-1.0, 1.0, -1.0], 20)
    model = model_of(name).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.ptp(model.decision_function(X)) == 0.0


def test_weights_that_are_not_finite_are_refused(table):
    """A column far from zero for its spread, not scaled, is beyond a stream that does not centre its rows."""
    X, y, _ = table(300)
    X[:, 3] = 1e12
    model = AUCClassifier(solver="spam", standardize=False, random_state=0)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"'spam' diverged.*standardize=True"):
        model.partial_fit(X, y)
    assert not hasattr(model, "coef_")


def test_a_fit_refuses_weights_that_are_not_finite(table):
    class NotFinite(Exact):
        def epoch(self, problem, state, rng):
            return type(state)(np.full_like(state.w, np.nan), 1.0)

    X, y, _ = table(300)
    model = AUCClassifier(solver=NotFinite())
    with pytest.raises(ValueError, match="solver 'NotFinite' diverged to non-finite weights"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_a_fit_shifts_columns_far_from_zero(table):
    X, y, _ = table(300)
    X[:, 3] = 0.0
    near = AUCClassifier(solver="spam", standardize=False, random_state=0).fit(X, y)
    X[:, 3] = 2.0**40
    far = AUCClassifier(solver="spam", standardize=False, random_state=0).fit(X, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-12)
