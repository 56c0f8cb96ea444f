"""PairSVRG: variance-reduced proximal steps on single pairs, for the elastic net of sparse rows.

    Xiao, Zhang. "A Proximal Stochastic Gradient Method with Progressive Variance Reduction." SIAM J. Optim. 2014.

From a snapshot s, with mu the gradient of the loss at s, a step on a positive row i and a negative row j, with
a = x_i - x_j, is

    g = weight a.(w - s) a + mu,    w <- prox_{eta penalty}(w - eta g) = soft(w - eta g, eta l1) / (1 + eta l2)

Pairs are drawn with probability r_i r_j / weight, with means over pairs and the centre midway between class means:

    weight = mean(h_i + h_j) / (h_i + h_j),    h = |x - centre|^2,    L = 2 mean(h_i + h_j),    eta = 1/(2L)

L does not grow as a class becomes rare, and outliers hardly matter. Unlike w.mean+ and w.mean-, a.w
does not involve the columns that are zero in both rows: there w <- soft(w - eta mu, eta l1) / (1 + eta l2) is merely
repeated, and k such steps have a closed form. While w > 0, with d = 1 / (1 + eta l2),

    w_k = w d^k - eta (mu + l1) (d + d^2 + ... + d^k)

is monotone in k; once it reaches zero it stays there if mu <= l1, and otherwise turns negative. The case w < 0
mirrors this. So a step is exact and costs O(nonzeros of x_i and x_j).

A snapshot that is not better than the last one is discarded and eta halved, but not below 1/(3L). There every
snapshot is accepted and the length of an epoch is geometric, for which convergence is proved (docs/mathematics.md,
section 8). The best snapshot is returned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.numerics.rows import row_axpy, row_dot, row_entry, row_size
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Constraints, Solver, State
from aucmax.solvers.snapshot import INNER_LENGTH, Snapshot, take_snapshot

ROUNDING = 1e-14  # relative rounding error of an objective: a snapshot worse by no more is accepted


@dataclass(frozen=True, eq=False)
class PairSVRGState(State):
    """The best weights, the snapshot to start from, and how pairs are drawn."""

    best: Snapshot  # the best so far
    snapshot: Snapshot  # to start the next epoch from
    eta: float  # the step
    h: np.ndarray  # for every row, at least a thousandth of the mean; pairs are drawn in proportion to h_i + h_j
    L: float  # smoothness constant of a pair


@dataclass(repr=False, kw_only=True)
class PairSVRG(Solver):
    """Prox-SVRG on pairs of rows: L2, l1 and the elastic net, at a cost per step of the nonzeros of two rows.

    Parameters
    ----------
    inner_length : float
        Steps in an epoch, in units of n, at most 1000; a step reads two rows.
    max_epochs, tol
        See `Solver`.
    """

    inner_length: float = 0.5

    parameter_constraints: ClassVar[Constraints] = {"inner_length": [INNER_LENGTH]}
    penalties = ("l2", "elastic net", "l1")

    def init(self, problem: Problem, w: np.ndarray) -> PairSVRGState:
        h = problem.data.centred_norms
        h = np.maximum(h, 1e-3 * (problem.data.r @ h) or 1.0)
        L = 2.0 * float(problem.data.r @ h)
        snapshot = take_snapshot(problem, w)
        return PairSVRGState(w, 1.0, snapshot, snapshot, 0.5 / L, h, L)

    def epoch(self, problem: Problem, state: PairSVRGState, rng: np.random.Generator) -> PairSVRGState:
        n = problem.data.n
        lowest = 1.0 / (3.0 * state.L)
        m = max(1, round(self.inner_length * n))
        length = m if state.eta > lowest else int(rng.geometric(1.0 / m))
        with np.errstate(over="ignore", invalid="ignore"):  # a step that diverges is halved
            new = take_snapshot(problem, _walk(problem, state, length, rng))
        state = replace(state, passes=state.passes + 1.0 + 2.0 * length / n)
        if new.objective <= (1.0 + ROUNDING) * state.best.objective:
            return replace(state, w=new.w, best=new, snapshot=new)
        if state.eta <= lowest:
            return replace(state, snapshot=new) if np.isfinite(new.objective) else state
        return replace(state, eta=max(state.eta / 2.0, lowest))

    def certify(self, problem: Problem, state: PairSVRGState) -> tuple[float, float]:
        return state.best.objective, state.best.gap


def _walk(problem: Problem, state: PairSVRGState, length: int, rng: np.random.Generator) -> np.ndarray:
    """The weights after `length` steps from the snapshot."""
    data = problem.data
    l1, l2 = problem.penalty.l1, problem.penalty.l2
    eta = state.eta
    i, j = _pairs(data, state.h, length, rng)
    weight = float(data.r @ state.h) / (state.h[i] + state.h[j])
    exponents = np.log1p(eta * l2) * np.arange(length + 1.0)
    powers = np.exp(-exponents)
    sums = -np.expm1(-exponents) / (eta * l2) if l2 > 0 else np.arange(length + 1.0)
    mu = eta * state.snapshot.gradient
    w = state.snapshot.w.copy()
    _epoch(data.rows, i, j, eta * weight, state.snapshot.scores, mu, eta * l1, powers, sums, w)
    return w


def _pairs(data: Data, h: np.ndarray, m: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """m pairs in proportion to r_i r_j (h_i + h_j): one row, chosen at random, by r h and the other by r."""
    pos, neg = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)
    by_h = data.r * h
    tilted = rng.random(m) * by_h.sum() < by_h[pos].sum()
    sides = []
    for rows, tilt in ((pos, tilted), (neg, ~tilted)):
        drawn = np.empty(m, dtype=np.int64)
        for weight, which in ((by_h[rows], tilt), (data.r[rows], ~tilt)):
            drawn[which] = rng.choice(rows, np.count_nonzero(which), p=weight / weight.sum())
        sides.append(drawn)
    return sides[0], sides[1]


@compiled
def _epoch(X, pos, neg, weight, scores, mu, l1, powers, sums, w):
    """weight, mu and l1 are already multiplied by eta."""
    done = np.zeros(w.size, np.int64)
    for t in range(pos.size):
        i, j = pos[t], neg[t]
        _catch_up(X, i, t, mu, l1, powers, sums, done, w)
        _catch_up(X, j, t, mu, l1, powers, sums, done, w)
        step = weight[t] * (row_dot(X, i, w) - row_dot(X, j, w) - (scores[i] - scores[j]))
        row_axpy(X, i, -step, w)
        row_axpy(X, j, step, w)
    for k in range(w.size):
        w[k] = skipped_steps(w[k], pos.size - done[k], mu[k], l1, powers, sums)


@compiled
def _catch_up(X, i, t, mu, l1, powers, sums, done, w):
    """Bring the columns of row i to step t; what row i adds in step t + 1 comes before the prox of that step."""
    for p in range(row_size(X, i)):
        k = row_entry(X, i, p)[0]
        if done[k] < t:
            w[k] = skipped_steps(w[k], t - done[k], mu[k], l1, powers, sums)
            done[k] = t


@compiled
def skipped_steps(w, k, mu, l1, powers, sums):
    """w after k steps w <- soft(w - mu, l1) d; powers[k] = d^k, sums[k] = d + ... + d^k; eta is in mu and l1."""
    if w == 0.0 and -l1 <= mu <= l1:
        return 0.0
    sign = 1.0 if w > 0.0 or (w == 0.0 and mu < 0.0) else -1.0
    size = sign * w
    slope = sign * mu
    after = size * powers[k] - (slope + l1) * sums[k]
    if after > 0.0:
        return sign * after
    if slope <= l1:
        return 0.0
    above = 0  # number of steps after which it is still above zero
    below = k  # number of steps after which it no longer is
    for _ in range(64):  # a bisection of fewer than 2^64 steps
        if below - above <= 1:
            break
        middle = (above + below) // 2
        if size * powers[middle] > (slope + l1) * sums[middle]:
            above = middle
        else:
            below = middle
    size = size * powers[above] - (slope + l1) * sums[above]
    size = min(0.0, size - slope + l1) * powers[1]
    return sign * (size * powers[k - below] - (slope - l1) * sums[k - below])
