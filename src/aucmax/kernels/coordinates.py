"""Coordinates: the space in which a kernel measures distances, that of the scaled columns or of their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.numerics.matrix import dense, scaled_columns

KNOTS = 256  # maximum number of values between which the distribution function of a column is interpolated


@dataclass(frozen=True, eq=False)
class Ranks:
    """The distribution function of every column: the share of smaller values plus half that of equal ones.

    Parameters
    ----------
    values, levels : arrays of shape (d, q)
        For each column, ascending values and their ranks between 0 and 1, padded with the last one.

    Examples
    --------
    >>> ranks = Ranks.of(np.array([[1.0], [2.0], [2.0], [1000.0]]), np.ones(4))
    >>> ranks(np.array([[1.0], [2.0], [1000.0], [5000.0]])).ravel().tolist()
    [0.125, 0.5, 0.875, 0.875]
    """

    values: np.ndarray
    levels: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, weight: np.ndarray) -> Ranks:
        """Estimate the distribution functions from dense rows and their weights."""
        columns = [_knots(column, weight / weight.sum()) for column in dense(X).T]
        longest = max(values.size for values, _ in columns)
        filled = [[np.pad(part, (0, longest - part.size), mode="edge") for part in column] for column in columns]
        values, levels = zip(*filled)
        return cls(np.array(values), np.array(levels))

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """The ranks of new rows, constant beyond the smallest and the largest value."""
        columns = zip(X.T, self.values, self.levels, strict=True)
        return np.column_stack([np.interp(column, values, levels) for column, values, levels in columns])


def _knots(column: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values of a column and their ranks; if too many, those at evenly spaced ranks, including both ends."""
    values, inverse = np.unique(column, return_inverse=True)
    mass = np.bincount(inverse, share, values.size)
    levels = np.cumsum(mass) - mass / 2
    if values.size > KNOTS:
        even = np.searchsorted(levels, np.linspace(levels[0], levels[-1], KNOTS - 2))
        kept = np.unique(np.concatenate([[0], np.minimum(even, values.size - 1), [values.size - 1]]))
        values, levels = values[kept], levels[kept]
    return values, levels


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Columns, or their ranks, divided by `scale`.

    Parameters
    ----------
    scale : array of shape (d,)
    ranks : Ranks, optional
        If given, columns are replaced by their ranks first.
    """

    scale: np.ndarray
    ranks: Ranks | None = None

    def __call__(self, X: Any) -> Any:
        """Transform rows, in double precision; CSR stays CSR unless there are ranks."""
        return scaled_columns(X if self.ranks is None else self.ranks(dense(X)), self.scale)

    def stretched(self, factors: np.ndarray) -> Coordinates:
        """The same coordinates with column j multiplied by factors[j] > 0."""
        return Coordinates(self.scale / factors, self.ranks)
