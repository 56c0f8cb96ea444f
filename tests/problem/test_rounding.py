"""Certificates of tables whose columns are far from zero, against the true excess in extended precision."""

import numpy as np
import pytest
from problems import EACH_FORM, far_table, make_problem
from promises import PROMISES
from scipy import sparse

from aucmax import AUCClassifier
from aucmax.losses import Squared
from aucmax.losses.squared import within_product
from aucmax.numerics.matrix import dense, shifted_columns
from aucmax.penalties import Ball, ElasticNet
from aucmax.problem import Data, Moments, Problem
from aucmax.solvers import CG, SOLVERS, Exact, Solver, State

SHIFTS = (0.0, 30.0, 1e3, 1e5, 1e6, 1e7, 1e8, 1e9)
SHAPES = {"more columns": (20, 40), "more rows": (60, 5)}
EACH_SHIFT = pytest.mark.parametrize("shift", SHIFTS)
EACH_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
CERTIFIED = [
    name
    for name, kind in SOLVERS.items()
    if kind.certified and Squared in kind.losses and "l2" in kind.penalties and not PROMISES[kind.name].in_ball
]


class ExtendedPrecision:
    """The squared loss with an L2 penalty, 1/2 |Aw - t|^2 + l2/2 |w|^2, in the widest floats of NumPy."""

    def __init__(self, X, y, weight, scale, l2):
        X = (X.astype(np.longdouble) - X[0]) / scale  # exact differences
        weight = weight.astype(np.longdouble)
        rows = []
        means = []
        for side in (y > 0, y < 0):
            r = weight[side] / weight[side].sum()
            means.append(r @ X[side])
            rows.append(np.sqrt(r)[:, None] * (X[side] - means[-1]))
        self.A = np.vstack([*rows, means[0] - means[1]])
        self.t = np.zeros(len(self.A), dtype=np.longdouble)
        self.t[-1] = 1.0
        self.l2 = np.longdouble(l2)

    def objective(self, w):
        rest = self.A @ w - self.t
        return (rest @ rest + self.l2 * (w @ w)) / 2

    def minimiser(self):
        """A'z with (AA' + l2 I) z = t, by iterative refinement of the solution in double precision."""
        K = self.A @ self.A.T + self.l2 * np.eye(self.t.size)
        inverse = np.linalg.inv(K.astype(float))
        z = np.zeros_like(self.t)
        for _ in range(10):
            z = z + inverse @ (self.t - K @ z)
        return self.A.T @ z

    def excess(self, w):
        """Objective minus its minimum, as a square: a difference would have the rounding error of the objective."""
        step = w - self.minimiser()
        along = self.A @ step
        return (along @ along + self.l2 * (step @ step)) / 2


@EACH_SHIFT
@EACH_SHAPE
@EACH_FORM
@pytest.mark.parametrize("name", CERTIFIED)
def test_gap_is_at_least_the_true_excess(name, form, shape, shift):
    X, y, weight = far_table(shape, shift)
    solver = SOLVERS[name](max_epochs=3)
    problem = make_problem(form(X), y, weight, l2=0.5, standardize=True)
    truth = ExtendedPrecision(X, y, weight, problem.data.scale, 0.5)
    solution = solver.solve(problem, rng=np.random.default_rng(0))
    assert solution.gap >= truth.excess(solution.coef)
    assert solution.objective == pytest.approx(float(truth.objective(solution.coef)), rel=1e-10 + 1e-15 * shift)


@EACH_SHIFT
@EACH_SHAPE
@EACH_FORM
@pytest.mark.parametrize("solver", [Exact(), CG(tol=1e-12)], ids=["exact", "cg"])
def test_far_columns_do_not_prevent_convergence(solver, form, shape, shift):
    X, y, weight = far_table(shape, shift)
    problem = make_problem(form(X), y, weight, l2=0.5, standardize=True)
    assert solver.solve(problem).converged


@pytest.mark.parametrize("seed", range(5))
@EACH_SHIFT
@EACH_FORM
def test_gap_is_at_least_the_true_excess_without_the_shift(form, shift, seed):
    # rows that were not shifted, as those of a stream: the bound of the rounding error alone must be enough
    X, y, weight = far_table((30, 12), shift, seed)
    data = Data.of_batch(form(X), y, weight, Moments.of(form(X), y, weight, full=False), standardize=True)
    truth = ExtendedPrecision(X, y, weight, data.scale, 0.5)
    gap = Problem(data, Squared(), ElasticNet(0.0, 0.5)).gap(truth.minimiser().astype(float))
    w = CG(max_epochs=1).solve(Problem(data, Squared(), ElasticNet(0.0, 0.5))).coef
    assert gap >= truth.excess(truth.minimiser().astype(float))
    assert Problem(data, Squared(), ElasticNet(0.0, 0.5)).gap(w) >= truth.excess(w)


