"""SOLAM: the steps against the paper's, the saddle against all pairs, the answers against exact minimisers."""

import os

import numpy as np
import pytest
from problems import FORMS, a9a, auc, make_problem, minimum_in_ball, resumed_and_not, run_epochs, shifted_table

from aucmax.penalties import ElasticNet
from aucmax.problem.data import Data
from aucmax.problem.moments import Moments
from aucmax.problem.objective import Problem
from aucmax.solvers.exact import Exact
from aucmax.solvers.shared.saddle_function import RowScaling, in_ball, slopes
from aucmax.solvers.shared.visiting_order import shuffled_blocks
from aucmax.solvers.solam import SOLAM

OBJECTIVES = ["regularised", "l2_ball", "l1_ball"]


def make(X, y, weight=None, alpha=0.1, l1_ratio=0.0, **options):
    return make_problem(X, y, weight, ElasticNet.of(alpha, l1_ratio), **options)


def published(rows, y, weight, steps, zeta, lam, l1, project, radius, tilt):
    """The papers' steps (docs/mathematics.md, section 8), in their scale; a step is a batch of rows."""
    p = weight[y > 0].sum() / weight.sum()
    s = weight / weight.mean()
    kappa = np.sqrt((rows**2).sum(axis=1).max())
    w = np.zeros(rows.shape[1])
    a = 0.0
    b = 0.0
    al = 0.0
    total = np.zeros_like(w)
    shares = 0.0
    for t, batch in enumerate(steps, start=1):
        gamma = zeta / (2 * p * (1 - p)) / np.sqrt(t)
        dw = lam * w
        da = 0.0
        db = 0.0
        dal = -2 * p * (1 - p) * al
        for i in batch:
            x = rows[i]
            share = s[i] / len(batch)
            if y[i] > 0:
                dw = dw + share * 2 * (1 - p) * ((w @ x - a) - (1 + al)) * x
                da -= share * 2 * (1 - p) * (w @ x - a)
                dal -= share * 2 * (1 - p) * (w @ x)
            else:
                dw = dw + share * 2 * p * ((w @ x - b) + (1 + al)) * x
                db -= share * 2 * p * (w @ x - b)
                dal += share * 2 * p * (w @ x)
        total = total + gamma * t**tilt * w
        shares = shares + gamma * t**tilt
        w = w - gamma * dw
        w = project(np.sign(w) * np.maximum(np.abs(w) - gamma * 2 * p * (1 - p) * l1, 0.0), radius)
        a, b = np.clip([a - gamma * da, b - gamma * db], -radius * kappa, radius * kappa)
        al = np.clip(al + gamma * dal, -2 * radius * kappa, 2 * radius * kappa)
    return total / shares, w, (a, b, al)


def onto_l2(w, radius):
    return w / max(1.0, np.linalg.norm(w) / radius)


def onto_l1(w, radius):
    """By bisection on the threshold, unlike the solver."""
    if np.abs(w).sum() <= radius:
        return w
    low, high = 0.0, np.abs(w).max()
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if np.maximum(np.abs(w) - middle, 0).sum() < radius else (middle, high)
    return np.sign(w) * np.maximum(np.abs(w) - high, 0.0)


