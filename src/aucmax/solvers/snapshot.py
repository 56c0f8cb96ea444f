"""Snapshot: the reference point of variance-reduced solvers, with the full gradient there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.problem.objective import Problem
from aucmax.validation.params import Number

INNER_LENGTH = Number(0, 1000, open="low")  # steps between snapshots, in units of n: their rows are drawn beforehand


class Snapshot(NamedTuple):
    """Weights, with what one pass over the data computes there."""

    w: np.ndarray  # the weights
    objective: float  # P(w)
    gradient: np.ndarray  # of the loss
    scores: np.ndarray  # of all rows
    gap: float  # an upper bound on P(w) - min P

    def improves(self, other: Snapshot) -> bool:
        """Whether the objective is lower or, if equal up to rounding, the gap is."""
        same = self.objective <= other.objective * (1.0 + 1e-14)
        return self.objective < other.objective or (same and self.gap < other.gap)


def take_snapshot(problem: Problem, w: np.ndarray) -> Snapshot:
    """Objective, gap, scores and gradient of the squared loss at w."""
    data = problem.data
    a, b = data.means @ w
    scores = data.scores(w) if w.any() else np.zeros(data.n)
    centred = scores - np.where(data.y > 0, a, b)
    value = 0.5 * (data.r @ centred**2 + (1.0 - (a - b)) ** 2)
    within = data.combine(data.r * centred) if w.any() else np.zeros(data.dim)
    gradient = within + ((a - b) - 1.0) * data.delta
    objective, gap = problem.certify(w, (float(value), gradient))
    return Snapshot(w, objective, gradient, scores, gap)
