"""Squared: the pairwise squared loss, a function of the class means and the sum of the class covariances only."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from aucmax.losses.base import Loss, quadratic_l1_bound
from aucmax.losses.rounding import rounding_bounds
from aucmax.numerics.chunked_matrix import ChunkedMatrix
from aucmax.numerics.compiled import compiled
from aucmax.numerics.matrix import as_rows
from aucmax.numerics.rows import row_axpy, row_dot


class Squared(Loss):
    """1/2 E[(1 - w.(x - x'))^2] = 1/2 [w'Sw + (1 - w.delta)^2], delta the difference of the class means."""

    name = "squared"

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient Sw - (1 - w.delta) delta."""
        Sw = within_product(data, w)
        shortfall = 1.0 - w @ data.delta
        return 0.5 * float(w @ Sw + shortfall**2), Sw - shortfall * data.delta

    def l1_lower_bound(self, data: Any, w: np.ndarray, value: float, slope: float, tau: float) -> float:
        """The dual at tau times the residuals (docs/mathematics.md, section 5)."""
        return quadratic_l1_bound(value, slope, tau)

    def unpenalised_excess(self, data: Any, w: np.ndarray) -> float:
        """loss(w) - min loss: exact given the scatter matrix, else the loss itself, since no loss is negative."""
        value, gradient = self.value_and_gradient(data, w)
        if not data.has_scatter:
            return value
        hessian = data.within + np.outer(data.delta, data.delta)
        inverse = np.linalg.pinv(hessian, hermitian=True, rcond=1e-13)
        error = rounding_bounds(self, data, w, value).gradient
        size = np.sqrt(max(float(gradient @ inverse @ gradient), 0.0)) + np.sqrt(
            float(error @ np.abs(inverse) @ error)
        )
        return 0.5 * float(size**2)


def within_product(data: Any, w: np.ndarray) -> np.ndarray:
    """S w, from the scatter matrix if available, else in one pass over the rows."""
    if data.has_scatter:
        return data.within @ w
    in_units = w / data.scale
    centres = in_units @ data.raw_means.T
    return within_sums(data.X, data.y, data.r, in_units, centres) / data.scale


def within_sums(X: Any, y: np.ndarray, r: np.ndarray, w: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Sum of r_i (w.x_i - centre of its class) x_i, in one pass."""
    if isinstance(X, ChunkedMatrix):
        of_chunk = partial(within_sums, w=w, centres=centres)
        return X.sum("product with the scatter matrix", of_chunk, y, r, start=np.zeros(w.size))
    out = np.zeros(w.size)
    _within_product(as_rows(X), y, r, w, centres[0], centres[1], out)
    return out


@compiled
def _within_product(X, y, r, w, centre_pos, centre_neg, out):
    for i in range(y.size):
        centre = centre_pos if y[i] > 0 else centre_neg
        row_axpy(X, i, r[i] * (row_dot(X, i, w) - centre), out)
