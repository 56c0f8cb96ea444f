"""Groups of strongly correlated columns: a model may use any of them in place of the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

STRONG = 0.9  # correlation, in magnitude, from which on columns form a group
MISSING = " is missing"  # how the names of features end that mark missing values, which often coincide


def correlated_groups(
    X: np.ndarray, columns: dict[str, list[int]], names: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Names of columns linked by strong correlations of their features.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 3.0, 2.0])
    >>> columns = {"a": [0], "b": [1], "c": [2]}
    >>> correlated_groups(np.column_stack([x, -2 * x, x**0.01]), columns, ["a", "b", "c"])
    (('a', 'b'),)
    """
    owner = np.full(X.shape[1], -1)
    for k, features in enumerate(columns.values()):
        owner[[j for j in features if not names[j].endswith(MISSING)]] = k
    used = np.flatnonzero((owner >= 0) & (np.ptp(X, axis=0) > 0))
    if used.size < 2:
        return ()
    first, second = np.nonzero(np.abs(np.corrcoef(X[:, used], rowvar=False)) >= STRONG)
    links = (np.ones(first.size), (owner[used[first]], owner[used[second]]))
    _, group = connected_components(coo_array(links, shape=(len(columns), len(columns))), directed=False)
    members = [np.flatnonzero(group == number) for number in range(group.max() + 1)]
    return tuple(tuple(list(columns)[k] for k in mine) for mine in members if mine.size > 1)
