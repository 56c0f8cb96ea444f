"""Feature scaling: which columns of a feature matrix are used, their scale, and their range in training.

A linear model of sums and squares extrapolates badly: values are clipped to the range of the training rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import validate_data

CONSTANT = 1e-10  # relative to the mean: a column that varies less varies by rounding only


class FeatureScaling(NamedTuple):
    """The columns that were finite and not constant in training, with their statistics.

    Examples
    --------
    >>> scaling = FeatureScaling.fit(np.array([[1.0, np.nan, 5.0], [3.0, 2.0, 5.0]]))
    >>> scaling.columns, scaling.transform(np.array([[2.0, 0.0, 0.0], [-np.inf, 0.0, 0.0]]))
    (array([0]), array([[ 0.        ],
       [-0.70710678]]))
    """

    columns: np.ndarray  # indices of the columns used
    mean: np.ndarray  # of each of them
    deviation: np.ndarray  # standard deviation
    minimum: np.ndarray
    maximum: np.ndarray

    @classmethod
    def fit(cls, X: np.ndarray) -> FeatureScaling:
        """Columns and statistics of training rows."""
        if X.shape[0] < 2:
            raise ValueError(f"X has {X.shape[0]} row; pass at least two for training")
        columns = np.flatnonzero(np.isfinite(X).all(axis=0))
        mean = X[:, columns].mean(axis=0)
        deviation = X[:, columns].std(axis=0, ddof=1)
        varies = np.isfinite(deviation) & (deviation > CONSTANT * np.abs(mean))
        used = X[:, columns[varies]]
        if not used.size:
            raise ValueError(f"none of the {X.shape[1]} columns is finite in all rows and not constant; pass others")
        return cls(columns[varies], mean[varies], deviation[varies], used.min(axis=0), used.max(axis=0))

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Columns of mean 0 and deviation 1; values are clipped to the training range, NaN becomes the mean."""
        used = np.clip(X[:, self.columns], self.minimum, self.maximum)
        return (np.where(np.isnan(used), self.mean, used) - self.mean) / self.deviation

    def unscale(self, w: np.ndarray, constant: float, n_features: int) -> tuple[np.ndarray, float]:
        """Weights and intercept in the units of X, from those of transformed columns."""
        coef = np.zeros(n_features)
        coef[self.columns] = w / self.deviation
        return coef, constant - float(self.mean @ coef[self.columns])


def check_features(estimator: Any, X: Any, *, reset: bool) -> np.ndarray:
    """A feature matrix, which may hold NaN and infinity; `reset` stores its column names, else they must agree."""
    return validate_data(estimator, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
