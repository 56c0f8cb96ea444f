"""OAM: online AUC maximisation with a reservoir of rows for each class.

    Zhao, Hoi, Jin, Yang. "Online AUC Maximization." ICML 2011.

Row by row, with b running over the rows that the other class has in its reservoir, N of N_o seen, and z = y (x - b),

    sequential:  w <- w + min(c, max(0, 1 - w.z) / |z|^2) z,  b by b     argmin |w - w'|^2/(2c) + hinge
    gradient:    w <- w + c sum of the z with w.z <= 1

    published:   c = C/2 max(1, N_o/N),                  which makes the sum over N rows one over N_o
    normalised:  c = eta_t / N,  eta_t = eta / sqrt(t),  a step on the mean over the reservoir

so that N c is the length of a step on the mean loss of the row, and w <- w / (1 + N c l2) before it (published:
l2 = 0). Published steps grow with the number of rows seen: C must fall with the length of the stream. Then the row is
put into the reservoir of its class: while there is room, and later in a random place with probability N s / (sum of
the weights s so far), so that a reservoir is a uniform sample, or one in proportion to the weights.

w = f v, so that a step costs O(nonzeros) of the rows involved. In an epoch reservoirs hold numbers of rows; what is
kept after it are copies, in the units of the user.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from aucmax.losses import Hinge
from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import as_rows, dense, is_sparse, scaled_columns, squared_norms
from aucmax.numerics.rows import row_axpy, row_dot, row_norm2
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import Solver
from aucmax.solvers.shared.onepass import ORDERS, check_choice, spread, step_weights, visits
from aucmax.validation.params import check_number, check_positive

UPDATES = ("sequential", "gradient")
SMALL = 1e-9  # of the factor f: below it, v is multiplied out


class Reservoirs(NamedTuple):
    """Weight seen and rows kept of the negative and of the positive class; the rows, in the units of the user."""

    seen: np.ndarray
    kept: np.ndarray
    X: Any

    def in_kind_of(self, X: Any) -> Reservoirs:
        """With dense rows or CSR, whichever X is."""
        if is_sparse(X) == is_sparse(self.X):
            return self
        return self._replace(X=sparse.csr_array(self.X) if is_sparse(X) else dense(self.X))

    def after(self, data: Data, seen: np.ndarray, kept: np.ndarray, slots: np.ndarray) -> Reservoirs:
        """With copies of the rows that the slots name: row k of the data, or row -1 - k of the old reservoirs."""
        named = np.concatenate([slots[0, : kept[0]], slots[1, : kept[1]]])
        fresh = named >= 0
        parts = [self.X[-1 - named[~fresh]], data.X[named[fresh]]]
        both = sparse.vstack(parts, format="csr") if is_sparse(data.X) else np.vstack(parts)
        place = np.argsort(np.concatenate([np.flatnonzero(~fresh), np.flatnonzero(fresh)]))
        return Reservoirs(seen, kept, both[place])


class Buffered(NamedTuple):
    """Weights, passes over the data, steps so far, reservoirs."""

    w: np.ndarray
    passes: float
    t: int
    reservoirs: Reservoirs


class Rule(NamedTuple):
    """What does not change in an epoch: update, step (C/2 or eta), penalty, rows per unit of weight, capacity."""

    sequential: bool
    normalize: bool
    step: float
    l2: float
    share: float
    size: int


@dataclass(repr=False, kw_only=True)
class OAM(Solver):
    """Online AUC maximisation for the hinge and L2: a baseline for streams.

    A stream that begins with one class alone has none to pair its rows with: once the other class comes, only the
    latest 1000 rows that waited are met.

    Parameters
    ----------
    update : {"sequential", "gradient"}
        Meet the rows of the reservoir one by one, or all at once.
    buffer_size : int
        Rows that the reservoir of each class holds.
    normalize : bool
        Take steps that fall as 1/sqrt(t) on the mean over the reservoir, instead of the published ones, which grow
        with the number of rows seen.
    C : float or None
        Of the published steps. None takes 2/(n v), v the mean squared distance of the rows to their mean and n the
        number of rows seen: in `fit` the length of the stream, as it should be; in a stream it is not known.
    eta : float or None
        Of the normalised steps. None takes 2/v.
    order : {"shuffled", "stream"}
        Visit the rows in shuffled blocks, or as they come.
    max_epochs, tol
        See `Solver`. One pass does not reach a small tol.
    """

    update: str = "sequential"
    buffer_size: int = 100
    normalize: bool = True
    C: float | None = None
    eta: float | None = None
    order: str = "shuffled"
    max_epochs: int = 1

    losses = (Hinge,)
    stochastic = True
    online = True
    certified = False
    penalties = ("l2", "none")

    def adapt(self, problem: Problem) -> Problem:
        check_number("buffer_size", self.buffer_size, whole=True)
        check_positive(C=self.C, eta=self.eta)
        check_choice(update=(self.update, UPDATES), order=(self.order, ORDERS))
        return problem

    def init(self, problem: Problem, w: np.ndarray) -> Buffered:
        return Buffered(w, 0.0, 0, Reservoirs(np.zeros(2), np.zeros(2, dtype=np.int64), problem.data.X[:0].copy()))

    def epoch(self, problem: Problem, state: Buffered, rng: np.random.Generator) -> Buffered:
        data, old = problem.data, state.reservoirs.in_kind_of(problem.data.X)
        order, chance = visits(self.order, data.n, rng), rng.random(data.n)
        rows, kept_rows = _near_zero(data.X, data), _near_zero(old.X, data)
        seen, kept, slots = old.seen.copy(), old.kept.copy(), _slots(old.kept, self.buffer_size)
        norms = _norms_of(slots, squared_norms(kept_rows, old.kept.sum()))
        v, x, active = state.w.copy(), np.zeros(data.dim), np.empty(slots.shape[1], dtype=np.int64)
        turns = (data.y, data.weight, step_weights(data), order, chance)
        t = _epoch(rows, kept_rows, *turns, self._rule(problem), state.t, seen, kept, slots, norms, v, x, active)
        return Buffered(v, state.passes + 1.0, t, old.after(data, seen, kept, slots))

    def _rule(self, problem: Problem) -> Rule:
        moments, v = problem.data.raw_moments, spread(problem.data)
        n, weight = moments.pos.count + moments.neg.count, moments.pos.weight + moments.neg.weight
        step = (self.eta or 2.0 / v) if self.normalize else 0.5 * (self.C or 2.0 / (n * v))
        return Rule(
            sequential=self.update == "sequential",
            normalize=self.normalize,
            step=step,
            l2=problem.penalty.l2,
            share=n / weight,
            size=self.buffer_size,
        )


def _near_zero(X: Any, data: Data) -> Any:
    """Scaled rows, dense ones from the middle of the class means: differences are the same, and lose no digits."""
    if is_sparse(X):
        return as_rows(scaled_columns(X, data.scale))
    rows = X - data.raw_means.mean(axis=0)
    rows /= data.scale
    return as_rows(rows)


def _slots(kept: np.ndarray, size: int) -> np.ndarray:
    """The rows kept, as the numbers -1, -2, ... in the order of `Reservoirs.X`."""
    slots = np.zeros((2, max(size, kept.max())), dtype=np.int64)
    slots[0, : kept[0]] = -1 - np.arange(kept[0])
    slots[1, : kept[1]] = -1 - kept[0] - np.arange(kept[1])
    return slots


def _norms_of(slots: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """|b|^2 of the rows kept, slot by slot."""
    out = np.zeros(slots.shape)
    out[slots < 0] = norms[-1 - slots[slots < 0]]
    return out


@compiled
def _epoch(X, B, y, weight, relative, order, chance, rule, t, seen, kept, slots, norms, v, x, active):
    f = 1.0
    for turn in range(order.size):
        i = order[turn]
        own, other = (1, 0) if y[i] > 0 else (0, 1)
        count, norm2 = kept[other], row_norm2(X, i)
        if count > 0:
            t += 1
            times = 1.0 / (sqrt(t) * count) if rule.normalize else max(1.0, seen[other] * rule.share / count)
            c = rule.step * times * relative[i]
            f /= 1.0 + c * count * rule.l2
            if f < SMALL:
                for j in range(v.size):
                    v[j] *= f
                f = 1.0
            if rule.sequential:
                _one_by_one(X, B, i, y[i], c, f, norm2, slots[other], norms[other], count, v, x)
            else:
                _all_at_once(X, B, i, y[i], c, f, slots[other], count, v, active)
        seen[own] += weight[i]
        place = kept[own]
        if place < rule.size:
            kept[own] += 1
        else:
            place = int(min(chance[turn] * seen[own] / weight[i], rule.size))
        if place < rule.size:
            slots[own, place] = i
            norms[own, place] = norm2
    for j in range(v.size):
        v[j] *= f
    return t


@compiled
def _one_by_one(X, B, i, y, c, f, norm2, slots, norms, count, v, x):
    """Sequential update of w = f v + a x, the part along x being added at the end; x is zero before and after."""
    row_axpy(X, i, 1.0, x)
    wx, a = f * row_dot(X, i, v), 0.0
    for k in range(count):
        b = slots[k]
        xb = row_dot(X, b, x) if b >= 0 else row_dot(B, -1 - b, x)
        wb = f * (row_dot(X, b, v) if b >= 0 else row_dot(B, -1 - b, v)) + a * xb
        loss, square = 1.0 - y * (wx - wb), norm2 + norms[k] - 2.0 * xb
        if loss > 0.0 and square > 1e-15 * (norm2 + norms[k]):
            step = y * min(c, loss / square)
            _add(X, B, b, -step / f, v)
            wx += step * (norm2 - xb)
            a += step
    row_axpy(X, i, a / f, v)
    row_axpy(X, i, -1.0, x)


@compiled
def _all_at_once(X, B, i, y, c, f, slots, count, v, active):
    """Gradient update of w = f v."""
    wx, found = f * row_dot(X, i, v), 0
    for k in range(count):
        b = slots[k]
        wb = f * (row_dot(X, b, v) if b >= 0 else row_dot(B, -1 - b, v))
        if y * (wx - wb) <= 1.0:
            active[found] = b
            found += 1
    for k in range(found):
        _add(X, B, active[k], -c * y / f, v)
    row_axpy(X, i, c * y * found / f, v)


@compiled
def _add(X, B, b, step, v):
    """Add step times a row of the reservoir to v."""
    if b >= 0:
        row_axpy(X, b, step, v)
    else:
        row_axpy(B, -1 - b, step, v)
