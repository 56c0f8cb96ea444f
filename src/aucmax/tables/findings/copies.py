"""AUC103: columns that are copies of each other, up to scale and shift, or with other names for the same categories.

Standardized, such columns are equal but for their sign, so their projections on a random vector are too. Sorting
these finds all candidates in O(n d) on a sample of the rows; they are then compared on all rows. The features of a
categorical column are its one-hot encoded categories: two columns are copies if each feature of one is a copy of one
of the other.
"""

from __future__ import annotations

import numpy as np

from aucmax.tables.findings.features import FeatureGroup, Features, standardized
from aucmax.tables.findings.finding import Finding, name_list

_CLOSE = 1e-7  # of projections, in deviations
_EXACT = 1e-9  # of values, as a share of their range
_FEWEST = 5  # rows on either side of the mean: fewer agree at random


def find_copies(features: Features) -> list[Finding]:
    """One finding for each set of columns that are copies.

    Examples
    --------
    >>> from aucmax.tables.findings.features import matrix_groups
    >>> celsius = np.random.default_rng(0).normal(15, 8, 200)
    >>> X = np.column_stack([celsius, np.arange(200.0), 32 + 1.8 * celsius])
    >>> [finding] = find_copies(Features(X, np.arange(200) % 2, matrix_groups(3)))
    >>> finding.columns
    ('column 1', 'column 3')
    """
    cluster = _clusters(features)
    alike: dict[frozenset[int], list[str]] = {}
    for group in features.groups:
        signature = _signature(group, cluster)
        if signature:
            alike.setdefault(signature, []).append(group.name)
    return [_copies_finding(names) for names in alike.values() if len(names) > 1]


def _copies_finding(names: list[str]) -> Finding:
    advice = "leave out all but one of them (--drop): they share one weight, which says nothing about any of them"
    return Finding("AUC103", f"columns {name_list(names)} are copies, up to scale and shift", advice, tuple(names))


def _signature(group: FeatureGroup, cluster: np.ndarray) -> frozenset[int]:
    """The clusters of a column's features; those of too few rows are ignored in a categorical column."""
    found = cluster[group.span]
    if group.is_categorical:
        found = found[found >= 0]
    return frozenset() if (found < 0).any() else frozenset(found.tolist())


def _clusters(features: Features) -> np.ndarray:
    """A number for every feature, the same for copies; -1 if too few rows differ from the others."""
    Z, varies = standardized(features.sample().X)
    usable = varies & (np.minimum((Z > 0).sum(axis=0), (Z < 0).sum(axis=0)) >= _FEWEST)
    rng = np.random.default_rng(0)
    projections = np.abs(rng.normal(size=(2, len(Z))) @ Z) / np.sqrt(len(Z))
    cluster = np.where(usable, np.arange(Z.shape[1]), -1)
    order = np.flatnonzero(usable)[np.argsort(projections[0, usable], kind="stable")]
    for place, j in enumerate(order):
        for i in order[:place][::-1]:
            if projections[0, j] - projections[0, i] > _CLOSE:
                break
            close = abs(projections[1, i] - projections[1, j]) <= _CLOSE
            if close and _is_affine(features.X[:, cluster[i]], features.X[:, j]):
                cluster[j] = cluster[i]
                break
    return cluster


def _is_affine(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether b = slope a + shift on all rows, but for rounding."""
    a = a / np.abs(a).max()
    b = b / np.abs(b).max()
    low = a.argmin()
    high = a.argmax()
    slope = (b[high] - b[low]) / (a[high] - a[low])
    error = np.abs(b - b[low] - slope * (a - a[low])).max()
    return bool(error <= _EXACT * np.ptp(b))
