"""VRSPAM: SPAM with variance reduction, linearly convergent.

    Dan, Sahoo. "Variance Reduced Stochastic Proximal Algorithm for AUC Maximization." 2019 and 2021.

At a snapshot z the gradient g(z) of the loss is computed. Inner steps draw rows i with probabilities p_i; with
u = w - z and h_i = r_i / p_i (for uniform draws h_i = n r_i),

    d = h_i [u.(x_i - m_{-y_i})] x_i + g(z)                                    printed
    d = h_i [u.(x_i - m_{y_i})] (x_i - m_{y_i}) + (u.delta) delta + g(z)       centred
    w <- prox_{eta penalty}(w - eta d)

and the last w is the next snapshot. E[d] is the gradient at w, and its variance vanishes with u. The constant of the
steps is L = 2 max h_i |x_i|^2 for the printed direction and L = max h_i |x_i - m_{y_i}|^2 + |delta|^2 for the centred
one, which is the gradient of convex quadratics (spec 2.3, 2.5). Importance draws, p_i ~ r_i |x_i - m_{y_i}|^2, turn
the maximum into a mean; stratified ones, p_i = r_i / 2, free it of the class prior.

Guarded step (spec 2.6): eta begins at 1/L (1/(2L) if draws are not uniform). A snapshot that does not lower P is
thrown away and eta halved, but not below 1/(3L), where every snapshot is taken: with i.i.d. draws and an inner length
from Geometric(1/m) a step shrinks the expected distance to the optimum, as spec 2.4 measures it, by a factor of
max((1 + eta l2)^-2, 1 - 1/(2m)). Above that floor P decides and no theorem is needed: uniform draws visit rows in
shuffled blocks, others visit every row as often as its probability says, in random order.

For L2, u = s v + c0 gamma + c1 m+ + c2 m- with gamma = g(z) + l2 z, and a = u.m+, b = u.m- are tracked: a step costs
O(nonzeros of x_i). With l1 there is no such form, and steps take batches as in spam.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, cast

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.shared.order import shuffled_blocks
from aucmax.solvers.shared.smoothness import (
    batch_smoothness,
    paper_scale,
    suitable_batch,
    top_eigenvalue,
    warn_of_divergence,
    warn_of_outliers,
)
from aucmax.solvers.spam import SPAM, Iterate
from aucmax.validation.params import check_counts, check_number, check_step

STEPS = ("guarded", "paper")  # or a number
CHOICES = {
    "estimator": ("centred", "printed"),
    "sampling": ("auto", "uniform", "importance", "stratified"),
    "inner": ("fixed", "geometric"),
    "start": ("spam", "zero"),
}


class Point(NamedTuple):
    """Weights with their objective, gap (infinite without l2), scores and gradient of the loss."""

    w: np.ndarray
    objective: float
    gap: float
    scores: np.ndarray
    gradient: np.ndarray


class Plan(NamedTuple):
    """Probabilities of the rows (None: all equal), h, squared norms of what h multiplies, rows in a step, L."""

    p: np.ndarray | None
    h: np.ndarray
    norms: np.ndarray
    batch: int
    L: float


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Best weights, their certificate, the snapshot to go on from, step, largest eigenvalue, passes, variance."""

    w: np.ndarray
    best: tuple[float, float] = (np.inf, np.inf)
    point: Point | None = None
    eta: float = 0.0
    top: float = 0.0
    passes: float = 0.0
    variance: float = np.nan

    @property
    def certificate(self) -> tuple[float, float] | None:
        """Objective and gap of the best weights, which cost nothing; None without l2."""
        return self.best if np.isfinite(self.best[1]) else None


