"""Landmarks: the rows to which a kernel compares all others, half of them from each class.

kmeans++     Arthur, Vassilvitskii. "k-means++: the advantages of careful seeding." SODA 2007.
leverage     Musco, Musco. "Recursive sampling for the Nystroem method." NIPS 2017 (here without the recursion).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from aucmax.kernels.functions import KERNELS, Coordinates
from aucmax.kernels.nystroem import Nystroem
from aucmax.numerics.matrix import rows_in_memory

LANDMARKS = ("random", "kmeans++", "leverage")  # rules to draw them
CANDIDATES = 20  # rows considered per landmark, by rules that look at the rows
WORK = 1e10  # budget for n_components="auto": rows times squared number of landmarks
FEWEST = 300  # landmarks for n_components="auto"
MOST = 800
PILOTS = 100  # landmarks of the features from which leverage scores are computed


def count_landmarks(n_components: Any, n: int) -> int:
    """The number of landmarks to draw from n rows."""
    if n_components != "auto":
        return min(int(n_components), n)
    return min(int(np.clip(np.sqrt(WORK / n), FEWEST, MOST)), n)


def choose_landmarks(
    X: Any,
    groups: Sequence[np.ndarray],
    count: int,
    rule: str,
    coordinates: Coordinates,
    rng: np.random.Generator,
) -> np.ndarray:
    """Indices of the landmarks among the rows of X.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    groups : two arrays of row indices
        The positive and the negative rows to choose from.
    count : int
        Half of them from each class; a class with fewer rows contributes all, and the other one the rest.
    rule : {"random", "kmeans++", "leverage"}
        A name in `LANDMARKS`.
    coordinates : Coordinates
        The coordinates in which distances between rows are measured.

    Returns
    -------
    array of at most `count` row indices
        The two classes alternate as long as possible, so that the first few define a smaller map.
    """
    pos, neg = groups
    n_pos = min(pos.size, max(count // 2, count - neg.size))
    n_neg = min(neg.size, count - n_pos)
    chosen_pos = _of_class(X, pos, n_pos, rule, coordinates, rng)
    chosen_neg = _of_class(X, neg, n_neg, rule, coordinates, rng)
    places = np.concatenate([np.arange(n_pos), np.arange(n_neg)])
    return np.concatenate([chosen_pos, chosen_neg])[np.argsort(places, kind="stable")]


def places_among(rows: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """Where in `rows`, distinct row numbers, each landmark is; -1 if it is not among them.

    Examples
    --------
    >>> places_among(np.array([7, 2, 5]), np.array([5, 6, 7, 9])).tolist()
    [2, -1, 0, -1]
    """
    order = np.argsort(rows)
    places = order[np.minimum(np.searchsorted(rows, landmarks, sorter=order), rows.size - 1)]
    return np.where(rows[places] == landmarks, places, -1)


def _of_class(
    X: Any, group: np.ndarray, size: int, rule: str, coordinates: Coordinates, rng: np.random.Generator
) -> np.ndarray:
    order = rng.permutation(group)
    if rule == "random" or size >= group.size:
        return order[:size]
    candidates = order[: CANDIDATES * size]
    draw = _spread if rule == "kmeans++" else _leverage
    return candidates[draw(coordinates(rows_in_memory(X, candidates)), size, rng)]


def _spread(X: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    """k-means++: draw each row with probability proportional to its squared distance to the nearest one so far."""
    chosen = np.zeros(size, dtype=np.int64)
    nearest = np.full(X.shape[0], np.inf)
    for k in range(1, size):
        nearest = np.minimum(nearest, KERNELS["rbf"].distances(X, X[chosen[k - 1 : k]])[:, 0])
        nearest[chosen[k - 1]] = 0.0
        total = nearest.sum()
        unused = np.setdiff1d(np.arange(X.shape[0]), chosen[:k])
        chosen[k] = rng.choice(X.shape[0], p=nearest / total) if total > 0 else unused[0]
    return chosen


def _leverage(X: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rows with probability proportional to their ridge leverage score."""
    pilots = X[np.arange(min(PILOTS, X.shape[0]))]
    phi = Nystroem.of(KERNELS["rbf"], Coordinates(np.ones(X.shape[1])), pilots)(X)
    gram = phi.T @ phi
    gram[np.diag_indices_from(gram)] += np.trace(gram) / size
    scores = np.einsum("ij,ji->i", phi, cho_solve(cho_factor(gram), phi.T)) + 1e-12
    return rng.choice(X.shape[0], size, replace=False, p=scores / scores.sum())