def compare_with_published(solver, problem, size, tolerance=1e-10):
    """1200 steps of the solver, dense and CSR, beside the reference on explicitly moved and divided rows."""
    X, y, weight = problem.data.X, problem.data.y, problem.data.weight
    m_pos = np.average(X[y > 0], axis=0, weights=weight[y > 0])
    m_neg = np.average(X[y < 0], axis=0, weights=weight[y < 0])
    centred = X - 0.5 * (m_pos + m_neg) * solver.centre
    squares = (centred**2).sum(axis=1)
    unit = np.sqrt(sum(np.average(squares[y == c], weights=weight[y == c]) for c in (1, -1)) / 2)
    p = weight[y > 0].sum() / weight.sum()

    rng = np.random.default_rng(3)
    order = [shuffled_blocks(y.size, rng) for _ in range(3 * size)]
    count = -(-y.size // size)
    steps = [o[k * y.size // count : (k + 1) * y.size // count] for o in order for k in range(count)]
    adapted = solver.adapt(problem).penalty
    penalty = problem.penalty
    regularised = solver.form == "regularised"
    w, last, (a, b, al) = published(
        centred / unit,
        y,
        weight,
        steps,
        solver.zeta,
        lam=2 * p * (1 - p) * penalty.l2 / unit**2 * regularised,
        l1=penalty.l1 / unit * regularised,
        project=onto_l1 if solver.form == "l1_ball" else onto_l2,
        radius=unit * (0.5 / np.sqrt(penalty.l2) if regularised else adapted.radius),
        tilt=solver.tilt,
    )
    for form in FORMS.values():
        data = Data(form(X), y, weight, problem.data.raw_moments, problem.data.scale)
        same = Problem(data, problem.loss, adapted)
        state = solver.init(same, np.zeros(data.dim))
        rng = np.random.default_rng(3)
        for _ in range(3 * size):
            state = solver.epoch(same, state, rng)
        assert state.saddle.t == len(steps) >= 1000
        np.testing.assert_allclose(state.w * unit, w, atol=tolerance)
        np.testing.assert_allclose(state.last * unit, last, atol=tolerance)
        shift = state.last @ (0.5 * (m_pos + m_neg)) * solver.centre
        np.testing.assert_allclose(state.saddle[2:], (a + shift, b + shift, al), atol=tolerance)


# with the larger alpha s falls below SMALL
@pytest.mark.parametrize(
    ("weighted", "centre", "alpha"),
    [(False, False, 0.1), (True, True, 0.1), (True, False, 200.0), (False, True, 200.0)],
)
def test_regularised_steps_are_the_published_ones(weighted, centre, alpha):
    X, y, weight = shifted_table()
    solver = SOLAM(zeta=0.01, centre=centre, tilt=0.0)
    compare_with_published(solver, make(X, y, weight if weighted else None, alpha), size=1)


# always, sometimes and never at the border
@pytest.mark.parametrize(("weighted", "radius"), [(False, 0.01), (True, 0.01), (True, 0.3), (False, 30.0)])
def test_l2_ball_steps_are_the_published_ones(weighted, radius):
    X, y, weight = shifted_table()
    solver = SOLAM(form="l2_ball", radius=radius, zeta=0.03)
    compare_with_published(solver, make(X, y, weight if weighted else None), size=1)


@pytest.mark.parametrize(("radius", "size"), [(0.01, 7), (0.5, 1)])
def test_l1_ball_steps_are_the_published_ones(radius, size):
    solver = SOLAM(form="l1_ball", radius=radius, zeta=0.03, batch_size=size)
    compare_with_published(solver, make(*shifted_table()), size)


@pytest.mark.parametrize("size", [1, 7])
def test_elastic_net_steps_are_proximal(size):
    solver = SOLAM(zeta=0.03, batch_size=size)
    problem = make(*shifted_table(), alpha=0.2, l1_ratio=0.5)
    compare_with_published(solver, problem, size)


def test_saddle_value_is_the_pair_loss():
    X, y, weight = shifted_table(n=60)
    scaling = RowScaling.of(make(X, y, weight).data, centred=True)
    rows = (X - scaling.centre) / scaling.unit
    w = np.random.default_rng(1).normal(size=X.shape[1])
    pos, neg = y > 0, y < 0
    p = weight[pos].sum() / weight.sum()
    s = weight / weight.mean()
    q = rows @ w

    def mean_F(a, b, al):
        """The papers' saddle function, in their scale."""
        F = np.where(pos, (1 - p) * (q - a) ** 2, p * (q - b) ** 2) + 2 * (1 + al) * np.where(
            neg, p * q, -(1 - p) * q
        )
        return np.mean(s * F) - p * (1 - p) * al**2

    def gradient(a, b, al):
        """Mean of the slopes that the solver uses, in the scale of the library."""
        return np.mean([slopes(y[i], scaling.e[i], 1.0, q[i], a, b, al)[1:] for i in range(y.size)], axis=0)

    a, b = np.average(q[pos], weights=weight[pos]), np.average(q[neg], weights=weight[neg])
    pairs = np.outer(weight[pos], weight[neg])
    square = np.average((1 - q[pos][:, None] + q[neg][None, :]) ** 2, weights=pairs)
    value = mean_F(a, b, b - a)
    assert value == pytest.approx(p * (1 - p) * (square - 1), abs=1e-12)
    np.testing.assert_allclose(gradient(a, b, b - a), 0.0, atol=1e-12)
    for step in (-0.1, 0.1):
        assert mean_F(a + step, b, b - a) > value
        assert mean_F(a, b + step, b - a) > value
        assert mean_F(a, b, b - a + step) < value
    h = 1e-6
    at = np.array([0.3, -0.2, 0.5])
    differences = [(mean_F(*(at + h * d)) - mean_F(*(at - h * d))) / (2 * h) for d in np.eye(3)]
    np.testing.assert_allclose(gradient(*at), np.array(differences) / (2 * p * (1 - p)), atol=1e-8)


def optimum(problem, form):
    if form == "regularised":
        return Exact().solve(problem).objective
    adapted = in_ball(problem, None, 2 if form == "l2_ball" else 1)
    return adapted.objective(minimum_in_ball(adapted, onto_l2 if form == "l2_ball" else onto_l1))


@pytest.mark.parametrize("form", OBJECTIVES)
@pytest.mark.parametrize("weighted", [False, True])
def test_approaches_the_minimum_of_its_problem(form, weighted):
    X, y, weight = shifted_table(n=2000, dim=10)
    problem = make(X, y, weight if weighted else None, full=True)
    lowest = optimum(problem, form)
    solver = SOLAM(form=form, max_epochs=64, tol=0.0)
    trace = solver.solve(problem, rng=np.random.default_rng(0)).trace
    excess = trace["objective"] - lowest
    assert (excess >= -1e-12).all()
    assert (trace["gap"] >= excess - 1e-12).all()
    assert excess[-1] < 2e-3 * lowest
    # the theorem promises 1/sqrt(t); the tilted average does better
    slope = np.polyfit(np.log(trace["epoch"]), np.log(excess), 1)[0]
    assert slope < -0.5


@pytest.mark.parametrize("l1_ratio", [0.3, 1.0])
def test_approaches_the_elastic_net(l1_ratio):
    problem = make(*shifted_table(n=2000, dim=10), alpha=0.05, l1_ratio=l1_ratio, full=True)
    lowest = Exact().solve(problem).objective
    found = SOLAM(max_epochs=50, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert lowest - 1e-12 <= found.objective < 1.003 * lowest


@pytest.mark.parametrize("form", OBJECTIVES)
def test_published_average_converges_too(form):
    problem = make(*shifted_table(n=2000, dim=10), full=True)
    found = SOLAM(form=form, tilt=0.0, max_epochs=50, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert found.objective < 1.02 * optimum(problem, form)


@pytest.mark.parametrize("form", OBJECTIVES)
def test_dense_equals_csr(form):
    X, y, weight = shifted_table()
    solver = SOLAM(form=form, batch_size=3)
    dense, csr = (run_epochs(solver, make(kind(X), y, weight), 3) for kind in FORMS.values())
    np.testing.assert_allclose(dense.w, csr.w, atol=1e-12)
    np.testing.assert_allclose(dense.last, csr.last, atol=1e-12)


def test_single_precision_rows():
    X, y, _ = shifted_table()
    X = X.astype(np.float32)
    double, single = (run_epochs(SOLAM(), make(rows, y), 3).w for rows in (X.astype(float), X))
    np.testing.assert_allclose(single, double, rtol=1e-4)


@pytest.mark.parametrize("form", OBJECTIVES)
def test_same_seed_same_answer(form):
    problem = make(*shifted_table())
    first, second, other = (run_epochs(SOLAM(form=form), problem, 2, seed).w for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, second)
    assert (first != other).any()


@pytest.mark.parametrize("form", OBJECTIVES)
def test_resumes_from_a_pickled_state(form):
    resumed, state = resumed_and_not(SOLAM(form=form), make(*shifted_table()))
    np.testing.assert_array_equal(resumed.w, state.w)
    assert resumed.saddle == state.saddle
    assert resumed.passes == 4


@pytest.mark.parametrize("form", OBJECTIVES)
def test_one_percent_positives(form):
    X, y, _ = shifted_table(n=4000, dim=6, rate=0.01)
    problem = make(X, y, full=True)
    best = Exact().solve(problem)
    found = SOLAM(form=form, max_epochs=30, tol=0.0).solve(problem, rng=np.random.default_rng(0))
    assert auc(problem.data, found.coef) > auc(problem.data, best.coef) - 0.01


def test_stream_of_small_batches_finds_the_optimum():
    X, y, weight = shifted_table(n=6000, dim=6)
    whole = make(X, y, weight, full=True)
    solver = SOLAM()
    rng = np.random.default_rng(0)
    seen = None
    state = None
    for start in range(0, y.size, 50):
        part = slice(start, start + 50)
        batch = Moments.of(X[part], y[part], weight[part], full=False)
        seen = batch if seen is None else seen + batch
        problem = Problem(Data(X[part], y[part], weight[part], seen, np.ones(6)), whole.loss, whole.penalty)
        state = solver.init(problem, np.zeros(6)) if state is None else state
        state = solver.epoch(problem, state, rng)
    assert state.saddle.t == y.size
    # measured 0.3 %: the class means were still moving while the first rows passed
    assert whole.objective(state.w) < 1.02 * Exact().solve(whole).objective


def test_continues_where_the_scale_has_changed():
    X, y, _ = shifted_table()
    ratio = np.linspace(0.5, 2.0, X.shape[1])
    state = run_epochs(SOLAM(), make(X, y), 2)
    solver = SOLAM()
    after = make(X / ratio, y)
    later = solver.epoch(after, solver.rescaled(state, ratio), np.random.default_rng(0))
    assert later.saddle.t == state.saddle.t + y.size
    assert after.objective(later.w) < 1.1 * Exact().solve(make(X / ratio, y, full=True)).objective


@pytest.mark.parametrize("form", OBJECTIVES)
def test_starts_from_given_weights(form):
    problem = make(*shifted_table())
    best = Exact().solve(make(*shifted_table(), full=True)).coef
    solver = SOLAM(form=form)
    state = solver.init(solver.adapt(problem), best)
    assert state.saddle.al == pytest.approx(-state.w @ problem.data.delta)
    found = SOLAM(form=form, max_epochs=1, tol=0.0).solve(problem, w=best, rng=np.random.default_rng(0))
    assert found.objective < 1.1 * problem.objective(best)


@pytest.mark.parametrize("form", OBJECTIVES)
def test_classes_with_equal_means_give_finite_weights(form):
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    found = SOLAM(form=form, max_epochs=3).solve(make(X, np.array([1.0, 1.0, -1.0, -1.0])))
    assert np.isfinite(found.coef).all()


@pytest.mark.parametrize("zeta", [1e-3, 1e6])
def test_any_step_stays_finite(zeta):
    found = SOLAM(zeta=zeta, max_epochs=3).solve(make(*shifted_table()), rng=np.random.default_rng(0))
    assert found.objective < 1.0


def test_invalid_settings_are_named():
    problem = make(*shifted_table())
    with pytest.raises(ValueError, match="form='l3'; give one of"):
        SOLAM(form="l3").solve(problem)
    with pytest.raises(ValueError, match=r"radius=-1.0; give None or a finite number above 0"):
        SOLAM(form="l2_ball", radius=-1.0).solve(problem)
    with pytest.raises(ValueError, match="zeta=0"):
        SOLAM(zeta=0).solve(problem)
    with pytest.raises(ValueError, match=r"batch_size=2\.5; give None or an integer of 1 or more"):
        SOLAM(batch_size=2.5).solve(problem)
    with pytest.raises(ValueError, match="tilt='x'; give a finite number"):
        SOLAM(tilt="x").solve(problem)
    with pytest.raises(ValueError, match="needs a penalty; give alpha > 0"):
        SOLAM().solve(make(*shifted_table(), alpha=0.0))


@pytest.mark.skipif("AUCMAX_DATA" not in os.environ, reason="AUCMAX_DATA is not set")
@pytest.mark.parametrize("form", OBJECTIVES)
def test_a9a_within_a_hundredth_of_the_optimum(form):
    problem = make(*a9a(), alpha=1e-3)
    found = SOLAM(form=form, max_epochs=20).solve(problem, rng=np.random.default_rng(0))
    assert auc(problem.data, found.coef) > 0.9021 - 0.01