@dataclass(repr=False, kw_only=True)
class VRSPAM(Solver):
    """Variance reduced stochastic proximal AUC maximisation, for the squared loss.

    An epoch is one outer loop: an inner loop of about `inner_length` n steps, and a new snapshot. Passes count
    gradients of rows, as the papers do: 3 an epoch by default.

    Parameters
    ----------
    estimator : {"centred", "printed"}
        Direction of a step: centred at the class means, or as in the paper.
    step : {"guarded", "paper"} or float
        Step size: 1/L, halved where it fails; beta/(128 M^4) of the paper, which hardly moves; or a number, guarded
        as well, with a warning if it diverges.
    sampling : {"auto", "uniform", "importance", "stratified"}
        How rows are drawn; "auto" takes importance where that makes L four times smaller, else uniform.
    inner : {"fixed", "geometric"}
        Length of the inner loop: always the same, or random with that mean.
    inner_length : float
        Mean length of the inner loop, in units of n.
    start : {"spam", "zero"}
        Begin with one epoch of SPAM, or at 0. Weights that are given are kept in any case.
    batch_size : int, optional
        Rows in a step with an l1 norm; chosen from the data if not given.
    max_epochs, tol
        See `Solver`.
    """

    estimator: str = "centred"
    step: str | float = "guarded"
    sampling: str = "auto"
    inner: str = "fixed"
    inner_length: float = 2.0
    start: str = "spam"
    batch_size: int | None = None
    max_epochs: int = 50

    stochastic: ClassVar[bool] = True

    def init(self, problem: Problem, w: np.ndarray) -> Snapshot:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"{name}={value!r}; choose one of {list(choices)}")
        check_step(self.step, STEPS)
        check_number("inner_length", self.inner_length)
        check_counts(batch_size=self.batch_size)
        if self.sampling == "uniform":
            warn_of_outliers(problem.data)
        return Snapshot(w)

    def epoch(self, problem: Problem, state: Snapshot, rng: np.random.Generator) -> Snapshot:
        if state.point is None:
            state = self._begin(problem, state, rng)
        plan, old = self._plan(problem, state.top), cast(Point, state.point)
        eta, floor = state.eta or self._first_step(problem, plan), 1.0 / (3.0 * plan.L)
        first, grew, passes = eta, False, state.passes
        while True:
            free = eta <= floor or self.step == "paper"
            new, cost = self._inner(problem, old, plan, eta, free, rng)
            passes += cost
            if _lower(new, old) or (free and np.isfinite(new.objective)):
                break
            grew = grew or not new.objective <= old.objective * (1.0 + 1e-9)
            eta = max(eta / 2.0, floor) if eta > floor else eta / 2.0
        if grew and first == self.step:
            warn_of_divergence(self.step, eta, plan.L)
        w, best = (new.w, new[1:3]) if new.objective < state.best[0] else (state.w, state.best)
        variance = _variance(problem.data, plan, old, new, self.estimator == "centred")
        return Snapshot(w, best, new, eta, state.top, passes, variance)

    def variance(self, problem: Problem, state: Snapshot) -> float:
        return state.variance

    def _begin(self, problem: Problem, state: Snapshot, rng: np.random.Generator) -> Snapshot:
        """The first snapshot: where one epoch of SPAM leads from 0, if that lowers P."""
        top, passes = 0.0, 1.0
        if problem.penalty.l1 > 0:
            top = top_eigenvalue(problem.data, rng)
        point = _measure(problem, state.w)
        if self.start == "spam" and not state.w.any():
            iterate = SPAM().epoch(problem, Iterate(state.w, state.w), rng)
            point = min(point, _measure(problem, iterate.w), key=lambda point: point.objective)
            passes += iterate.passes
        return Snapshot(point.w, point[1:3], point, top=top, passes=passes)

    def _plan(self, problem: Problem, top: float) -> Plan:
        """With which probabilities to draw rows, how many at a time, and the L of that."""
        data, centred = problem.data, self.estimator == "centred"
        norms = _norms(data, centred)
        chances = {"uniform": np.full(data.n, 1.0 / data.n), "stratified": data.r / 2.0}
        chances["importance"] = np.maximum(data.r * norms / ((data.r @ norms) or 1.0), 1e-3 / data.n)
        chances["importance"] /= chances["importance"].sum()
        largest = {kind: float((data.r / p * norms).max()) for kind, p in chances.items()}
        L = {kind: x + data.delta @ data.delta if centred else 2.0 * x for kind, x in largest.items()}
        kind = self.sampling
        if kind == "auto":
            kind = "importance" if L["uniform"] > 4.0 * L["importance"] else "uniform"
        batch = 1
        if problem.penalty.l1 > 0:
            batch = suitable_batch(data, L[kind], top) if self.batch_size is None else min(self.batch_size, data.n)
        p = None if kind == "uniform" else chances[kind]
        return Plan(p, data.r / chances[kind], norms, batch, batch_smoothness(L[kind], top, batch))

    def _first_step(self, problem: Problem, plan: Plan) -> float:
        if not isinstance(self.step, str):
            return float(self.step)
        if self.step == "paper" and problem.penalty.l2 > 0:
            data = problem.data
            factor, M4 = paper_scale(data, data.squared_norms)
            return factor**2 * problem.penalty.l2 / (128.0 * M4)
        return (1.0 if plan.p is None else 0.5) / plan.L

    def _inner(self, problem: Problem, old: Point, plan: Plan, eta: float, free: bool, rng) -> tuple[Point, float]:
        """The point after an inner loop, and the passes it cost."""
        data, penalty, centred = problem.data, problem.penalty, self.estimator == "centred"
        length = max(int(self.inner_length * data.n), plan.batch)
        if self.inner == "geometric" or (free and self.step != "paper"):
            length = max(int(rng.geometric(1.0 / length)), plan.batch)
        order = _draws(plan, data.n, length, free, rng)
        inner = _inner_rows if penalty.l1 == 0 else _inner_batches
        with np.errstate(over="ignore", invalid="ignore"):  # for the guard to see
            new = _measure(problem, inner(problem, old, plan, eta, order, centred))
        return new, length / data.n + 1.0


