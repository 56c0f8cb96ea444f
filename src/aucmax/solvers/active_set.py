"""Active-set steps: Newton steps on the weights that are not zero, for a quadratic with an elastic net.

Where columns are nearly equal, coordinate descent moves weight from one to the other in ever smaller steps. While no
weight changes its sign, the objective 1/2 w'Hw - w.delta + l1 |w|_1 + l2/2 |w|^2 is a quadratic, with its minimum at

    (H_AA + l2 I) t = delta_A - l1 sign(w_A),    A = {j: w_j != 0}

A step goes towards t; weights that would change their sign become zero, and it is halved until the objective falls.
If it never does, the step ends where the first weight becomes zero: there the objective is not larger than before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

LARGEST = 1000  # number of weights up to which the factorisations pay off
STEPS = 30  # at most, each of them with a factorisation
HALVINGS = 12  # of a step
RIDGE = 1e-12  # relative to the mean of the diagonal: equal columns make H_AA singular


class Quadratic(NamedTuple):
    """1/2 w'Hw - w.delta + l1 |w|_1 + l2/2 |w|^2."""

    H: np.ndarray  # symmetric and positive semidefinite
    delta: np.ndarray  # the linear term
    l1: float  # strength of the l1 norm
    l2: float  # strength of the L2 norm

    def value(self, w: np.ndarray) -> float:
        """The objective at w."""
        smooth = 0.5 * (w @ (self.H @ w)) - w @ self.delta
        return float(smooth + self.l1 * np.abs(w).sum() + 0.5 * self.l2 * (w @ w))

    def minimum_with_signs(self, w: np.ndarray, active: np.ndarray) -> np.ndarray:
        """The active weights at the minimum, if their signs did not matter; those of w if there is none."""
        matrix = self.H[np.ix_(active, active)]
        matrix[np.diag_indices_from(matrix)] += self.l2
        old = w[active]
        residual = self.delta[active] - self.l1 * np.sign(old) - matrix @ old
        matrix[np.diag_indices_from(matrix)] += RIDGE * np.trace(matrix) / active.size
        try:
            return old + cho_solve(cho_factor(matrix, check_finite=False), residual, check_finite=False)
        except LinAlgError:
            return old


def active_set_steps(quadratic: Quadratic, w: np.ndarray) -> np.ndarray:
    """Weights after some steps, with an objective that is not larger; w itself if too many are not zero."""
    for _ in range(STEPS):
        active = np.flatnonzero(w)
        if not 0 < active.size <= LARGEST:
            break
        target = quadratic.minimum_with_signs(w, active)
        new = _towards(quadratic, w, active, target)
        if new is None:
            break
        w = new
        if np.array_equal(w[active], target):
            break
    return w


def _towards(quadratic: Quadratic, w: np.ndarray, active: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """Weights nearer to the target, with a lower objective or one weight less; None if there are none."""
    old = w[active]
    before = quadratic.value(w)
    new = w.copy()
    share = 1.0
    for _ in range(HALVINGS):
        moved = target if share == 1.0 else old + share * (target - old)
        new[active] = np.where(moved * old > 0.0, moved, 0.0)
        if quadratic.value(new) < before:
            return new
        share /= 2.0
    shares = np.full(active.size, np.inf)
    crossing = target * old < 0.0
    shares[crossing] = old[crossing] / (old - target)[crossing]
    first = shares.min()
    if not first < 1.0:
        return None
    new[active] = np.where(shares <= first, 0.0, old + first * (target - old))
    return new if quadratic.value(new) <= before + 1e-15 * abs(before) else None
