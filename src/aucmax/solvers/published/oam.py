"""OAM: online AUC maximisation with a reservoir of rows for each class.

    Zhao, Hoi, Jin, Yang. "Online AUC Maximization." ICML 2011.

Row by row, with b running over the reservoir of the other class (N of the N_o rows seen) and z = y (x - b),

    sequential:  w <- w + min(c, max(0, 1 - w.z) / |z|^2) z,  b by b     argmin |w - w'|^2/(2c) + hinge
    gradient:    w <- w + c sum of the z with w.z <= 1

    published:   c = C/2 max(1, N_o/N),                  which turns the sum over N rows into one over N_o
    normalised:  c = eta_t / N,  eta_t = eta / sqrt(t),  a step on the mean over the reservoir

so that N c is the length of a step on the mean loss of the row, and w <- w / (1 + N c l2) before it (published:
l2 = 0). Published steps grow with the number of rows seen: C must fall with the length of the stream. Then the row
enters the reservoir of its class: always while there is space, and later in a random slot with probability N s / (sum
of the weights s so far), so that a reservoir is a sample of the rows in proportion to their weights.

w = f v, so that a step costs O(nonzeros) of the rows involved. Between epochs the reservoirs hold copies of the rows,
in the units of the user; during an epoch they hold indices of a table of these copies and the rows of the epoch.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.losses import Hinge
from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import alike, as_rows, is_sparse, scaled_columns, squared_norms, stacked
from aucmax.numerics.rows import row_axpy, row_dot
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.solvers.base import POSITIVE, Constraints, State
from aucmax.solvers.published.one_pass import OnePassSolver, relative_weights, total_variance
from aucmax.validation.params import Boolean, Integer, Option

SMALL = 1e-9  # f below which v is multiplied out
BUFFER_SIZE = Integer(1, 10**6)  # allocated at once, and a step visits every row of it


class Reservoirs(NamedTuple):
    """A sample of the rows of each class, the negatives first."""

    seen: np.ndarray  # weight of all rows seen, for each class
    kept: np.ndarray  # number of rows kept, for each class
    X: Any  # the rows kept, in the units of the user


@dataclass(frozen=True, eq=False)
class OAMState(State):
    """The number of steps, and the reservoirs."""

    t: int  # steps so far
    reservoirs: Reservoirs

    def check(self) -> None:
        kept = self.reservoirs.kept
        if kept.min() < 0 or int(kept.sum()) != self.reservoirs.X.shape[0]:
            raise ValueError(f"the reservoirs hold {self.reservoirs.X.shape[0]} rows, not {kept.tolist()}")


class OAMConstants(NamedTuple):
    """The constants of an epoch."""

    sequential: bool  # whether to update with the rows of a reservoir one by one
    normalize: bool  # whether to take normalised steps instead of the published ones
    step: float  # C/2 or eta
    l2: float  # strength of the L2 penalty
    share: float  # rows per unit of weight
    negatives: int  # rows that the reservoir of the negatives holds
    positives: int  # the same for the positives


@dataclass(repr=False, kw_only=True)
class OAM(OnePassSolver):
    """Online AUC maximisation for the hinge and L2: a baseline for streams.

    Parameters
    ----------
    update : {"sequential", "gradient"}
        Pair the row with those of the reservoir one by one, or with all at once.
    buffer_size : int
        Rows that the reservoir of each class holds, at most a million.
    negative_buffer_size : int or None
        Rows that the reservoir of the negatives holds, if not `buffer_size` as that of the positives.
    normalize : bool
        Take steps that decay as 1/sqrt(t) on the mean over the reservoir, instead of the published ones, which grow
        with the number of rows seen.
    C : float or None
        Size of the published steps. None means 2/(n v), with v the mean squared distance of the rows from their mean
        and n the number of rows seen: in `fit` that is the length of the stream, as it should be; in a stream the
        length is not known.
    eta : float or None
        Size of the normalised steps. None means 2/v.
    order, max_epochs, tol
        See `OnePassSolver`.
    """

    update: str = "sequential"
    buffer_size: int = 100
    negative_buffer_size: int | None = None
    normalize: bool = True
    C: float | None = None
    eta: float | None = None

    parameter_constraints: ClassVar[Constraints] = {
        "update": [Option("sequential", "gradient")],
        "buffer_size": [BUFFER_SIZE],
        "negative_buffer_size": [None, BUFFER_SIZE],
        "normalize": [Boolean()],
        "C": [None, POSITIVE],
        "eta": [None, POSITIVE],
    }
    losses = (Hinge,)

    def init(self, problem: Problem, w: np.ndarray) -> OAMState:
        empty = Reservoirs(np.zeros(2), np.zeros(2, dtype=np.int64), problem.data.X[:0].copy())
        return OAMState(w, 0.0, 0, empty)

    def epoch(self, problem: Problem, state: OAMState, rng: np.random.Generator) -> OAMState:
        data = problem.data
        order = self.row_order(data, rng)
        uniforms = rng.random(data.n)
        constants = self._constants(problem)
        # the rows kept before, and then those of the data
        X = stacked(alike(state.reservoirs.X, data.X), data.X)
        first = X.shape[0] - data.n
        rows = _near_zero(X, data)
        norms = squared_norms(rows, X.shape[0])
        # the reservoirs, as indices of these rows
        seen = state.reservoirs.seen.copy()
        kept = state.reservoirs.kept.copy()
        slots = np.zeros((2, max(constants.negatives, constants.positives, kept.max())), dtype=np.int64)
        slots[0, : kept[0]] = np.arange(kept[0])
        slots[1, : kept[1]] = np.arange(kept[0], first)
        # the weights, and buffers
        v = state.w.copy()
        x = np.zeros(data.dim)
        active = np.empty(slots.shape[1], dtype=np.int64)
        visits = (data.y, data.weight, relative_weights(data), order, uniforms)
        t = _epoch(rows, norms, first, *visits, constants, state.t, seen, kept, slots, v, x, active)
        copies = X[np.concatenate([slots[0, : kept[0]], slots[1, : kept[1]]])]
        return OAMState(v, state.passes + 1.0, t, Reservoirs(seen, kept, copies))

    def _constants(self, problem: Problem) -> OAMConstants:
        pos, neg = problem.data.raw_moments.pos, problem.data.raw_moments.neg
        n = pos.count + neg.count
        v = total_variance(problem.data)
        return OAMConstants(
            sequential=self.update == "sequential",
            normalize=self.normalize,
            step=(self.eta or 2.0 / v) if self.normalize else 0.5 * (self.C or 2.0 / (n * v)),
            l2=problem.penalty.l2,
            share=n / (pos.weight + neg.weight),
            negatives=self.negative_buffer_size or self.buffer_size,
            positives=self.buffer_size,
        )


def _near_zero(X: Any, data: Data) -> Any:
    """Scaled rows, dense ones centred at the midpoint of the class means: same differences, without cancellation."""
    if is_sparse(X):
        return as_rows(scaled_columns(X, data.scale))
    rows = X - data.raw_means.mean(axis=0)
    rows /= data.scale
    return as_rows(rows)


@compiled
def _epoch(X, norms, first, y, weight, relative, order, uniforms, constants, t, seen, kept, slots, v, x, active):
    """Row i of the data is row first + i of X."""
    f = 1.0
    for turn in range(order.size):
        i = order[turn]
        own, other = (1, 0) if y[i] > 0 else (0, 1)
        row = first + i
        count = kept[other]
        if count > 0:
            t += 1
            published = max(1.0, seen[other] * constants.share / count)
            c = constants.step * (1.0 / (sqrt(t) * count) if constants.normalize else published) * relative[i]
            f /= 1.0 + c * count * constants.l2
            if f < SMALL:
                for j in range(v.size):
                    v[j] *= f
                f = 1.0
            if constants.sequential:
                _sequential_update(X, norms, row, y[i], c, f, slots[other, :count], v, x)
            else:
                _gradient_update(X, row, y[i], c, f, slots[other, :count], v, active)
        seen[own] += weight[i]
        size = constants.positives if y[i] > 0 else constants.negatives
        place = kept[own]
        if place < size:
            kept[own] += 1
        else:
            place = int(min(uniforms[turn] * seen[own] / weight[i], size))
        if place < size:
            slots[own, place] = row
    for j in range(v.size):
        v[j] *= f
    return t


@compiled
def _sequential_update(X, norms, i, y, c, f, reservoir, v, x):
    """Update w = f v + a x, where the part along x is added at the end; the buffer x is zero before and after."""
    row_axpy(X, i, 1.0, x)
    wx = f * row_dot(X, i, v)
    a = 0.0
    for b in reservoir:
        xb = row_dot(X, b, x)
        loss = 1.0 - y * (wx - f * row_dot(X, b, v) - a * xb)
        square = norms[i] + norms[b] - 2.0 * xb
        if loss > 0.0 and square > 1e-15 * (norms[i] + norms[b]):
            step = y * min(c, loss / square)
            row_axpy(X, b, -step / f, v)
            wx += step * (norms[i] - xb)
            a += step
    row_axpy(X, i, a / f, v)
    row_axpy(X, i, -1.0, x)


@compiled
def _gradient_update(X, i, y, c, f, reservoir, v, active):
    """Update w = f v; `active` is a buffer."""
    wx = f * row_dot(X, i, v)
    count = 0
    for b in reservoir:
        if y * (wx - f * row_dot(X, b, v)) <= 1.0:
            active[count] = b
            count += 1
    for b in active[:count]:
        row_axpy(X, b, -c * y / f, v)
    row_axpy(X, i, c * y * count / f, v)
