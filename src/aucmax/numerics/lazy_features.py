"""LazyFeatures: a table whose rows are computed on demand, so that it need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

CHUNK = 2**20  # numbers in a chunk of rows


class LazyFeatures:
    """Dense features of the rows of a table, computed on demand.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    transform : callable
        Maps rows of X to an array with as many rows and `dim` columns.
    dim : int

    Examples
    --------
    >>> squares = LazyFeatures(np.array([[1.0], [2.0], [3.0]]), lambda rows: rows**2, 1)
    >>> squares.shape, squares[np.array([2, 0])].tolist()
    ((3, 1), [[9.0], [1.0]])
    """

    def __init__(self, X: Any, transform: Callable[[Any], np.ndarray], dim: int):
        self.X = X
        self.transform = transform
        self.shape = (X.shape[0], dim)
        self.size = X.shape[0] * dim

    def __getitem__(self, index: np.ndarray) -> np.ndarray:
        return self.transform(self.X[index])

    def chunks(self, index: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """The rows in `index`, chunk by chunk, each chunk with its slice of `index`."""
        rows = min(max(CHUNK // max(self.shape[1], 1), 256), 2048)
        for start in range(0, index.size, rows):
            place = slice(start, start + rows)
            yield place, self[index[place]]
