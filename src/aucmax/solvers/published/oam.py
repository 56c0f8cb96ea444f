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

w = f v, so that a step costs O(nonzeros) of the rows involved. During an epoch reservoirs hold row indices; between
epochs they hold copies of the rows, in the units of the user.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.losses import Hinge
from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import alike, as_rows, is_sparse, scaled_columns, squared_norms, stacked
from aucmax.numerics.rows import row_axpy, row_dot, row_norm2
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

    def after(self, data: Data, seen: np.ndarray, kept: np.ndarray, slots: np.ndarray) -> Reservoirs:
        """With copies of the rows in the slots: slot k >= 0 is row k of the data, k < 0 row -1 - k of the old X."""
        named = np.concatenate([slots[0, : kept[0]], slots[1, : kept[1]]])
        fresh = named >= 0
        both = stacked(self.X[-1 - named[~fresh]], data.X[named[fresh]])
        place = np.argsort(np.concatenate([np.flatnonzero(~fresh), np.flatnonzero(fresh)]))
        return Reservoirs(seen, kept, both[place])


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
        # the rows, and the reservoirs as row indices
        old = state.reservoirs._replace(X=alike(state.reservoirs.X, data.X))
        rows = _near_zero(data.X, data)
        kept_rows = _near_zero(old.X, data)
        seen = old.seen.copy()
        kept = old.kept.copy()
        constants = self._constants(problem)
        slots = _slots(old.kept, max(constants.negatives, constants.positives))
        norms = _slot_norms(slots, squared_norms(kept_rows, old.kept.sum()))
        # the weights, and buffers
        v = state.w.copy()
        x = np.zeros(data.dim)
        active = np.empty(slots.shape[1], dtype=np.int64)
        visits = (data.y, data.weight, relative_weights(data), order, uniforms)
        t = _epoch(rows, kept_rows, *visits, constants, state.t, seen, kept, slots, norms, v, x, active)
        return OAMState(v, state.passes + 1.0, t, old.after(data, seen, kept, slots))

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


def _slots(kept: np.ndarray, size: int) -> np.ndarray:
    """The rows kept, as indices -1, -2, ... in the order of `Reservoirs.X`."""
    slots = np.zeros((2, max(size, kept.max())), dtype=np.int64)
    slots[0, : kept[0]] = -1 - np.arange(kept[0])
    slots[1, : kept[1]] = -1 - kept[0] - np.arange(kept[1])
    return slots


def _slot_norms(slots: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """|b|^2 for the rows kept, slot by slot."""
    out = np.zeros(slots.shape)
    out[slots < 0] = norms[-1 - slots[slots < 0]]
    return out


@compiled
def _epoch(X, B, y, weight, relative, order, uniforms, constants, t, seen, kept, slots, norms, v, x, active):
    f = 1.0
    for turn in range(order.size):
        i = order[turn]
        own, other = (1, 0) if y[i] > 0 else (0, 1)
        count = kept[other]
        norm2 = row_norm2(X, i)
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
                _sequential_update(X, B, i, y[i], c, f, norm2, slots[other], norms[other], count, v, x)
            else:
                _gradient_update(X, B, i, y[i], c, f, slots[other], count, v, active)
        seen[own] += weight[i]
        size = constants.positives if y[i] > 0 else constants.negatives
        place = kept[own]
        if place < size:
            kept[own] += 1
        else:
            place = int(min(uniforms[turn] * seen[own] / weight[i], size))
        if place < size:
            slots[own, place] = i
            norms[own, place] = norm2
    for j in range(v.size):
        v[j] *= f
    return t


@compiled
def _sequential_update(X, B, i, y, c, f, norm2, slots, norms, count, v, x):
    """Update w = f v + a x, where the part along x is added at the end; the buffer x is zero before and after."""
    row_axpy(X, i, 1.0, x)
    wx = f * row_dot(X, i, v)
    a = 0.0
    for k in range(count):
        b = slots[k]
        xb = row_dot(X, b, x) if b >= 0 else row_dot(B, -1 - b, x)  # a compiled helper would take twice as long
        wb = f * (row_dot(X, b, v) if b >= 0 else row_dot(B, -1 - b, v)) + a * xb
        loss = 1.0 - y * (wx - wb)
        square = norm2 + norms[k] - 2.0 * xb
        if loss > 0.0 and square > 1e-15 * (norm2 + norms[k]):
            step = y * min(c, loss / square)
            _slot_axpy(X, B, b, -step / f, v)
            wx += step * (norm2 - xb)
            a += step
    row_axpy(X, i, a / f, v)
    row_axpy(X, i, -1.0, x)


@compiled
def _gradient_update(X, B, i, y, c, f, slots, count, v, active):
    """Update w = f v."""
    wx = f * row_dot(X, i, v)
    found = 0
    for k in range(count):
        b = slots[k]
        wb = f * (row_dot(X, b, v) if b >= 0 else row_dot(B, -1 - b, v))
        if y * (wx - wb) <= 1.0:
            active[found] = b
            found += 1
    for k in range(found):
        _slot_axpy(X, B, active[k], -c * y / f, v)
    row_axpy(X, i, c * y * found / f, v)


@compiled
def _slot_axpy(X, B, b, step, v):
    """Add step times a row of the reservoir to v."""
    if b >= 0:
        row_axpy(X, b, step, v)
    else:
        row_axpy(B, -1 - b, step, v)
