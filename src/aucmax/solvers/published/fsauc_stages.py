"""The stages of FSAUC: their lengths, steps and limits, from the paper's theorem, and the projection on the limits.

With kappa = max |x'|, R the radius of the l1 ball, n0 rows in a stage, p the share of positives, delta the
probability of failure and k = 0, 1, ... the number of the stage,

    R_k = 2 sqrt(1 + 2 kappa^2) R / 2^k                               radius of the ball around the start of the stage
    beta_0 = 1 + 8 kappa^2,    D_0 = 2 sqrt(2) kappa R_0,    eta_k = sqrt(beta_k) R_k / (G sqrt(2 n0))

    xi = min(p, 1-p) - sqrt(2 ln(12/delta) / n0),    T = kappa (1 + 2 kappa) (2 + sqrt(2 ln(12/delta)))
    beta_k = beta_0 + 32 T^2 / xi,    D_k = 2 sqrt(2) kappa R_k + 4 sqrt(2) T R / sqrt(xi n0)               for k > 0

With few rows, or a rare class, xi is not positive: then beta_k = beta_0 and D_k is infinite.

The projection of v is exact: the nearest point of {|w|_1 <= R, |a|, |b| <= R kappa} to (1 - s) v + s start, with s
found by bisection (alternating projections converge to some point of the intersection with the ball around the start,
not to the nearest).
"""

from __future__ import annotations

from math import inf, log, log2, sqrt
from typing import NamedTuple

from aucmax.numerics.compiled import compiled
from aucmax.solvers.published.saddle_function import clip, l1_threshold, soft_threshold_in_place

HALVINGS = 60  # of [0, 1] in the bisection


class StageLimits(NamedTuple):
    """The sets on which a stage projects."""

    l1: float  # radius of the l1 ball
    bound: float  # R kappa, on |a| and |b|
    around: float  # radius of the ball around the start
    dual: float  # D, the same for al


def stage_limits(
    k: int, n0: int, R: float, kappa: float, seen: tuple[float, float], delta: float
) -> tuple[float, StageLimits]:
    """sqrt(beta_k / beta_0), and the sets of stage k; `seen` are the weights of the classes that determine p."""
    around = 2.0 * sqrt(1.0 + 2.0 * kappa**2) * R / 2.0**k
    dual = 2.0 * sqrt(2.0) * kappa * around
    growth = 1.0
    if k > 0:
        deviation = sqrt(2.0 * log(12.0 / delta))
        xi = min(seen) / sum(seen) - deviation / sqrt(n0)
        T = kappa * (1.0 + 2.0 * kappa) * (2.0 + deviation)
        growth = sqrt(1.0 + 32.0 * T**2 / (xi * (1.0 + 8.0 * kappa**2))) if xi > 0 else 1.0
        dual += 4.0 * sqrt(2.0) * T * R / sqrt(xi * n0) if xi > 0 else inf
    return growth, StageLimits(R, R * kappa, around, dual)


def first_step(n0: int, R: float, kappa: float, factor: float) -> float:
    """eta_0, in the scale of F over `factor`, 2p(1-p)."""
    G = kappa * max(
        (1.0 + 4.0 * kappa) * (R + 1.0),
        2.0 * (2.0 * R + 1.0 + 2.0 * R * kappa),
        2.0 * (4.0 * R * kappa + 11.0 * R + 1.0),
    )
    R0 = 2.0 * sqrt(1.0 + 2.0 * kappa**2) * R
    return factor * sqrt(1.0 + 8.0 * kappa**2) * R0 / ((G or 1.0) * sqrt(2.0 * n0))


def stage_sizes(n: int) -> tuple[int, ...]:
    """How many of n rows each stage visits."""
    number = max(1, int(0.5 * log2(2.0 * n / log2(n))) - 1) if n > 1 else 1
    return tuple(n // number + (k < n % number) for k in range(number))


@compiled
def project(v, start, limits):
    """Move v to the nearest point within the limits and within limits.around of start."""
    free = v.copy()
    _bounded(v, limits)
    if _distance(v, start) <= limits.around:
        return
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        s = 0.5 * (low + high)
        for j in range(v.size):
            v[j] = (1.0 - s) * free[j] + s * start[j]
        _bounded(v, limits)
        if _distance(v, start) > limits.around:
            low = s
        else:
            high = s


@compiled
def _bounded(v, limits):
    """Project (w, a, b) onto the l1 ball and the bounds on a and b."""
    dim = v.size - 2
    soft_threshold_in_place(v, dim, l1_threshold(v, dim, limits.l1))
    v[dim] = clip(v[dim], limits.bound)
    v[dim + 1] = clip(v[dim + 1], limits.bound)


@compiled
def _distance(v, start):
    total = 0.0
    for j in range(v.size):
        total += (v[j] - start[j]) ** 2
    return sqrt(total)
