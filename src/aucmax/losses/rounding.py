"""Bounds on rounding errors, so that a certificate holds for the computed numbers (docs/mathematics.md, section 5.1).

With e the root mean square of the errors of the scores, and a_j = sqrt(sum_i r_i x_ij^2), Cauchy-Schwarz bounds the
sums over pairs and rows:

    margins      E|error| <= sqrt(2) e,    E[error^2] <= 2 e^2
    gradient     sum_i |c_i x_ij| <= sqrt(sum_i c_i^2 / r_i) a_j,    times the relative error of a sum
"""

from __future__ import annotations

from collections.abc import Callable
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


def rounding_of_sum(terms: float) -> float:
    """Relative rounding error of a sum, which grows as the root of the number of terms.

    It is larger only with negligible probability (Higham, Mary. "A New Approach to Probabilistic Rounding Error
    Analysis." SIAM J. Sci. Comput. 2019); the worst case would grow as the number of terms.
    """
    return (4.0 + 2.0 * terms**0.5) * np.finfo(float).eps


def error_of_scores(data: Any, w: np.ndarray) -> float:
    """Root mean square of the rounding errors of the scores w.x."""
    return rounding_of_sum(data.dim) * float(data.root_mean_squares @ np.abs(w))


def rounding_bounds(loss: Any, data: Any, w: np.ndarray, value: float, scores: Scores | None = None) -> Rounding:
    """Bounds for a loss at w, where it has the given value; the scores if they are known.

    A loss without bounds of its own must be convex, with a derivative of at most 1 with respect to the margin.
    """
    if loss.name == "squared":
        return _squared(data, w, value)
    if loss.name == "exponential":
        return _exponential(loss, data, value, scores or Scores(data.scores(w), error_of_scores(data, w)))
    error = error_of_scores(data, w) if scores is None else scores.error
    return _BOUNDS.get(loss.name, _lipschitz)(loss, data, value, error)


def plane_error(smooth: Any) -> float:
    """Rounding error of a Huberised hinge's `mass`, and of its coefficients relative to r."""
    (factor, outer), _ = smooth.terms
    return rounding_of_sum(smooth.scores.size) * (1.0 + 4.0 * factor * outer.short)


def slack_error(smooth: Any) -> float:
    """Rounding error of a Huberised hinge's `slack`."""
    (factor, outer), _ = smooth.terms
    return rounding_of_sum(smooth.scores.size) * (2.0 * outer.short + 4.0 * factor * outer.square)


def _squared(data: Any, w: np.ndarray, value: float) -> Rounding:
    """The loss is a quadratic form, so that its error follows from the error of its gradient.

    Sw is a sum of |x_ij| |x_ik| |w_k| over rows and columns, which Cauchy-Schwarz bounds by root mean squares; by
    those of the centred rows if the scatter matrix is at hand.
    """
    size = np.sqrt(data.variances) if data.has_scatter else data.root_mean_squares
    absolute = np.abs(w)
    within = size * float(size @ absolute)
    delta = np.abs(data.delta)
    shortfall = abs(1.0 - float(w @ data.delta))
    between = shortfall * (size + delta) + delta * float(absolute @ (size + delta))
    means = np.abs(data.means).max(axis=0)  # rounded when the moments of parts are merged
    of_means = shortfall * means + delta * float(absolute @ means)
    relative = rounding_of_sum(data.raw_moments.n_rows + data.dim)
    error = relative * (within + between) + rounding_of_sum(0) * of_means
    return Rounding(float(absolute @ error) + rounding_of_sum(0) * value, 0.0, error)


def _exponential(loss: Any, data: Any, value: float, scores: Scores) -> Rounding:
    """Errors count with the shares of the rows in the loss instead of r."""
    root = float(np.sqrt((loss.at(data, scores.scores).shares / data.r).max()))
    error = root * scores.error
    relative = rounding_of_sum(data.n)
    return Rounding(
        value=value * (ROOT2 * error + relative),
        slack=2.0 * value * error**2,
        gradient=value * relative * ROOT2 * root * data.root_mean_squares,
    )


def _squared_hinge(loss: Any, data: Any, value: float, error: float) -> Rounding:
    """sum_i c_i^2 / r_i is at most 8 times the loss, whose curvature is 2."""
    relative = rounding_of_sum(data.n)
    root = ROOT2 * np.sqrt(value)
    return Rounding(
        value=2.0 * error * (root + error) + relative * value,
        slack=2.0 * error**2,
        gradient=relative * 2.0 * root * data.root_mean_squares,
    )


def _lipschitz(loss: Any, data: Any, value: float, error: float) -> Rounding:
    """For a derivative of at most 1; a plane lies above the loss by at most the error of the margins."""
    relative = rounding_of_sum(data.n)
    return Rounding(
        value=ROOT2 * error + relative * (1.0 + value),
        slack=ROOT2 * error,
        gradient=relative * ROOT2 * data.root_mean_squares,
    )


def _logistic(loss: Any, data: Any, value: float, error: float) -> Rounding:
    """The curvature is at most 1/4."""
    return _lipschitz(loss, data, value, error)._replace(slack=0.25 * error**2)


def _hinge(loss: Any, data: Any, value: float, error: float) -> Rounding:
    """A pair near the kink may be counted on the wrong side of it."""
    return _lipschitz(loss, data, value, error)._replace(slack=ROOT2 * error + rounding_of_sum(0))


def _huberised_hinge(loss: Any, data: Any, value: float, error: float) -> Rounding:
    """The curvature is at most 1/width."""
    bounds = _lipschitz(loss, data, value, error)
    gradient = bounds.gradient * (1.0 + 2.0 / loss.width)
    return bounds._replace(slack=min(error / loss.width, ROOT2) * error, gradient=gradient)


def _area_under_min(loss: Any, data: Any, value: float, error: float) -> Rounding:
    """Rates are sums over all rows, whatever the weight of a single one."""
    bounds = _lipschitz(loss, data, value, error)
    rates = rounding_of_sum(0) * data.n**0.5 / data.r.min() ** 0.5 * data.root_mean_squares
    return bounds._replace(gradient=bounds.gradient + rates)


_BOUNDS: dict[str, Callable[[Any, Any, float, float], Rounding]] = {
    "squared_hinge": _squared_hinge,
    "logistic": _logistic,
    "hinge": _hinge,
    "huberised_hinge": _huberised_hinge,
    "aum": _area_under_min,
}
