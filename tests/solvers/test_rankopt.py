"""RankOpt: its pairs, the loss over them and over all pairs, descent on the sphere, and where it ends."""

from functools import partial

import numpy as np
import pytest
from problems import EACH_FORM, make_problem, run_epochs
from scipy.special import expit

from aucmax import AUCClassifier
from aucmax.losses import Sigmoid
from aucmax.solvers.published import rankopt
from aucmax.solvers.published.rankopt import Pairing, RankOpt

problem_of = partial(make_problem, loss=Sigmoid(), l2=0.1, standardize=True)


def paired_loss(problem, pairing, w):
    """The definition: one minus the smoothed AUC of the pairs."""
    X = problem.data.X / problem.data.scale
    return pairing.weight @ expit(-(X[pairing.pos] - X[pairing.neg]) @ w)


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_pairs_are_the_rows_of_both_classes_in_turn(table, rate):
    X, y, weight = table(50, rate=rate)
    pairing = Pairing.drawn(problem_of(X, y, weight).data, np.random.default_rng(0))
    assert pairing.pos.size == max((y > 0).sum(), (y < 0).sum())
    for rows, sign in ((pairing.pos, 1.0), (pairing.neg, -1.0)):
        counts = np.bincount(rows, minlength=50)[y == sign]
        assert counts.sum() == rows.size and np.ptp(counts) <= 1
    products = weight[pairing.pos] * weight[pairing.neg]
    np.testing.assert_allclose(pairing.weight, products / products.sum())


@EACH_FORM
def test_slopes_are_those_of_the_pairs(table, form):
    X, y, weight = table(40)
    problem = problem_of(X, y, weight)
    w = np.random.default_rng(1).normal(size=6)
    pairing = Pairing.drawn(problem.data, np.random.default_rng(0))
    c = np.zeros(40)
    value = rankopt._paired(problem.data.scores(w), *pairing, c)
    assert value == pytest.approx(paired_loss(problem, pairing, w), rel=1e-12)
    step = 1e-6
    slopes = [
        (paired_loss(problem, pairing, w + step * unit) - paired_loss(problem, pairing, w - step * unit)) / (2 * step)
        for unit in np.eye(6)
    ]
    np.testing.assert_allclose(problem_of(form(X), y, weight).data.combine(c), slopes, atol=1e-8)


@pytest.mark.parametrize("rate", [0.1, 0.7])
def test_loss_of_the_pairs_falls_with_every_step_on_the_sphere(table, rate, monkeypatch):
    monkeypatch.setattr(rankopt, "STEPS", 1)
    problem = problem_of(*table(150, rate=rate))
    solver = RankOpt(radius=5.0)
    rng = np.random.default_rng(0)
    state = solver.init(problem, np.zeros(6))
    state = solver.epoch(problem, state, rng)
    losses = []
    while not state.ended and len(losses) < 60:
        losses.append(paired_loss(problem, state.pairing, state.w))
        state = solver.epoch(problem, state, rng)
        assert np.linalg.norm(state.w) == pytest.approx(5.0, rel=1e-12)
    assert len(losses) > 5 and (np.diff(losses) < 1e-15).all()  # the last steps are of the size of rounding


def test_two_columns_end_at_the_best_angle(table):
    X, y, weight = table(300, dim=2)
    problem = problem_of(X, y, weight)
    state = run_epochs(RankOpt(radius=4.0), problem, epochs=20)
    angles = np.linspace(0.0, 2.0 * np.pi, 2000)
    circle = 4.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    best = min(paired_loss(problem, state.pairing, w) for w in circle)
    assert paired_loss(problem, state.pairing, state.w) <= best + 1e-6


def test_at_the_end_nothing_moves(table):
    problem = problem_of(*table(100))
    solution = RankOpt(radius=2.0, max_epochs=100).solve(problem, rng=np.random.default_rng(0))
    assert solution.state.ended and solution.n_epochs < 100
    assert RankOpt(radius=2.0).epoch(problem, solution.state, np.random.default_rng(0)) is solution.state


def test_separable_rows_are_ranked_without_an_error(table):
    X, y, _ = table(100)
    X[:, 0] += 6.0 * y
    model = AUCClassifier(solver="rankopt", loss="sigmoid", random_state=0).fit(X, y)
    scores = model.decision_function(X)
    assert scores[y > 0].min() > scores[y < 0].max()


def test_rows_that_do_not_differ_leave_the_start(table):
    state = run_epochs(RankOpt(radius=3.0), problem_of(np.ones((10, 4)), np.tile([1.0, -1.0], 5)))
    np.testing.assert_allclose(state.w, 1.5)


def test_the_reported_gap_is_the_loss_itself(table):
    X, y, _ = table(100)
    model = AUCClassifier(solver="rankopt", loss="sigmoid", random_state=0).fit(X, y)
    assert model.objective_ <= model.gap_ <= model.objective_ * (1.0 + 1e-11)  # up to rounding


def test_a_radius_whose_square_overflows_is_kept(table):
    found = RankOpt(radius=1e200, max_epochs=1).solve(problem_of(*table(60)), rng=np.random.default_rng(0))
    assert np.linalg.norm(found.coef / 1e200) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("radius", [-1.0, "a", None])
def test_an_invalid_radius_is_named(table, radius):
    X, y, _ = table()
    with pytest.raises(ValueError, match=f"radius={radius!r}; give a finite number above 0"):
        AUCClassifier(solver=RankOpt(radius=radius), loss="sigmoid").fit(X, y)


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_a_share_of_the_l1_norm_is_refused(table, l1_ratio):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"RankOpt supports the penalties \['l2', 'none'\]"):
        AUCClassifier(loss="sigmoid", l1_ratio=l1_ratio).fit(X, y)


@pytest.mark.parametrize("size", [1e-6, 1.0, 30.0, 1e3, 1e9])
def test_loss_of_all_pairs_is_exact_for_weights_of_any_length(table, pairs, size):
    X, y, weight = table(80)
    data = problem_of(X, y, weight).data
    w = size * np.random.default_rng(1).normal(size=6)
    all_pairs = pairs(X / data.scale, y, weight)
    margins = all_pairs.differences @ w
    value, gradient = Sigmoid().value_and_gradient(data, w)
    assert value == pytest.approx(all_pairs.weights @ expit(-margins), rel=1e-12)
    expected = -all_pairs.differences.T @ (all_pairs.weights * expit(margins) * expit(-margins))
    np.testing.assert_allclose(gradient, expected, atol=1e-13)
