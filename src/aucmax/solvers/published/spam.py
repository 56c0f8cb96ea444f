"""SPAM: stochastic proximal AUC maximisation.

    Natole, Ying, Lyu. "Stochastic Proximal Algorithms for AUC Maximization." ICML 2018.

With class means m+ and m-, m_{-y} the mean of the other class, e_i = n r_i and xi = (m+ + m-)/2 (printed: xi = 0):

    G_i = e_i (w.(x_i - m_{-y_i}) - y_i) (x_i - xi),        E[G_i] = gradient of the squared pair loss
    w_t = prox_{eta_t penalty}(w_{t-1} - eta_t G_i),        eta_t = 1 / (L + l2 t),  L = 2 max_i e_i |x_i - xi|^2

and the result is the average of the w_t with weights t. G_i is unbiased for any xi; the midpoint makes a run
independent of the origin of the columns, as the objective is, and far less noisy. Without l2, eta_t = 1/(L sqrt(t)).

For L2, w = s v + c xi with scalars s and c; a = w.m+ and b = w.m- are tracked, so that a step costs O(nonzeros of
x_i). So does the average: with C_t = sum_{k <= t} k s_k and f_t x_{i_t} the change of v at step t,

    sum_t t w_t = C v - sum_t C_{t-1} f_t x_{i_t} + (sum_t t c_t) xi

Soft-thresholding is not linear and a, b couple all coordinates, so that with l1 no exact O(nonzeros) step exists:
there a step takes the mean of G over a batch of rows and one O(dim) prox, with the L of step_sizes.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.penalties import scalar_soft_threshold
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, Solver, State
from aucmax.solvers.published.step_sizes import (
    DecreasingSteps,
    batch_smoothness,
    fourth_power_of_norm,
    paper_factor,
    rows_per_step,
    step_at,
    top_eigenvalue,
    warn_of_divergence,
    warn_of_outliers,
)
from aucmax.solvers.visiting_order import shuffled_blocks
from aucmax.validation.params import Boolean, Integer, Number, Option

RUN = 64  # neighbouring rows visited one after the other
SMALL = 1e-4  # s below which v is multiplied out, so that v and its average keep their precision


@dataclass(frozen=True, eq=False)
class SPAMState(State):
    """The iterates, and the constants of the steps."""

    last: np.ndarray  # the last iterate
    t: int = 0  # steps taken
    seen: float = 0.0  # rows in the statistics
    longest: tuple[float, float] = (0.0, 0.0)  # largest s_i |x_i - xi|^2 in each class, from which L follows
    L: float = 0.0  # smoothness constant: steps are at most 1/L
    top: float = 0.0  # largest eigenvalue of the Hessian; only with l1
    cap: float = np.inf  # the longest step that the guard allows


@dataclass(repr=False, kw_only=True)
class SPAM(Solver):
    """Stochastic proximal AUC maximisation, for the squared loss.

    The squared distance to the optimum falls as 1/t: suited to a few passes or a stream, not to high accuracy.

    Parameters
    ----------
    step : {"capped", "theorem_4_1", "theorem_4_2"} or float
        Steps 1/(L + l2 t), those of the paper's theorems (the first hardly moves, the second begins with steps far
        too long), or 1/(1/step + l2 t). All but "capped" are guarded: an epoch that diverges is repeated with its
        longest steps halved, and a warning is issued.
    theta : float
        Exponent of the steps t^-theta of "theorem_4_1", above 0 and below 1.
    average : bool
        Return the weighted average of the iterates instead of the last one.
    centre : bool
        Use the midpoint of the class means as xi, instead of 0 as in the paper.
    batch_size : int, optional
        Rows in a step with an l1 norm; chosen from the data if not given.
    max_epochs, tol
        See `Solver`.
    """

    step: str | float = "capped"
    theta: float = 0.5
    average: bool = True
    centre: bool = True
    batch_size: int | None = None
    max_epochs: int = 100
    tol: float = 1e-2

    parameter_constraints: ClassVar[Constraints] = {
        "step": [Option("capped", "theorem_4_1", "theorem_4_2"), POSITIVE],
        "theta": [Number(0, 1, open="both")],
        "average": [Boolean()],
        "centre": [Boolean()],
        "batch_size": [None, Integer(1)],
    }
    certificates = "doubling"
    online = True

    def init(self, problem: Problem, w: np.ndarray) -> SPAMState:
        warn_of_outliers(problem.data)
        return self.with_statistics(problem, SPAMState(w, 0.0, last=w))

    def epoch(self, problem: Problem, state: SPAMState, rng: np.random.Generator) -> SPAMState:
        new_rows = state.seen != problem.data.n_seen
        state = self.with_statistics(problem, state) if new_rows else state
        if problem.penalty.l1 > 0 and (new_rows or state.top == 0.0):
            state = replace(state, top=max(state.top, top_eigenvalue(problem.data, rng)))
        return self._guarded(problem, state, shuffled_blocks(problem.data, rng, run=RUN))

    def with_statistics(self, problem: Problem, state: SPAMState) -> SPAMState:
        """The state with the L of all rows seen, for the current class weights."""
        data = problem.data
        moments = data.raw_moments
        seen = data.n_seen
        sizes = data.weight * self._norms(data)
        pos = float(sizes[data.y > 0].max(initial=state.longest[0]))
        neg = float(sizes[data.y < 0].max(initial=state.longest[1]))
        L = 2.0 * seen * max(pos / moments.pos.weight, neg / moments.neg.weight)
        return replace(state, seen=seen, longest=(pos, neg), L=L)

    def _guarded(self, problem: Problem, state: SPAMState, order: np.ndarray) -> SPAMState:
        """One epoch; unless its steps are known to be safe, repeat it with shorter ones while it diverges."""
        size = rows_per_step(problem, state.L, state.top, self.batch_size)
        L = batch_smoothness(state.L, state.top, size)
        steps = self._steps(problem, L, state.cap)
        new = self._visit(problem, state, order, size, steps)
        if self.step == "capped":
            return new
        eta = steps.longest_after(state.t)
        limit = 2.0 * max(_objective(problem, state), 0.5)  # 0.5 is P(0)
        while eta * L > 1.0 and _objective(problem, new) > limit:
            eta /= 2.0
            again = replace(state, cap=eta, passes=new.passes)
            new = self._visit(problem, again, order, size, steps._replace(cap=eta))
        if new.cap < state.cap == np.inf:
            warn_of_divergence(self.step, new.cap, L)
        return new

    def _visit(
        self, problem: Problem, state: SPAMState, order: np.ndarray, size: int, steps: DecreasingSteps
    ) -> SPAMState:
        """Visit the rows in the given order, with these steps."""
        share = 0.5 if self.centre else 0.0  # xi = share (m+ + m-)
        with np.errstate(over="ignore", invalid="ignore"):  # the guard detects divergence
            if problem.penalty.l1 == 0:
                t, last, average = _visit_rows(problem, state, order, steps, share, self.average)
            else:
                t, last, average = _visit_batches(problem, state, order, size, steps, share, self.average)
        return replace(state, w=average if self.average else last, last=last, passes=state.passes + 1.0, t=t)

    def _norms(self, data: Data) -> np.ndarray:
        return data.centred_norms if self.centre else data.squared_norms

    def _steps(self, problem: Problem, L: float, cap: float) -> DecreasingSteps:
        l2 = problem.penalty.l2
        if l2 == 0 or not isinstance(self.step, str) or self.step == "capped":
            first = L if isinstance(self.step, str) else 1.0 / self.step
            return DecreasingSteps(first, l2, 1.0, cap) if l2 > 0 else DecreasingSteps(0.0, first, 0.5, cap)
        factor = paper_factor(problem.data)
        M4 = fourth_power_of_norm(problem.data, self._norms(problem.data))
        beta = factor * l2
        if self.step == "theorem_4_1":
            return DecreasingSteps(0.0, 128.0 * M4 / (factor * beta), self.theta, cap)
        slope = beta / (factor * (1.0 + beta**2 / (128.0 * M4)) ** 2)
        return DecreasingSteps(slope, slope, 1.0, cap)


def _objective(problem: Problem, state: SPAMState) -> float:
    """P at the last iterate or at the weights to return, whichever is larger; infinite where it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = [problem.objective(w) for w in (state.last, state.w)]
    return max(values) if np.isfinite(values).all() else np.inf


