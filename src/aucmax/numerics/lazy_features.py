"""LazyFeatures: a table whose rows are made when they are asked for, so that it need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

MADE = 2**20  # numbers in the rows that are made at a time


class LazyFeatures:
    """Rows that are made when they are asked for: a function of the rows of a table, which gives dense ones.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    make : callable
        From some rows of X to an array of as many rows and `dim` columns.
    dim : int

    Examples
    --------
    >>> squares = LazyFeatures(np.array([[1.0], [2.0], [3.0]]), lambda rows: rows**2, 1)
    >>> squares.shape, squares[np.array([2, 0])].tolist()
    ((3, 1), [[9.0], [1.0]])
    """

    def __init__(self, X: Any, make: Callable[[Any], np.ndarray], dim: int):
        self.X, self.make = X, make
        self.shape, self.size = (X.shape[0], dim), X.shape[0] * dim

    def __getitem__(self, index: np.ndarray) -> np.ndarray:
        return self.make(self.X[index])

    def parts(self, index: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """The rows in `index`, some at a time, with their place there."""
        rows = min(max(MADE // max(self.shape[1], 1), 256), 2048)
        for start in range(0, index.size, rows):
            place = slice(start, start + rows)
            yield place, self[index[place]]
