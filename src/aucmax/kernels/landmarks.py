"""Landmarks: the rows that a kernel compares all others with, half of them from each class.

kmeans++     Arthur, Vassilvitskii. "k-means++: the advantages of careful seeding." SODA 2007.
leverage     Musco, Musco. "Recursive sampling for the Nystroem method." NIPS 2017 (here in one step).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from aucmax.kernels.coordinates import Coordinates
from aucmax.kernels.functions import KERNELS
from aucmax.kernels.nystroem import Nystroem, own_distances, typical

CANDIDATES = 20  # rows that are looked at for every landmark, by rules that look at rows
PILOTS = 100  # landmarks of the features that leverages are measured with


def choose_landmarks(
    X: Any,
    groups: Sequence[np.ndarray],
    count: int,
    rule: str,
    coordinates: Coordinates,
    rng: np.random.Generator,
) -> np.ndarray:
    """Numbers of the landmarks among the rows of X.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    groups : two arrays of row numbers
        The rows of each class that may be taken.
    count : int
        Half of them from each class; a class that has not so many gives all, and the other one the rest.
    rule : {"random", "kmeans++", "leverage"}
        A name in `LANDMARKS`.
    coordinates : Coordinates
        Where distances between rows are measured.

    Returns
    -------
    array of at most `count` row numbers
        The two classes take turns as long as they can, so that the first few would do for a smaller map.
    """
    sizes = _shares([group.size for group in groups], count)
    chosen = [_of_class(X, group, size, rule, coordinates, rng) for group, size in zip(groups, sizes, strict=True)]
    places = np.concatenate([np.arange(part.size) for part in chosen])
    return np.concatenate(chosen)[np.argsort(places, kind="stable")]


def _shares(sizes: list[int], count: int) -> list[int]:
    first = min(sizes[0], max(count // 2, count - sizes[1]))
    return [first, min(sizes[1], count - first)]


def _of_class(
    X: Any, group: np.ndarray, size: int, rule: str, coordinates: Coordinates, rng: np.random.Generator
) -> np.ndarray:
    order = rng.permutation(group)
    if rule == "random" or size >= group.size:
        return order[:size]
    candidates = order[: CANDIDATES * size]
    return candidates[LANDMARKS[rule](coordinates(X[candidates]), size, rng)]


def _first(X: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    return np.arange(size)


def _spread(X: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    """k-means++: each next row by the square of its distance to the nearest one before."""
    chosen = np.zeros(size, dtype=np.int64)
    nearest = np.full(X.shape[0], np.inf)
    for k in range(1, size):
        nearest = np.minimum(nearest, KERNELS["rbf"].distances(X, X[chosen[k - 1 : k]])[:, 0])
        nearest[chosen[k - 1]] = 0.0
        total = nearest.sum()
        left = np.setdiff1d(np.arange(X.shape[0]), chosen[:k])
        chosen[k] = rng.choice(X.shape[0], p=nearest / total) if total > 0 else left[0]
    return chosen


def _leverage(X: Any, size: int, rng: np.random.Generator) -> np.ndarray:
    """By ridge leverage: rows that the features of the others say little about are likelier."""
    pilots = X[np.arange(min(PILOTS, X.shape[0]))]
    own, rbf = own_distances(KERNELS["rbf"], pilots), KERNELS["rbf"]
    phi = Nystroem.of(rbf, 1.0 / typical(own), Coordinates(np.ones(X.shape[1])), pilots, own)(X)
    gram = phi.T @ phi
    gram[np.diag_indices_from(gram)] += np.trace(gram) / size
    scores = np.einsum("ij,ji->i", phi, cho_solve(cho_factor(gram), phi.T)) + 1e-12
    return rng.choice(X.shape[0], size, replace=False, p=scores / scores.sum())


LANDMARKS: dict[str, Callable] = {"random": _first, "kmeans++": _spread, "leverage": _leverage}
