"""`Features`: an encoded table with its labels, and which features belong to which column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_SAMPLE_CELLS = 4_000_000
_SAMPLE_ROWS = (400, 10_000)  # fewest and most rows of a class in a sample


class FeatureGroup(NamedTuple):
    """The features of one column."""

    name: str  # of the column
    start: int  # first feature
    stop: int  # one past the last feature, without the one that marks missing values
    is_categorical: bool  # whether the features are the one-hot encoded categories
    indicator: int | None = None  # the feature that marks missing values

    @property
    def span(self) -> slice:
        """The features, without the one that marks missing values."""
        return slice(self.start, self.stop)


class Features(NamedTuple):
    """The rows of a table as numbers."""

    X: np.ndarray  # finite numbers of shape (n, d)
    y: np.ndarray  # labels 0 and 1
    groups: tuple[FeatureGroup, ...]  # the columns, in the order of their features

    def sample(self, seed: int = 0) -> Features:
        """As many rows of each class, in random order, as suffice for a statistic."""
        rng = np.random.default_rng(seed)
        fewest, most = _SAMPLE_ROWS
        size = int(np.clip(_SAMPLE_CELLS // (2 * max(self.X.shape[1], 1)), fewest, most))
        rows = [rng.permutation(np.flatnonzero(self.y == label))[:size] for label in (0, 1)]
        chosen = rng.permutation(np.concatenate(rows))
        return Features(self.X[chosen], self.y[chosen], self.groups)


def matrix_groups(n_features: int) -> tuple[FeatureGroup, ...]:
    """Groups of one feature each, for a matrix without names.

    Examples
    --------
    >>> matrix_groups(2)[1].name
    'column 2'
    """
    return tuple(FeatureGroup(f"column {j + 1}", j, j + 1, False) for j in range(n_features))


def standardized(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The features with mean 0 and deviation 1, and which of them vary at all.

    Examples
    --------
    >>> standardized(np.array([[1e308, 5.0], [-1e308, 5.0]]))
    (array([[ 1.,  0.],
           [-1.,  0.]]), array([ True, False]))
    """
    Z = X / np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny)  # so that no square overflows
    Z -= Z.mean(axis=0)
    deviation = Z.std(axis=0)
    varies = deviation > 1e-12
    return Z / np.where(varies, deviation, 1.0), varies
