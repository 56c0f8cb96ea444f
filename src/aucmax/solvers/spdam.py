"""SPDAM: stochastic primal-dual AUC maximisation.

    Natole, Ying, Lyu. "Stochastic AUC Optimization Algorithms With Linear Convergence." Front. Appl. Math. Stat.
    2019. After: Zhang, Xiao. "Stochastic Primal-Dual Coordinate Method for Regularized Empirical Risk Minimization."
    ICML 2015.

With z_i = sqrt(n r_i) (x_i - mean_{y_i}) and delta = mean+ - mean-

    P(w) = max_beta 1/n sum_i (beta_i w.z_i - beta_i^2 / 2) + G(w),   G = 1/2 (1 - w.delta)^2 + l2/2 |w|^2 + l1 |w|_1

A step on a batch I of m rows, with u = 1/n sum_i beta_i z_i and v the extrapolated weights:

    beta_i <- (beta_i + sigma v.z_i) / (1 + sigma), i in I,    du = 1/n sum_I dbeta_i z_i,    u <- u + du
    w_new  = argmin_w  w.(u + (n/m - 1) du) + G(w) + |w - w_old|^2 / (2 tau) = soft(q + s delta, l1) / c
    v      = w_new + theta (w_new - w_old)

    q = w_old / tau - u - (n/m - 1) du,    c = l2 + 1/tau,    s = 1 - w_new.delta, a root in one unknown

    kappa^2 = max |z_i|^2,                 4 kappa^2 m sigma^2 - 2 l2 (n - m) sigma - l2 n = 0,  sigma > 0
    tau = 1 / (4 sigma kappa^2),           theta = 1 - l2 / (l2 + 2 sigma kappa^2)

As printed, z_i divides by sqrt(2p) for sqrt(p), the updates have raw x_i for z_i, and sigma lacks l2: that is another
problem, a wrong point and many times the passes (spec 5, 9). A batch costs O(nonzeros of its rows + dim): the prox
moves every column. For L2 and many columns use SDCA.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.shared.order import shuffled_blocks
from aucmax.validation.params import check_number


class Steps(NamedTuple):
    """The dual step, the primal step and the extrapolation."""

    sigma: float
    tau: float
    theta: float

    @classmethod
    def of(cls, n: int, m: int, kappa2: float, l2: float) -> Steps:
        """The best for batches of m rows out of n."""
        others = float(n - m)
        sigma = l2 * (others + np.sqrt(others**2 + 4.0 * n * m * kappa2 / l2)) / (4.0 * m * kappa2)
        return cls(sigma, 1.0 / (4.0 * sigma * kappa2), 1.0 - l2 / (l2 + 2.0 * sigma * kappa2))


class Saddle(NamedTuple):
    """Weights, passes over the data, extrapolated weights, dual variables, u, and the steps."""

    w: np.ndarray
    passes: float
    v: np.ndarray
    beta: np.ndarray
    u: np.ndarray
    steps: Steps


@dataclass(repr=False, kw_only=True)
class SPDAM(Solver):
    """Stochastic primal-dual AUC maximisation, for L2 and the elastic net.

    Parameters
    ----------
    batch_size : int
        Rows in a step. The passes to a given gap grow with its root, the time of a pass falls until the rows cost
        as much as the columns.
    max_epochs, tol
        See `Solver`.
    """

    batch_size: int = 8

    penalties: ClassVar[tuple[str, ...]] = ("l2", "elastic net")
    stochastic: ClassVar[bool] = True

    def init(self, problem: Problem, w: np.ndarray) -> Saddle:
        check_number("batch_size", self.batch_size, whole=True)
        data, l2 = problem.data, problem.penalty.l2
        steps = Steps.of(data.n, self._rows(data), _kappa2(data, l2), l2)
        if not w.any():
            return Saddle(w, 0.0, w, np.zeros(data.n), np.zeros(data.dim), steps)
        beta = np.sqrt(data.e) * (data.scores(w) - np.where(data.y > 0, *(data.means @ w)))
        return Saddle(w, 1.0, w, beta, data.combine(np.sqrt(data.e) * beta) / data.n, steps)

    def epoch(self, problem: Problem, state: Saddle, rng: np.random.Generator) -> Saddle:
        data, penalty = problem.data, problem.penalty
        w, v, beta, u = state.w.copy(), state.v.copy(), state.beta.copy(), state.u.copy()
        m = self._rows(data)
        batches = shuffled_blocks(data.n, rng)[: data.n // m * m].reshape(-1, m)
        args = (data.rows, data.y, np.sqrt(data.e), batches, data.means, data.delta)
        _epoch(*args, penalty.l1, penalty.l2, state.steps, beta, u, w, v)
        return Saddle(w, state.passes + batches.size / data.n, v, beta, u, state.steps)

    def _rows(self, data: Data) -> int:
        """Rows in a batch."""
        return min(self.batch_size, data.n)


def _kappa2(data: Data, l2: float) -> float:
    """max |z_i|^2; above zero, as the steps divide by it."""
    own = np.where(data.y > 0, 0, 1)
    products = np.where(data.y > 0, *data.mean_products.T)
    norms2 = data.squared_norms - 2.0 * products + np.square(data.means).sum(axis=1)[own]
    return max(float((data.e * norms2).max()), 1e-12 * l2)


@compiled
def _epoch(X, y, root, batches, means, delta, l1, l2, steps, beta, u, w, v):
    n, (count, m) = y.size, batches.shape
    sigma, tau, theta = steps
    c = l2 + 1.0 / tau
    du, q = np.zeros(w.size), np.zeros(w.size)
    a, b, s = 0.0, 0.0, 1.0
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
            new = _soft(q[j] + s * delta[j], l1) / c
            v[j] = new + theta * (new - w[j])
            w[j] = new
            a += v[j] * means[0, j]
            b += v[j] * means[1, j]


@compiled
def _shortfall(q, delta, l1, c, s):
    """The root of 1 - delta.soft(q + s delta, l1) / c - s: Newton's method, kept between bounds, from s."""
    low, high = -np.inf, np.inf
    for _ in range(100):
        value, slope = 1.0 - s, 1.0
        for j in range(q.size):
            shrunk = _soft(q[j] + s * delta[j], l1)
            value -= delta[j] * shrunk / c
            slope += delta[j] * delta[j] / c if shrunk != 0.0 else 0.0
        low, high = (s, high) if value > 0 else (low, s)
        root = s + value / slope
        root = root if low <= root <= high else 0.5 * (low + high)
        if l1 == 0.0 or abs(root - s) <= 1e-12 * (1.0 + abs(s)):  # the piece of s, whose root this is exactly
            return root
        s = root
    return s


@compiled
def _soft(z, threshold):
    return z - threshold if z > threshold else z + threshold if z < -threshold else 0.0
