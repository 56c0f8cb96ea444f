"""Data: rows, labels and weights, with the class statistics of all rows seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from aucmax.numerics.compiled import run_clock
from aucmax.numerics.matrix import (
    as_rows,
    dot,
    mostly_stored,
    scaled_columns,
    shifted_columns,
    squared_norms,
    transposed_dot,
)
from aucmax.problem.moments import Moments
from aucmax.validation.inputs import check_every_number

SMALLEST = 1e-150  # smallest magnitude whose square keeps full precision
FAR = 100.0  # spreads between zero and a column from which on its rows are shifted
CONSTANT = 1e-10  # relative spread up to which a column counts as constant


@dataclass(frozen=True, eq=False)
class Data:
    """Rows, labels -1/+1, weights, and the class statistics of all rows seen.

    X is kept as the user passed it, except that columns far from zero relative to their spread are shifted: only
    differences of rows matter to a pairwise loss, and their digits would be lost in products. Everything else is in
    scaled units: column j divided by `scale[j]`.

    Parameters
    ----------
    X : array or CSR of shape (n, dim)
    y : array of -1.0 and +1.0
    weight : array of positive numbers
    raw_moments : Moments
        Class statistics of all rows seen, in the units of X.
    scale : array of shape (dim,)
        What the columns of X are divided by.
    shift : array of shape (dim,), or 0.0
        What has been subtracted from the columns as the user passed them.
    seconds : float
        The time spent on the moments, which the clock of a run includes.
    """

    X: Any
    y: np.ndarray
    weight: np.ndarray
    raw_moments: Moments
    scale: np.ndarray
    shift: np.ndarray | float = 0.0
    seconds: float = 0.0
    n: int = field(init=False)  # number of rows
    dim: int = field(init=False)  # number of columns
    raw_means: np.ndarray = field(init=False)  # of the positive and of the negative rows, in the units of X
    means: np.ndarray = field(init=False)  # the same in scaled units
    delta: np.ndarray = field(init=False)  # difference of the class means
    variances: np.ndarray = field(init=False)  # diagonal of S, the sum of the class covariances

    def __post_init__(self) -> None:
        moments = self.raw_moments
        raw_means = np.stack([moments.pos.mean, moments.neg.mean])
        vars(self).update(
            n=self.y.size,
            dim=self.scale.size,
            raw_means=raw_means,
            means=raw_means / self.scale,
            delta=moments.delta / self.scale,
            variances=moments.variances / self.scale**2,
        )

    @classmethod
    def of(cls, X: Any, y: np.ndarray, weight: np.ndarray, *, standardize: bool, scatter: bool = False) -> Data:
        """Rows with their own statistics, checked to be finite.

        With `scatter`, which says that the scatter matrix will be asked for, it takes no second pass over the rows.
        """
        start = run_clock()
        full = scatter and X.shape[1] <= X.shape[0]
        moments = Moments.of(X, y, weight, full=full)
        check_finite(moments, X)
        shift = _far_centres(moments, X)
        if shift.any():
            X = shifted_columns(X, shift)
            moments = Moments.of(X, y, weight, full=full)
        scale = column_scale(moments, standardize, shift)
        return cls(X, y, weight, moments, scale, shift, run_clock() - start)

    @classmethod
    def of_batch(cls, X: Any, y: np.ndarray, weight: np.ndarray, seen: Moments, *, standardize: bool) -> Data:
        """Rows of a batch with the statistics of all rows seen, the batch included."""
        return cls(X, y, weight, seen, column_scale(seen, standardize))

    @classmethod
    def of_moments(cls, moments: Moments, *, standardize: bool, shift: np.ndarray | float = 0.0) -> Data:
        """Full moments of rows minus `shift`, without the rows: all that the squared loss needs."""
        nothing = np.empty(0)
        scale = column_scale(moments, standardize, shift)
        return cls(np.empty((0, moments.delta.size)), nothing, nothing, moments, scale, shift)

    def without_rows(self) -> Data:
        """The statistics and the scale alone."""
        nothing = np.empty(0)
        return Data(np.empty((0, self.dim)), nothing, nothing, self.raw_moments, self.scale, self.shift)

    @cached_property
    def within(self) -> np.ndarray:
        """S, the sum of the class covariances, as a matrix; with many columns it takes a pass over the rows."""
        moments = self.raw_moments
        if not moments.full:
            moments = Moments.of(self.X, self.y, self.weight)
        return moments.within / np.outer(self.scale, self.scale)

    @property
    def has_scatter(self) -> bool:
        """Whether S is at hand, so that it costs no pass over the rows."""
        return self.raw_moments.full or "within" in vars(self)

    @cached_property
    def n_seen(self) -> float:
        """Number of rows in the statistics; in a stream, these are more than the rows of the batch."""
        return max(float(self.n), self.raw_moments.n_rows)

    @cached_property
    def moments(self) -> Moments:
        """Class statistics in scaled units."""
        return self.raw_moments.scaled(self.scale)

    @cached_property
    def root_mean_squares(self) -> np.ndarray:
        """sqrt(sum_i r_i x_ij^2) of every column: its spread, and its distance from zero."""
        return np.sqrt(self.variances + (self.means**2).sum(axis=0))

    @cached_property
    def r(self) -> np.ndarray:
        """Weights within the classes, each class summing to 1."""
        totals = (self.raw_moments.pos.weight, self.raw_moments.neg.weight)
        return self.weight / np.where(self.y > 0, *totals)

    @cached_property
    def e(self) -> np.ndarray:
        """n r, where n counts all rows seen: the weights that turn a mean over rows into a mean over pairs."""
        return self.raw_moments.n_rows * self.r

    @cached_property
    def mean_products(self) -> np.ndarray:
        """x.mean+ and x.mean- for every row, of shape (n, 2)."""
        return dot(self.X, (self.means / self.scale).T)

    @cached_property
    def centre(self) -> np.ndarray:
        """The midpoint of the class means."""
        return 0.5 * (self.means[0] + self.means[1])

    @cached_property
    def centre_products(self) -> np.ndarray:
        """x.centre for every row."""
        return dot(self.X, self.centre / self.scale)

    @cached_property
    def class_centred_norms(self) -> np.ndarray:
        """|x - mean of its class|^2 for every row."""
        own = np.where(self.y > 0, 0, 1)
        squares = np.einsum("kj,kj->k", self.means, self.means)
        products = self.mean_products[np.arange(self.n), own]
        return np.maximum(self.squared_norms - 2.0 * products + squares[own], 0.0)

    @cached_property
    def centred_norms(self) -> np.ndarray:
        """|x - centre|^2 for every row."""
        return np.maximum(self.squared_norms - 2.0 * self.centre_products + self.centre @ self.centre, 0.0)

    @cached_property
    def squared_norms(self) -> np.ndarray:
        """|x|^2 for every row."""
        return squared_norms(self.rows, self.n)

    @cached_property
    def rows(self) -> Any:
        """The scaled rows in the form that compiled functions take: a copy, made when a solver first needs it."""
        scaled = self.X if (self.scale == 1.0).all() else scaled_columns(self.X, self.scale)
        return as_rows(scaled)

    def midpoint(self, w: np.ndarray) -> Any:
        """The score midway between the class means, of weights w (a column each) for rows as the user passed them."""
        return (self.raw_means @ w).mean(axis=0) + (self.shift + np.zeros(self.dim)) @ w

    def scores(self, w: np.ndarray) -> np.ndarray:
        """w.x for every row."""
        return dot(self.X, w / self.scale)

    def combine(self, c: np.ndarray) -> np.ndarray:
        """Sum of c_i x_i over the rows."""
        return transposed_dot(self.X, c) / self.scale


def check_finite(moments: Moments, X: Any) -> None:
    """Raise ValueError if the moments reveal NaN, infinity, or squares in X that overflow or underflow."""
    if not (np.isfinite(moments.delta).all() and np.isfinite(moments.variances).all()):
        check_every_number(X)
        column = int(np.argmin(np.isfinite(moments.delta) & np.isfinite(moments.variances)))
        raise ValueError(f"column {column} of X has values whose squares overflow; rescale it")
    size = np.maximum(np.abs(moments.pos.mean), np.abs(moments.neg.mean))
    vanishing = (size > 0) & (size < SMALLEST) & (moments.variances < SMALLEST**2)
    if vanishing.any():
        column = int(np.argmax(vanishing))
        raise ValueError(
            f"column {column} of X has values whose squares underflow to zero; rescale it or leave it out"
        )


def _far_centres(moments: Moments, X: Any) -> np.ndarray:
    """Midpoints of the class means of columns far from zero relative to their spread, zero for the others."""
    midpoint = 0.5 * moments.pos.mean + 0.5 * moments.neg.mean
    spread = np.sqrt(moments.variances) + np.abs(moments.delta)
    far = np.abs(midpoint) > FAR * spread
    if far.any():
        far &= mostly_stored(X)
    return np.where(far, midpoint, 0.0)


def column_scale(moments: Moments, standardize: bool = True, shift: np.ndarray | float = 0.0) -> np.ndarray:
    """Standard deviations of the columns over the rows of both classes; ones if not `standardize`.

    A constant column, which is useless, is scaled by its magnitude, that before the shift.
    """
    if not standardize:
        return np.ones(moments.delta.size)
    spread = moments.deviations
    magnitude = np.maximum(np.abs(moments.pos.mean + shift), np.abs(moments.neg.mean + shift))
    return np.where(spread > CONSTANT * magnitude, spread, np.where(magnitude > 0, magnitude, 1.0))


def automatic_alpha(data: Data) -> float:
    """tr(S) max(0.03/dim, 1/n): close to the best on most tables (docs/mathematics.md, section 6)."""
    magnitude = np.abs(data.raw_means + data.shift).max(axis=0) / data.scale
    varying = np.sqrt(data.variances) > CONSTANT * magnitude  # what is smaller is rounding error
    return float(data.variances[varying].sum()) * max(0.03 / data.scale.size, 1.0 / data.raw_moments.n) or 1.0