def _visit_rows(problem, state, order, steps, share, average):
    """Steps so far, last iterate and average after an L2 epoch."""
    data = problem.data
    t = state.t + order.size
    v = state.last.copy()
    written = np.zeros(data.dim)
    rows = (data.rows, data.y, order, data.e, data.mean_products, data.means)
    s, c, C, c_sum = _epoch(*rows, share, problem.penalty.l2, steps, float(state.t), average, v, written)
    xi = share * data.means.sum(axis=0)
    last = s * v + c * xi
    if not average:
        return t, last, last
    before = 0.5 * state.t * (state.t + 1.0)
    after = 0.5 * t * (t + 1.0)
    return t, last, (before * state.w + written + C * v + c_sum * xi) / after


def _visit_batches(problem, state, order, size, steps, share, average):
    """Steps so far, last iterate and average after an elastic-net epoch."""
    data = problem.data
    penalty = problem.penalty
    xi = share * data.means.sum(axis=0)
    last = state.last.copy()
    mean = state.w.copy() if average else np.empty(0)
    n_steps = -(-order.size // size)
    ends = np.linspace(0, order.size, n_steps + 1).astype(np.int64)
    rows = (data.rows, data.y, order, ends, data.e, data.means, xi)
    _batch_epoch(*rows, penalty.l1, penalty.l2, steps, float(state.t), last, mean)
    return state.t + n_steps, last, mean


@compiled
def _epoch(X, y, order, e, products, means, share, l2, steps, t, average, v, written):
    a, b = 0.0, 0.0
    xi_pos, xi_neg = 0.0, 0.0
    for j in range(v.size):
        a += v[j] * means[0, j]
        b += v[j] * means[1, j]
        xi_pos += share * (means[0, j] + means[1, j]) * means[0, j]
        xi_neg += share * (means[0, j] + means[1, j]) * means[1, j]
    s, c = 1.0, 0.0
    C, c_sum = 0.0, 0.0
    for i in order:
        t += 1.0
        eta = step_at(steps, t)
        pos, neg = products[i, 0], products[i, 1]
        q = s * row_dot(X, i, v) + c * share * (pos + neg)
        g = eta * e[i] * (q - b - 1.0 if y[i] > 0 else q - a + 1.0)
        row_axpy(X, i, -g / s, v)
        if average:
            row_axpy(X, i, g / s * C, written)
        shrink = 1.0 / (1.0 + eta * l2)
        a = (a - g * (pos - xi_pos)) * shrink
        b = (b - g * (neg - xi_neg)) * shrink
        c = (c + g) * shrink
        s *= shrink
        C += t * s
        c_sum += t * c
        if s < SMALL:
            for j in range(v.size):
                written[j] += C * v[j]
                v[j] *= s
            s, C = 1.0, 0.0
    return s, c, C, c_sum


@compiled
def _batch_epoch(X, y, order, ends, e, means, xi, l1, l2, steps, t, w, mean):
    a, b = 0.0, 0.0
    for j in range(w.size):
        a += w[j] * means[0, j]
        b += w[j] * means[1, j]
    g = np.empty(np.max(ends[1:] - ends[:-1]))
    for k in range(ends.size - 1):
        t += 1.0
        eta = step_at(steps, t)
        first = ends[k]
        size = ends[k + 1] - ends[k]
        total = 0.0
        for m in range(size):
            i = order[first + m]
            q = row_dot(X, i, w)
            g[m] = eta * e[i] * (q - b - 1.0 if y[i] > 0 else q - a + 1.0) / size
            total += g[m]
        for m in range(size):
            row_axpy(X, order[first + m], -g[m], w)
        shrink = 1.0 / (1.0 + eta * l2)
        a, b = 0.0, 0.0
        for j in range(w.size):
            w[j] = scalar_soft_threshold(w[j] + total * xi[j], eta * l1) * shrink
            a += w[j] * means[0, j]
            b += w[j] * means[1, j]
        for j in range(mean.size):
            mean[j] += 2.0 / (t + 1.0) * (w[j] - mean[j])
