"""Gram descent: cyclic coordinate descent on a quadratic given by its matrix.

For 1/2 w'Hw - w.delta + l1 |w|_1 + l2/2 |w|^2, with g = Hw - delta maintained,

    w_j <- soft(H_jj w_j - g_j, l1) / (H_jj + l2),    g <- g + H_j dw_j

An update of a coordinate costs O(dim), or O(1) if it does not move. After epochs 4, 8, 16, ... the steps of
active_set.py follow: equal columns, between which coordinate descent hardly moves, do not delay them. Under a small
penalty, with more columns than rows, both start from too many nonzero weights; therefore, before epoch 4, the penalty
is divided by 2 from the largest useful one down to that of the problem, each minimiser being the start of the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from aucmax.numerics.compiled import compiled
from aucmax.penalties import scalar_soft_threshold
from aucmax.problem.objective import Problem
from aucmax.solvers.active_set import Quadratic, active_set_steps
from aucmax.solvers.base import State

GRAM_LIMIT = 3000  # number of columns up to which a Gram matrix pays off
SWEEPS = 10  # over the coordinates, between two certificates
PATH_EPOCH = 4  # the epoch that follows a path of penalties
PATH_ROUNDS = 3  # rounds of sweeps and active-set steps at each penalty of the path
PATH_SWEEPS = 3  # sweeps in such a round
PATH_LENGTH = 40  # maximum number of penalties: 2^-40 is below the rounding error of most objectives


@dataclass(frozen=True, eq=False)
class GramDescentState(State):
    """The state of `Exact` for the elastic net."""

    H: np.ndarray  # S + delta delta'
    epochs: int = 0  # so far

    @classmethod
    def start(cls, problem: Problem, w: np.ndarray) -> GramDescentState:
        """From weights w."""
        return cls(w, 1.0, problem.data.within + np.outer(problem.data.delta, problem.data.delta))

    def sweep(self, problem: Problem) -> GramDescentState:
        """Several sweeps over all coordinates, after recomputing the gradient, and now and then active-set steps."""
        quadratic = Quadratic(self.H, problem.data.delta, problem.penalty.l1, problem.penalty.l2)
        epochs = self.epochs + 1
        w = _better(quadratic, self.w, _follow_path(quadratic)) if epochs == PATH_EPOCH else self.w.copy()
        gradient = self.H @ w - quadratic.delta
        gram_sweeps(self.H, gradient, w, quadratic.l1, quadratic.l2, SWEEPS, 0.0)
        if epochs >= PATH_EPOCH and epochs & (epochs - 1) == 0:
            w = active_set_steps(quadratic, w)
        return replace(self, w=w, epochs=epochs)


def _follow_path(quadratic: Quadratic) -> np.ndarray:
    """The weights at the end of a path of falling penalties, each a multiple of the one given."""
    w = np.zeros(quadratic.delta.size)
    largest = float(np.abs(quadratic.delta).max(initial=0.0))  # with such an l1 all weights are zero
    doublings = int(min(np.log2(max(largest / quadratic.l1, 1.0)), PATH_LENGTH))
    for k in range(doublings, 0, -1):
        stronger = quadratic._replace(l1=2.0**k * quadratic.l1, l2=2.0**k * quadratic.l2)
        for _ in range(PATH_ROUNDS):
            gradient = quadratic.H @ w - quadratic.delta
            gram_sweeps(quadratic.H, gradient, w, stronger.l1, stronger.l2, PATH_SWEEPS, 0.0)
            w = active_set_steps(stronger, w)
    return w


def _better(quadratic: Quadratic, w: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A copy of the weights with the lower objective."""
    return (other if quadratic.value(other) < quadratic.value(w) else w).copy()


@compiled
def gram_sweeps(H, g, w, l1, l2, sweeps, enough):
    """Sweep at most `sweeps` times, until no |dw_j| sqrt(H_jj + l2) exceeds `enough`; update w and g in place."""
    for _ in range(sweeps):
        largest = 0.0
        for j in range(w.size):
            curvature = H[j, j] + l2
            if curvature <= 0.0:
                continue
            target = scalar_soft_threshold(H[j, j] * w[j] - g[j], l1) / curvature
            step = target - w[j]
            if step != 0.0:
                w[j] = target
                largest = max(largest, abs(step) * sqrt(curvature))
                for k in range(w.size):
                    g[k] += step * H[j, k]
        if largest <= enough:
            break
