"""Landmarks: the rows to which a kernel compares all others, drawn at random, half of them from each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

WORK = 1e10  # budget for n_components="auto": rows times squared number of landmarks
FEWEST = 300  # landmarks for n_components="auto"
MOST = 800


def count_landmarks(n_components: Any, n: int) -> int:
    """The number of landmarks to draw from n rows."""
    if n_components != "auto":
        return min(int(n_components), n)
    return min(int(np.clip(np.sqrt(WORK / n), FEWEST, MOST)), n)


def choose_landmarks(groups: Sequence[np.ndarray], count: int, rng: np.random.Generator) -> np.ndarray:
    """At most `count` of the positive and the negative row numbers in `groups`.

    Half of them are from each class; a class with fewer rows contributes all, and the other one the rest. The two
    classes alternate as long as possible, so that the first few define a smaller map.
    """
    pos, neg = groups
    n_pos = min(pos.size, max(count // 2, count - neg.size))
    n_neg = min(neg.size, count - n_pos)
    chosen = np.concatenate([rng.permutation(pos)[:n_pos], rng.permutation(neg)[:n_neg]])
    return chosen[np.argsort(np.concatenate([np.arange(n_pos), np.arange(n_neg)]), kind="stable")]


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