@EACH_SHIFT
@EACH_FORM
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_gap_of_the_elastic_net_is_at_least_the_true_excess(form, shift, full, l2):
    X, y, weight = far_table((60, 5), shift)
    penalty = ElasticNet(0.1, l2)
    problem = make_problem(form(X), y, weight, penalty, standardize=True, full=full)
    truth = ExtendedPrecision(X, y, weight, problem.data.scale, l2)
    w = CG(tol=1e-14, max_epochs=30).solve(problem).coef
    best = w.astype(np.longdouble)
    H = truth.A.T @ truth.A
    for _ in range(100):
        for j in range(best.size):
            target = H[j, j] * best[j] - (H[j] @ best - truth.A[-1, j])
            best[j] = np.sign(target) * max(abs(target) - np.longdouble(0.1), 0.0) / (H[j, j] + truth.l2)
    l1 = np.longdouble(0.1)
    excess = truth.objective(w) + l1 * np.abs(w).sum() - truth.objective(best) - l1 * np.abs(best).sum()
    assert problem.gap(w) >= excess - 1e-18  # rounding of the difference in extended precision


@pytest.mark.parametrize("norm", [1, 2])
def test_gap_in_a_ball_grows_with_the_error_of_the_gradient(norm):
    w, u, error = np.array([0.6, -0.2]), np.array([1.0, -0.5]), np.array([0.1, 0.2])
    ball = Ball(1.0, norm)
    corners = [ball.fenchel_gap(w, u + error * signs) for signs in ([1, 1], [1, -1], [-1, 1], [-1, -1])]
    assert ball.fenchel_gap(w, u, error) >= max(corners)


def test_gap_of_the_penalty_grows_with_the_error_of_the_gradient():
    rng = np.random.default_rng(0)
    penalty = ElasticNet(0.3, 0.2)
    for _ in range(50):
        w, u, error = rng.normal(size=1), rng.normal(size=1), rng.random(1)
        nearby = [penalty.fenchel_gap(w, u + error * part) for part in np.linspace(-1.0, 1.0, 21)]
        assert penalty.fenchel_gap(w, u, error) >= max(nearby) * (1.0 - 1e-14)  # rounding


def test_shifted_columns_fill_in_the_zeros_of_shifted_columns_only():
    X = np.array([[5.0, 0.0, 1.0], [0.0, 0.0, 2.0], [7.0, 3.0, 0.0]])
    shift = np.array([6.0, 0.0, 0.0])
    moved = shifted_columns(sparse.csr_array(X), shift)
    np.testing.assert_array_equal(dense(moved), X - shift)
    assert moved.nnz == 6


@EACH_FORM
@pytest.mark.parametrize("solver", ["auto", "cg", "sdca", "vrspam"])
def test_far_columns_do_not_change_the_scores(form, solver):
    # shifted by a power of two, so that the table loses at most 22 binary digits
    X, y, _ = far_table((30, 8), 0.0)
    X = np.round(X * 1024.0) / 1024.0
    near = AUCClassifier(alpha=0.5, solver=solver, random_state=0).fit(form(X), y)
    far = AUCClassifier(alpha=0.5, solver=solver, random_state=0).fit(form(X + 2.0**22), y)
    expected = near.decision_function(form(X))
    # w.x and the intercept are 4e6 times as large as the score, which costs as many digits
    np.testing.assert_allclose(
        far.decision_function(form(X + 2.0**22)), expected, atol=1e-3 if solver == "vrspam" else 1e-5
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_columns_near_zero_stay_where_they_are(form):
    X, y, weight = far_table((30, 8), 10.0)
    table = form(X)
    assert Data.of(table, y, weight, standardize=True).X is table


def test_columns_of_one_value_stay_useless(table):
    X, y, weight = table()
    X[:, 0] = 1e7 * (1.0 + np.finfo(float).eps * (np.arange(y.size) % 2))
    data = Data.of(X, y, weight, standardize=True)
    assert abs(CG().solve(Problem(data, Squared(), ElasticNet(0.0, 0.1))).coef[0]) < 1e-12


def test_an_infinite_objective_has_not_converged(table):
    class Diverging(Solver):
        def init(self, problem, w):
            return State(w, 0.0)

        def epoch(self, problem, state, rng):
            return State(np.full(state.w.size, 1e160), 1.0)

    with np.errstate(over="ignore", invalid="ignore"):  # a product of infinities and zeros, on some processors
        solution = Diverging().solve(make_problem(*table()))
    assert not solution.converged


def test_conjugate_gradients_end_where_only_rounding_error_is_left():
    X, y, weight = far_table((200, 5), 1e7)
    data = Data.of_batch(X, y, weight, Moments.of(X, y, weight, full=False), standardize=True)
    solution = CG(tol=0.0, max_epochs=50).solve(Problem(data, Squared(), ElasticNet(0.0, 1e-9)))
    assert np.isfinite(solution.coef).all()


def test_products_with_the_within_matrix_keep_their_digits(table):
    X, y, weight = far_table((30, 12), 1e8)
    data = Data.of(X, y, weight, standardize=True)
    truth = ExtendedPrecision(X, y, weight, data.scale, 0.0)
    w = np.linspace(-1.0, 1.0, 12)
    expected = truth.A[:-1].T @ (truth.A[:-1] @ w)
    np.testing.assert_allclose(within_product(data, w), expected.astype(float), rtol=1e-12)
