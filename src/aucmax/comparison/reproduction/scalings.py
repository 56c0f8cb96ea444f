"""The usual scalings of features, each of the whole table: as data sets are distributed, and as the papers scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler, normalize

from aucmax.numerics.matrix import dense


def _unchanged(X: Any) -> Any:
    return X.astype(float)


def _columns(X: Any) -> Any:
    """Columns to [-1, 1]; sparse ones keep their zeros."""
    return (MaxAbsScaler() if sparse.issparse(X) else MinMaxScaler((-1.0, 1.0))).fit_transform(X.astype(float))


def _unit_rows(X: Any) -> Any:
    return normalize(X.astype(float))


def _centred_rows(X: Any) -> Any:
    """x <- (x - mean(x)) / |x - mean(x)|; sparse rows are not centred."""
    return normalize(X.astype(float) if sparse.issparse(X) else X - X.mean(axis=1, keepdims=True, dtype=float))


def _z_scores(X: Any) -> Any:
    return StandardScaler(with_mean=not sparse.issparse(X)).fit_transform(X.astype(float))


def one_hot(X: Any) -> Any:
    """A column for every value of every column: letters instead of their codes.

    Examples
    --------
    >>> one_hot(np.array([[1.0, 5.0], [2.0, 5.0]]))
    array([[1., 0., 1.],
           [0., 1., 1.]])
    """
    columns = [dense(X)[:, [j]] == np.unique(dense(X)[:, j]) for j in range(X.shape[1])]
    return np.hstack(columns).astype(float)


SCALINGS: dict[str, Callable[[Any], Any]] = {
    "as distributed": _unchanged,
    "columns to [-1, 1]": _columns,
    "unit rows": _unit_rows,
    "centred unit rows": _centred_rows,
    "z-scores": _z_scores,
    "one-hot letters": one_hot,
}
USUAL = ("as distributed", "columns to [-1, 1]", "unit rows", "centred unit rows", "z-scores")


def scale(X: Any, scaling: str) -> Any:
    """The scaled table, dense if it has at most 1,000 columns.

    Examples
    --------
    >>> scale(np.array([[3.0, 4.0], [0.0, 2.0]]), "unit rows")
    array([[0.6, 0.8],
           [0. , 1. ]])
    """
    return SCALINGS[scaling](dense(X) if X.shape[1] <= 1000 else X)
