"""Rounding errors of losses: what a certificate adds for them (docs/mathematics.md, section 5.1).

With e the root mean square of the errors of the scores, and a_j = sqrt(sum_i r_i x_ij^2), whose sums over pairs and
rows Cauchy-Schwarz bounds:

    margins      E|error| <= sqrt(2) e,    E[error^2] <= 2 e^2
    gradient     sum_i |c_i x_ij| <= sqrt(sum_i c_i^2 / r_i) a_j,    times the relative error of a sum
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

ROOT2 = 2.0**0.5


class Rounding(NamedTuple):
    """Bounds on the rounding errors of a loss at given weights."""

    value: float  # of the loss
    slack: float  # how far the computed gradient's plane through the loss may lie above the loss elsewhere
    gradient: np.ndarray | float  # of every entry of the gradient


class Scores(NamedTuple):
    """Scores of the rows, possibly accumulated over several steps."""

    scores: np.ndarray
    error: float  # root mean square of their rounding errors


class Plane(NamedTuple):
    """loss(v) >= loss(w) - slack + g.(v - w) for all v, up to the error of g."""

    slack: float
    gradient: np.ndarray  # g
    error: np.ndarray | float  # a bound on the rounding error of every entry of g


def rounding_of_sum(terms: float) -> float:
    """Relative rounding error of a sum, which grows as the root of the number of terms.

    Only with negligible probability is it larger (Higham, Mary. "A New Approach to Probabilistic Rounding Error
    Analysis." SIAM J. Sci. Comput. 2019); the worst case would grow as the number of terms.
    """
    return (4.0 + 2.0 * terms**0.5) * np.finfo(float).eps


def error_of_scores(data: Any, w: np.ndarray) -> float:
    """Root mean square of the rounding errors of the scores w.x."""
    return rounding_of_sum(data.dim) * float(data.root_mean_squares @ np.abs(w))


def lipschitz_rounding(data: Any, value: float, error: float, slack: float) -> Rounding:
    """For a loss whose derivative is at most 1, at scores with the given error."""
    relative = rounding_of_sum(data.n)
    return Rounding(ROOT2 * error + relative * (1.0 + value), slack, relative * ROOT2 * data.root_mean_squares)
