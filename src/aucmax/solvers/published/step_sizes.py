"""Step sizes of the stochastic solvers: constants and schedules, and warnings about unsuitable steps.

L bounds the second moment of a stochastic gradient by the curvature of the loss: steps of 1/L are stable. The mean of
a batch of k rows allows L/k + (1 - 1/k) top instead, top being the largest eigenvalue of the Hessian
(docs/mathematics.md, section 8).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import nonzeros
from aucmax.problem.data import Data
from aucmax.problem.objective import Problem
from aucmax.validation.messages import warn_caller

POWER_ROWS = 1000  # for the largest eigenvalue; so few rows overestimate it, which is safe
POWER_ITERATIONS = 8


class DecreasingSteps(NamedTuple):
    """eta_t = min(1 / (first + slope t^power), cap)."""

    first: float  # inverse of the initial step
    slope: float  # growth of the inverse step
    power: float  # of t: 1 or less
    cap: float  # upper bound on the steps

    def longest_after(self, t: int) -> float:
        """The longest of the steps after the first t, which is step t + 1."""
        return min(1.0 / (self.first + self.slope * (t + 1.0) ** self.power), self.cap)


@compiled
def step_at(steps, t):
    """eta_t."""
    grown = t if steps.power == 1.0 else t**steps.power
    return min(1.0 / (steps.first + steps.slope * grown), steps.cap)


def paper_factor(data: Data) -> float:
    """2 p (1-p): the objective of the papers divided by ours."""
    pos, neg = data.raw_moments.pos.weight, data.raw_moments.neg.weight
    return 2.0 * pos * neg / (pos + neg) ** 2


def fourth_power_of_norm(data: Data, norms: np.ndarray) -> float:
    """M^4, with M the largest norm of a row."""
    total = data.raw_moments.pos.weight + data.raw_moments.neg.weight
    return (data.n_seen / total * float((data.weight * norms).max())) ** 2


def batch_smoothness(L: float, top: float, size: int) -> float:
    """The constant that replaces L for the mean of a batch of rows."""
    return (L / size + (1.0 - 1.0 / size) * top) or 1.0


def rows_per_step(problem: Problem, L: float, top: float, given: int | None) -> int:
    """One row for L2; with an l1 norm, whose prox costs O(dim), `given` or min(dim / nonzeros of a row, L / top).

    With fewer, the prox would dominate the cost; more would not allow a longer step.
    """
    data = problem.data
    if problem.penalty.l1 == 0:
        return 1
    if given is not None:
        return min(given, data.n)
    enough = min(data.n * data.dim / max(nonzeros(data.X), 1), L / (top or 1.0), data.n)
    return max(int(enough), 1)


def top_eigenvalue(data: Data, rng: np.random.Generator) -> float:
    """Largest eigenvalue of the Hessian of the loss, by power iteration on a random subset of the rows."""
    index = rng.permutation(data.n)[:POWER_ROWS]
    part = replace(data, X=data.X[index], y=data.y[index], weight=data.weight[index])
    pos = part.y > 0
    r = part.weight / np.where(pos, part.weight[pos].sum() or 1.0, part.weight[~pos].sum() or 1.0)
    u = rng.normal(size=data.dim)
    value = 0.0
    for _ in range(POWER_ITERATIONS):
        u /= np.linalg.norm(u) or 1.0
        q = part.scores(u)
        centres = np.where(pos, r[pos] @ q[pos], r[~pos] @ q[~pos])
        u = part.combine(r * (q - centres)) + (data.delta @ u) * data.delta
        value = float(np.linalg.norm(u))
    return value


def warn_of_outliers(data: Data) -> None:
    """Warn if a row is so long that a step short enough for it is useless for all others.

    Rows are compared within their class: a rare class makes steps short too, but scaling would not help. If columns
    are standardised, rare binary ones give rows a few hundred times the mean, which does little harm.
    """
    sizes = data.weight * data.centred_norms
    standardized = bool((data.scale != 1.0).any())
    classes = (sizes[data.y > 0], sizes[data.y < 0])
    worst = max(float(part.max() / (part.mean() or 1.0)) for part in classes if part.size)
    if worst > (1000.0 if standardized else 100.0):
        warn_caller(
            f"the longest row has {worst:.0f} times the mean squared norm of its class, which forces uniform "
            f"sampling to take very short steps; use {'' if standardized else 'standardize=True, '}importance "
            "sampling (solver='vrspam'), solver='sdca' or 'exact'",
            RuntimeWarning,
        )


def warn_of_divergence(step: str | float, used: float, L: float) -> None:
    """Warn that the given step diverges, with the one that was used instead."""
    warn_caller(
        f"step={step!r} diverges; steps were cut to eta = {used:.3g}. Give at most 1/L = {1.0 / L:.3g}, or keep the "
        "default",
        ConvergenceWarning,
    )
