"""Scaling: which columns of a table of features are used, their common scale, and their range.

A linear model of sums and squares goes astray where it must extrapolate: rows are kept to the range of training.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import validate_data

CONSTANT = 1e-10  # of the mean: a column that varies less is rounding


class Scaling(NamedTuple):
    """The columns that were finite and not constant in training, with their means, deviations, and ranges.

    Examples
    --------
    >>> scaling = Scaling.learn(np.array([[1.0, np.nan, 5.0], [3.0, 2.0, 5.0]]))
    >>> scaling.column, scaling.apply(np.array([[2.0, 0.0, 0.0], [-np.inf, 0.0, 0.0]]))
    (array([0]), array([[ 0.        ],
       [-0.70710678]]))
    """

    column: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray

    @classmethod
    def learn(cls, X: np.ndarray) -> Scaling:
        """From training rows."""
        if X.shape[0] < 2:
            raise ValueError(f"X has {X.shape[0]} row; pass at least two to learn from")
        column = np.flatnonzero(np.isfinite(X).all(axis=0))
        mean, deviation = X[:, column].mean(axis=0), X[:, column].std(axis=0, ddof=1)
        varies = np.isfinite(deviation) & (deviation > CONSTANT * np.abs(mean))
        used = X[:, column[varies]]
        if not used.size:
            raise ValueError(f"none of the {X.shape[1]} columns is finite in all rows and not constant; pass others")
        return cls(column[varies], mean[varies], deviation[varies], used.min(axis=0), used.max(axis=0))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Columns of mean 0 and deviation 1; a cell beyond the training range counts as its end, NaN as the mean."""
        used = np.clip(X[:, self.column], self.lowest, self.highest)
        return (np.where(np.isnan(used), self.mean, used) - self.mean) / self.deviation


def check_features(estimator: Any, X: Any, *, reset: bool) -> np.ndarray:
    """A table of features, in which NaN and infinity are allowed; `reset` keeps their names, else they must agree."""
    return validate_data(estimator, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
