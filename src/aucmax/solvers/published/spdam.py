"""SPDAM: stochastic primal-dual AUC maximisation.

    Natole, Ying, Lyu. "Stochastic AUC Optimization Algorithms With Linear Convergence." Front. Appl. Math. Stat.
    2019. Based on: Zhang, Xiao. "Stochastic Primal-Dual Coordinate Method for Regularized Empirical Risk
    Minimization." ICML 2015.

With z_i = sqrt(n r_i) (x_i - mean_{y_i}) and delta = mean+ - mean-

    P(w) = max_beta 1/n sum_i (beta_i w.z_i - beta_i^2 / 2) + G(w),   G = 1/2 (1 - w.delta)^2 + l2/2 |w|^2 + l1 |w|_1

A step on a batch I of m rows, with u = 1/n sum_i beta_i z_i and v the extrapolated weights:

    beta_i <- (beta_i + sigma v.z_i) / (1 + sigma), i in I,    du = 1/n sum_I dbeta_i z_i,    u <- u + du
    w_new  = argmin_w  w.(u + (n/m - 1) du) + G(w) + |w - w_old|^2 / (2 tau) = soft(q + s delta, l1) / c
    v      = w_new + theta (w_new - w_old)

    q = w_old / tau - u - (n/m - 1) du,    c = l2 + 1/tau,    s = 1 - w_new.delta, a root in one unknown

    kappa^2 = max |z_i|^2,                 4 kappa^2 m sigma^2 - 2 l2 (n - m) sigma - l2 n = 0,  sigma > 0
    tau = 1 / (4 sigma kappa^2),           theta = 1 - l2 / (l2 + 2 sigma kappa^2)

In the paper z_i is divided by sqrt(2p) instead of sqrt(p), and the updates use raw x_i instead of z_i: that solves
another problem and converges to a wrong point (docs/mathematics.md, section 8). Its sigma lacks l2,

    sigma = ((n - m) + sqrt((n - m)^2 + 4 n m kappa^2 / l2)) / (8 m kappa^2)                         steps "printed"

which leads to the same point, but does not satisfy the conditions of the theorem: on a9a with small batches it takes
many times the passes, on some small tables a third of them. A batch costs O(nonzeros of its rows + dim), since the
prox changes every column. For L2 and many columns use SDCA.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.penalties import scalar_soft_threshold
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Constraints, Solver, State
from aucmax.solvers.visiting_order import shuffled_blocks
from aucmax.validation.params import Integer, Number, Option


class SPDAMSteps(NamedTuple):
    """The step sizes of a run."""

    sigma: float  # dual step
    tau: float  # primal step
    theta: float  # extrapolation

    @classmethod
    def of(cls, n: int, m: int, kappa2: float, l2: float, *, printed: bool = False) -> SPDAMSteps:
        """The best step sizes for batches of m rows out of n, or those printed in the theorem."""
        others = float(n - m)
        sigma = (others + np.sqrt(others**2 + 4.0 * n * m * kappa2 / l2)) / (4.0 * m * kappa2)
        sigma *= 0.5 if printed else l2
        return cls(sigma, 1.0 / (4.0 * sigma * kappa2), 1.0 - l2 / (l2 + 2.0 * sigma * kappa2))


@dataclass(frozen=True, eq=False)
class SPDAMState(State):
    """Primal and dual variables, and the step sizes."""

    v: np.ndarray  # extrapolated weights
    beta: np.ndarray  # dual variables
    u: np.ndarray  # 1/n sum_i beta_i z_i
    steps: SPDAMSteps  # of the run


@dataclass(repr=False, kw_only=True)
class SPDAM(Solver):
    """Stochastic primal-dual AUC maximisation, for L2 and the elastic net.

    Parameters
    ----------
    batch_size : int or float
        Rows in a step, or below 1 their share of all rows (published: 0.1). The passes to a given gap grow with the
        square root of their number; the time of a pass falls until the rows cost as much as the columns.
    steps : {"corrected", "printed"}
        Step sizes that satisfy the conditions of the theorem, or those printed in it, for comparison with the paper.
    max_epochs, tol
        See `Solver`.
    """

    batch_size: float = 8
    steps: str = "corrected"

    parameter_constraints: ClassVar[Constraints] = {
        "batch_size": [Integer(1), Number(0, 1, open="both")],
        "steps": [Option("corrected", "printed")],
    }
    penalties = ("l2", "elastic net")
    certificates = "second"

    def init(self, problem: Problem, w: np.ndarray) -> SPDAMState:
        data = problem.data
        l2 = problem.penalty.l2
        printed = self.steps == "printed"
        steps = SPDAMSteps.of(data.n, self._rows(data), _kappa2(data, l2), l2, printed=printed)
        if not w.any():
            return SPDAMState(w, 0.0, w, np.zeros(data.n), np.zeros(data.dim), steps)
        beta = np.sqrt(data.e) * (data.scores(w) - np.where(data.y > 0, *(data.means @ w)))
        return SPDAMState(w, 1.0, w, beta, data.combine(np.sqrt(data.e) * beta) / data.n, steps)

    def epoch(self, problem: Problem, state: SPDAMState, rng: np.random.Generator) -> SPDAMState:
        data = problem.data
        penalty = problem.penalty
        w = state.w.copy()
        v = state.v.copy()
        beta = state.beta.copy()
        u = state.u.copy()
        m = self._rows(data)
        batches = shuffled_blocks(data, rng)[: data.n // m * m].reshape(-1, m)
        args = (data.rows, data.y, np.sqrt(data.e), batches, data.means, data.delta)
        _epoch(*args, penalty.l1, penalty.l2, state.steps, beta, u, w, v)
        return SPDAMState(w, state.passes + batches.size / data.n, v, beta, u, state.steps)

    def _rows(self, data: Data) -> int:
        """Rows in a batch."""
        rows = self.batch_size if self.batch_size >= 1 else self.batch_size * data.n
        return min(max(round(rows), 1), data.n)


def _kappa2(data: Data, l2: float) -> float:
    """max |z_i|^2, kept above zero since the steps divide by it."""
    return max(float((data.e * data.class_centred_norms).max()), 1e-12 * l2)


@compiled
def _epoch(X, y, root, batches, means, delta, l1, l2, steps, beta, u, w, v):
    n = y.size
    count, m = batches.shape
    sigma, tau, theta = steps
    c = l2 + 1.0 / tau
    du, q = np.zeros(w.size), np.zeros(w.size)
    a, b = 0.0, 0.0
    s = 1.0
    for j in range(w.size):
        a += v[j] * means[0, j]
        b += v[j] * means[1, j]
        s -= w[j] * delta[j]
    for k in range(count):
        du[:] = 0.0
        to_pos, to_neg = 0.0, 0.0
        for i in batches[k]:
            product = root[i] * (row_dot(X, i, v) - (a if y[i] > 0 else b))
            step = sigma * (product - beta[i]) / (1.0 + sigma)
            beta[i] += step
            change = step * root[i] / n
            row_axpy(X, i, change, du)
            to_pos += change if y[i] > 0 else 0.0
            to_neg += 0.0 if y[i] > 0 else change
        for j in range(w.size):
            centred = du[j] - to_pos * means[0, j] - to_neg * means[1, j]
            u[j] += centred
            q[j] = w[j] / tau - u[j] - (n / m - 1.0) * centred
        s = _shortfall(q, delta, l1, c, s)
        a, b = 0.0, 0.0
        for j in range(w.size):
            new = scalar_soft_threshold(q[j] + s * delta[j], l1) / c
            v[j] = new + theta * (new - w[j])
            w[j] = new
            a += v[j] * means[0, j]
            b += v[j] * means[1, j]


@compiled
def _shortfall(q, delta, l1, c, s):
    """The root of 1 - delta.soft(q + s delta, l1) / c - s, by safeguarded Newton's method starting from s."""
    low, high = -np.inf, np.inf
    for _ in range(100):
        value = 1.0 - s
        slope = 1.0
        for j in range(q.size):
            shrunk = scalar_soft_threshold(q[j] + s * delta[j], l1)
            value -= delta[j] * shrunk / c
            slope += delta[j] * delta[j] / c if shrunk != 0.0 else 0.0
        low, high = (s, high) if value > 0 else (low, s)
        root = s + value / slope
        root = root if low <= root <= high else 0.5 * (low + high)
        if l1 == 0.0 or abs(root - s) <= 1e-12 * (1.0 + abs(s)):  # on the same linear piece, where the root is exact
            return root
        s = root
    return s