def _norms(data: Data, centred: bool) -> np.ndarray:
    """|x_i - m_{y_i}|^2, or |x_i|^2."""
    if not centred:
        return data.squared_norms
    own = np.where(data.y > 0, 0, 1)
    squares = np.einsum("kj,kj->k", data.means, data.means)
    return np.maximum(data.squared_norms - 2.0 * data.mean_products[np.arange(data.n), own] + squares[own], 0.0)


def _draws(plan: Plan, n: int, length: int, independent: bool, rng: np.random.Generator) -> np.ndarray:
    """Rows to visit: drawn independently, or every row as often as its probability says, in random order."""
    if plan.p is None:
        if independent:
            return rng.integers(n, size=length)
        return np.concatenate([shuffled_blocks(n, rng) for _ in range(-(-length // n))])[:length]
    if independent:
        return rng.choice(n, size=length, p=plan.p)
    levels = (rng.random() + np.arange(length)) / length
    index = np.minimum(np.searchsorted(np.cumsum(plan.p), levels), n - 1)
    return rng.permutation(index)


def _measure(problem: Problem, w: np.ndarray) -> Point:
    """Objective, scores and gradient of the loss at w, in one pass."""
    data, penalty = problem.data, problem.penalty
    scores, (a, b) = data.scores(w) if w.any() else np.zeros(data.n), data.means @ w
    centred = scores - np.where(data.y > 0, a, b)
    value = 0.5 * (data.r @ centred**2 + (1.0 - (a - b)) ** 2)
    within = data.combine(data.r * centred) if w.any() else np.zeros(data.dim)
    gradient = within + ((a - b) - 1.0) * data.delta
    gap = penalty.fenchel_gap(w, -gradient) if penalty.strong else np.inf
    return Point(w, float(value + penalty.value(w)), gap, scores, gradient)


def _lower(new: Point, old: Point) -> bool:
    """Whether the objective fell or, where rounding hides that, its certificate."""
    same = new.objective <= old.objective * (1.0 + 1e-14)
    return new.objective < old.objective or (same and new.gap < old.gap)


def _variance(data: Data, plan: Plan, old: Point, new: Point, centred: bool) -> float:
    """E|d - E[d]|^2 at the end of the inner loop, from the scores at both ends."""
    u = new.w - old.w
    a, b = data.means @ u
    inner = new.scores - old.scores - (np.where(data.y > 0, a, b) if centred else np.where(data.y > 0, b, a))
    mean = new.gradient - old.gradient - ((data.delta @ u) * data.delta if centred else 0.0)
    return float((data.r * plan.h) @ (inner**2 * plan.norms) - mean @ mean) / plan.batch


def _inner_rows(problem, old, plan, eta, order, centred):
    """Weights after an L2 inner loop."""
    data, l2 = problem.data, problem.penalty.l2
    gamma, v = old.gradient + l2 * old.w, np.zeros(data.dim)
    means = np.vstack([data.means, gamma])
    rows = (data.rows, data.y, order, plan.h, data.mean_products, data.scores(gamma))
    s, c0, c1, c2 = _row_steps(*rows, data.means @ means.T, eta, l2, centred, v)
    return old.w + s * v + c0 * gamma + c1 * data.means[0] + c2 * data.means[1]


def _inner_batches(problem, old, plan, eta, order, centred):
    """Weights after an elastic-net inner loop."""
    data, penalty, u = problem.data, problem.penalty, np.zeros(problem.data.dim)
    ends = np.linspace(0, order.size, order.size // plan.batch + 1).astype(np.int64)
    rows = (data.rows, data.y, order, ends, plan.h, data.means)
    _batch_steps(*rows, old.gradient, eta, penalty.l1, penalty.l2, centred, old.w, u)
    return old.w + u


@compiled
def _row_steps(X, y, order, h, products, gamma_products, gram, eta, l2, centred, v):
    s, c0, c1, c2, a, b = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    shrink = 1.0 / (1.0 + eta * l2)
    for i in order:
        q = s * row_dot(X, i, v) + c0 * gamma_products[i] + c1 * products[i, 0] + c2 * products[i, 1]
        own = y[i] > 0
        b1, b2 = 0.0, 0.0
        if centred:
            g = h[i] * (q - a if own else q - b)
            b1 = a - b - (g if own else 0.0)
            b2 = b - a - (0.0 if own else g)
        else:
            g = h[i] * (q - b if own else q - a)
        a = (a - eta * (g * products[i, 0] + b1 * gram[0, 0] + b2 * gram[0, 1] + gram[0, 2])) * shrink
        b = (b - eta * (g * products[i, 1] + b1 * gram[1, 0] + b2 * gram[1, 1] + gram[1, 2])) * shrink
        row_axpy(X, i, -eta * g / s, v)
        s *= shrink
        c0 = (c0 - eta) * shrink
        c1 = (c1 - eta * b1) * shrink
        c2 = (c2 - eta * b2) * shrink
        if s < 1e-100:
            for j in range(v.size):
                v[j] *= s
            s = 1.0
    return s, c0, c1, c2


@compiled
def _batch_steps(X, y, order, ends, h, means, gradient, eta, l1, l2, centred, z, u):
    a, b = 0.0, 0.0
    threshold, shrink = eta * l1, 1.0 / (1.0 + eta * l2)
    g = np.empty(np.max(ends[1:] - ends[:-1]))
    for k in range(ends.size - 1):
        first, size = ends[k], ends[k + 1] - ends[k]
        b1, b2 = (a - b, b - a) if centred else (0.0, 0.0)
        for m in range(size):
            i = order[first + m]
            own = (y[i] > 0) == centred
            g[m] = h[i] * (row_dot(X, i, u) - (a if own else b)) / size
            if centred and own:
                b1 -= g[m]
            elif centred:
                b2 -= g[m]
        for m in range(size):
            row_axpy(X, order[first + m], -eta * g[m], u)
        a, b = 0.0, 0.0
        for j in range(u.size):
            w = z[j] + u[j] - eta * (gradient[j] + b1 * means[0, j] + b2 * means[1, j])
            u[j] = np.sign(w) * max(abs(w) - threshold, 0.0) * shrink - z[j]
            a += u[j] * means[0, j]
            b += u[j] * means[1, j]
