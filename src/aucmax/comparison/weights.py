"""Weights of linear models in units of deviations: what one standard deviation of a column adds to the score."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from aucmax.numerics.matrix import is_sparse, weighted_squares, weighted_sums
from aucmax.numerics.sparse_structure import canonical

__all__ = ["MOST_WEIGHTS", "column_statistics", "weights_per_deviation"]

MOST_WEIGHTS = 5000  # a wider table has no column that a reader would look at


def weights_per_deviation(model: Any, X: Any) -> np.ndarray | None:
    """The weights of a linear model, or of one behind a StandardScaler; None of any other, or if there are too many.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> X = np.array([[0.0, 0.0], [2.0, 10.0], [4.0, 0.0], [6.0, 10.0]])
    >>> model = RidgeClassifier().fit(X, [0, 0, 1, 1])
    >>> bool(np.allclose(weights_per_deviation(model, X), np.ravel(model.coef_) * X.std(axis=0)))
    True
    """
    scaled = isinstance(model, Pipeline) and len(model.steps) == 2 and isinstance(model.steps[0][1], StandardScaler)
    last = model.steps[1][1] if scaled else model
    coef = getattr(last, "coef_", None)
    if coef is None or np.size(coef) > MOST_WEIGHTS or np.shape(X) != (np.shape(X)[0], np.size(coef)):
        return None
    weights = np.array(coef, dtype=float).ravel()
    return weights if scaled else weights * column_statistics(X)[1]


def column_statistics(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of every column of a dense or sparse table of numbers."""
    rows = canonical(X.tocsr().astype(float)) if is_sparse(X) else np.asarray(X, dtype=float, order="C")
    every = np.arange(rows.shape[0])
    ones = np.ones(rows.shape[0])
    mean = weighted_sums(rows, every, ones) / rows.shape[0]
    return mean, np.sqrt(weighted_squares(rows, every, ones, mean) / rows.shape[0])
