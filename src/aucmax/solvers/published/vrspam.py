"""VRSPAM: SPAM with variance reduction, linearly convergent.

    Dan, Sahoo. "Variance Reduced Stochastic Proximal Algorithm for AUC Maximization." 2019 and 2021.

At a snapshot z the gradient g(z) of the loss is computed. Inner steps draw rows i with probabilities p_i; with
u = w - z and h_i = r_i / p_i (for uniform draws h_i = n r_i),

    d = h_i [u.(x_i - m_{-y_i})] x_i + g(z)                                    printed
    d = h_i [u.(x_i - m_{y_i})] (x_i - m_{y_i}) + (u.delta) delta + g(z)       centred
    w <- prox_{eta penalty}(w - eta d)

and the last w is the next snapshot. E[d] is the gradient at w, and the variance of d vanishes with u. The centred
direction is the gradient of a convex quadratic, and allows longer steps; the constant L of the steps, and how it
depends on p, is in row_sampling.py (docs/mathematics.md, section 8).

Guarded step: eta starts at 1/L (1/(2L) if draws are not uniform). A snapshot that does not lower P is discarded and
eta halved, but not below 1/(3L), where every snapshot is accepted: with i.i.d. draws and an inner length from
Geometric(1/m), an outer step shrinks the expected distance to the optimum, in a suitable metric, by a factor of
max((1 + eta l2)^-2, 1 - 1/(2m)). Above that floor P decides and no theorem is needed: uniform draws visit rows in
shuffled blocks, others visit every row in proportion to its probability, in random order.

For L2, u = s v + c0 gamma + c1 m+ + c2 m- with gamma = g(z) + l2 z, and a = u.m+, b = u.m- are tracked: a step costs
O(nonzeros of x_i). With l1 there is no such form, and steps take batches as in spam.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.penalties import scalar_soft_threshold
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, Solver, State
from aucmax.solvers.published.row_sampling import SAMPLINGS, RowSampling
from aucmax.solvers.published.spam import SPAM, SPAMState
from aucmax.solvers.published.step_sizes import (
    fourth_power_of_norm,
    paper_factor,
    top_eigenvalue,
    warn_of_divergence,
    warn_of_outliers,
)
from aucmax.solvers.snapshot import INNER_LENGTH, Snapshot, take_snapshot
from aucmax.validation.params import Integer, Option

HALVINGS = 2200  # turn any step into 0, with which the snapshot stays where it is


@dataclass(frozen=True, eq=False)
class VRSPAMState(State):
    """The best snapshot, whose weights are w, and the one to continue from."""

    best: Snapshot
    snapshot: Snapshot  # the last one
    eta: float = 0.0  # the step; 0 before the first epoch
    top: float = 0.0  # largest eigenvalue of the Hessian; only with l1


@dataclass(repr=False, kw_only=True)
class VRSPAM(Solver):
    """Variance-reduced stochastic proximal AUC maximisation, for the squared loss.

    An epoch is one outer iteration: an inner loop of about `inner_length` n steps, and a new snapshot. Passes count
    gradients of rows, as in the papers: 3 per epoch by default.

    Parameters
    ----------
    estimator : {"centred", "printed"}
        Direction of a step: centred at the class means, or as in the paper.
    step : {"guarded", "paper"} or float
        Step size: 1/L, halved where it fails; beta/(128 M^4) of the paper, which hardly moves; or a number, also
        guarded, with a warning if it diverges.
    sampling : {"auto", "uniform", "importance"}
        How rows are drawn; "auto" uses importance sampling if that makes L four times smaller, else uniform.
    inner : {"auto", "fixed", "geometric"}
        Length of the inner loop: always the same, as published, or random with that mean, as the theorem for steps
        of at most 1/(3L) wants it; "auto" is random for such steps only.
    inner_length : float
        Mean length of the inner loop, in units of n; at most 1000.
    start : {"spam", "zero"}
        Start with one epoch of SPAM, or at 0. Given starting weights are used in either case.
    batch_size : int, optional
        Rows in a step with an l1 norm; chosen from the data if not given.
    max_epochs, tol
        See `Solver`.
    """

    estimator: str = "centred"
    step: str | float = "guarded"
    sampling: str = "auto"
    inner: str = "auto"
    inner_length: float = 2.0
    start: str = "spam"
    batch_size: int | None = None
    max_epochs: int = 50

    parameter_constraints: ClassVar[Constraints] = {
        "estimator": [Option("centred", "printed")],
        "step": [Option("guarded", "paper"), POSITIVE],
        "sampling": [Option(*SAMPLINGS)],
        "inner": [Option("auto", "fixed", "geometric")],
        "inner_length": [INNER_LENGTH],
        "start": [Option("spam", "zero")],
        "batch_size": [None, Integer(1)],
    }

    @property
    def _centred(self) -> bool:
        return self.estimator == "centred"

    def init(self, problem: Problem, w: np.ndarray) -> VRSPAMState:
        if self.sampling == "uniform":
            warn_of_outliers(problem.data)
        snapshot = take_snapshot(problem, w)
        return VRSPAMState(w, 1.0, snapshot, snapshot)

    def epoch(self, problem: Problem, state: VRSPAMState, rng: np.random.Generator) -> VRSPAMState:
        if state.eta == 0.0:
            state = self._start(problem, state, rng)
        sampling = self._sampling(problem, state.top)
        first = state.eta or self._first_step(problem, sampling)
        new, eta, passes = self._next_snapshot(problem, state.snapshot, sampling, first, rng)
        best = _lower(state.best, new)
        return VRSPAMState(best.w, state.passes + passes, best, new, eta, state.top)

    def certify(self, problem: Problem, state: VRSPAMState) -> tuple[float, float]:
        return state.best.objective, state.best.gap

    def _start(self, problem: Problem, state: VRSPAMState, rng: np.random.Generator) -> VRSPAMState:
        """The given weights or 0, or from 0 the result of one epoch of SPAM if that lowers P."""
        top = top_eigenvalue(problem.data, rng) if problem.penalty.l1 > 0 else 0.0
        snapshot = state.snapshot
        passes = state.passes
        if self.start == "spam" and not state.w.any():
            start = SPAM().epoch(problem, SPAMState(state.w, 0.0, last=state.w), rng)
            snapshot = _lower(snapshot, take_snapshot(problem, start.w))
            passes += start.passes
        return VRSPAMState(snapshot.w, passes, snapshot, snapshot, top=top)

    def _sampling(self, problem: Problem, top: float) -> RowSampling:
        return RowSampling.of(problem, self.sampling, centred=self._centred, top=top, batch=self.batch_size)

    def _first_step(self, problem: Problem, sampling: RowSampling) -> float:
        if not isinstance(self.step, str):
            return float(self.step)
        if self.step == "paper" and problem.penalty.l2 > 0:
            M4 = fourth_power_of_norm(problem.data, problem.data.squared_norms)
            return paper_factor(problem.data) ** 2 * problem.penalty.l2 / (128.0 * M4)
        return (1.0 if sampling.p is None else 0.5) / sampling.L

    def _next_snapshot(
        self, problem: Problem, old: Snapshot, sampling: RowSampling, eta: float, rng: np.random.Generator
    ) -> tuple[Snapshot, float, float]:
        """The next accepted snapshot, the step that led to it, and the passes it took."""
        first = eta
        floor = 1.0 / (3.0 * sampling.L)
        grew = False
        passes = 0.0
        for _ in range(HALVINGS):
            free = eta <= floor or self.step == "paper"
            new, cost = self._inner(problem, old, sampling, eta, free, rng)
            passes += cost
            finite = np.isfinite(new.objective) or not np.isfinite(old.objective)
            if new.improves(old) or (free and finite):
                break
            grew = grew or not new.objective <= old.objective * (1.0 + 1e-9)
            eta = max(eta / 2.0, floor) if eta > floor else eta / 2.0
        if grew and first == self.step:
            warn_of_divergence(self.step, eta, sampling.L)
        return new, eta, passes

    def _inner(
        self, problem: Problem, old: Snapshot, sampling: RowSampling, eta: float, free: bool, rng: np.random.Generator
    ) -> tuple[Snapshot, float]:
        """The snapshot after an inner loop, and the passes it took."""
        n = problem.data.n
        length = max(int(self.inner_length * n), sampling.batch)
        if self.inner == "geometric" or (self.inner == "auto" and free and self.step != "paper"):
            length = max(int(rng.geometric(1.0 / length)), sampling.batch)
        order = sampling.draw(problem.data, length, free, rng)
        inner = _inner_rows if problem.penalty.l1 == 0 else _inner_batches
        with np.errstate(over="ignore", invalid="ignore"):  # the guard detects divergence
            new = take_snapshot(problem, inner(problem, old, sampling, eta, order, self._centred))
        return new, length / n + 1.0


def _lower(snapshot: Snapshot, other: Snapshot) -> Snapshot:
    """The snapshot with the lower objective."""
    return other if other.objective < snapshot.objective else snapshot


def _inner_rows(problem, old, sampling, eta, order, centred):
    """Weights after an L2 inner loop."""
    data = problem.data
    l2 = problem.penalty.l2
    gamma = old.gradient + l2 * old.w
    v = np.zeros(data.dim)
    gram = data.means @ np.vstack([data.means, gamma]).T
    rows = (data.rows, data.y, order, sampling.h, data.mean_products, data.scores(gamma))
    s, c0, c1, c2 = _row_steps(*rows, gram, eta, l2, centred, v)
    return old.w + s * v + c0 * gamma + c1 * data.means[0] + c2 * data.means[1]


def _inner_batches(problem, old, sampling, eta, order, centred):
    """Weights after an elastic-net inner loop."""
    data = problem.data
    penalty = problem.penalty
    u = np.zeros(data.dim)
    ends = np.linspace(0, order.size, order.size // sampling.batch + 1).astype(np.int64)
    rows = (data.rows, data.y, order, ends, sampling.h, data.means)
    _batch_steps(*rows, old.gradient, eta, penalty.l1, penalty.l2, centred, old.w, u)
    return old.w + u


@compiled
def _row_steps(X, y, order, h, products, gamma_products, gram, eta, l2, centred, v):
    s = 1.0
    c0, c1, c2 = 0.0, 0.0, 0.0
    a, b = 0.0, 0.0
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
    threshold = eta * l1
    shrink = 1.0 / (1.0 + eta * l2)
    g = np.empty(np.max(ends[1:] - ends[:-1]))
    for k in range(ends.size - 1):
        first = ends[k]
        size = ends[k + 1] - ends[k]
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
            u[j] = scalar_soft_threshold(w, threshold) * shrink - z[j]
            a += u[j] * means[0, j]
            b += u[j] * means[1, j]
