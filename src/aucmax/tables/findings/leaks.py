"""AUC102: columns into which the target may have leaked.

A column is suspected if it alone ranks the rows with an AUC above 0.95, and that is significant for so many columns.
Some honest measurements do that too, so a suspect is reported only if it separates the classes completely, or if its
error 1 - AUC is less than half that of the other columns: of the best of them, and of all together in a linear
discriminant, on the values and on their ranks, each half of the rows scored by a fit to the other half.

Numbers are ranked as they are, categories by their share of positives in the other half of the rows, and what is
missing by being so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata

from aucmax.metrics.auc import auc_of_classes
from aucmax.tables.findings.features import FeatureGroup, Features, standardized
from aucmax.tables.findings.finding import Finding, quoted

SUSPECT = 0.95
_PERFECT = 0.9995
_ERROR_RATIO = 0.5  # of a leak to all other columns
_P_VALUE = 1e-3
_MOST_FEATURES = 300  # of the discriminant: those that rank best
_RIDGE = 1e-3  # share of the variance that is added to it
_COPY = 0.999  # rank correlation above which a feature says the same as the suspect


def find_leaks(features: Features) -> list[Finding]:
    """Findings on columns that rank almost perfectly, from a sample of the rows.

    Examples
    --------
    >>> from aucmax.tables.findings.features import matrix_groups
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 2
    >>> X = np.column_stack([rng.normal(size=400) + y, 10 * y + rng.normal(size=400)])
    >>> [finding] = find_leaks(Features(X, y, matrix_groups(2)))
    >>> print(finding.message)
    column 'column 2' alone ranks with AUC 1.0000, all others together with 0.7...: the target may have leaked into it
    """
    part = features.sample()
    aucs = np.array([_auc_of_column(group, part) for group in part.groups])
    suspects = np.flatnonzero((aucs > SUSPECT) & _significant(aucs, part.y))
    if suspects.size == 0:
        return []
    perfect = {int(j) for j in suspects if aucs[j] >= _PERFECT}
    ranked = part._replace(X=standardized(rankdata(part.X, axis=0))[0])
    found = []
    for j in suspects:
        left_out = perfect | _columns_alike(ranked, int(j))
        singles = [auc for k, auc in enumerate(aucs) if k not in left_out]
        other = max([0.5, *singles, *(_auc_without(left_out, some) for some in (part, ranked))])
        if j in perfect or 1.0 - aucs[j] < _ERROR_RATIO * (1.0 - other):
            found.append(_leak_finding(part.groups[j].name, aucs[j], other))
    return found


def _leak_finding(name: str, auc: float, other: float) -> Finding:
    ranks = f"column {quoted(name)} alone ranks with AUC {auc:.4f}, all others together with {other:.4f}"
    advice = "leave it out (--drop) if it is not known when new rows are scored"
    return Finding("AUC102", f"{ranks}: the target may have leaked into it", advice, (name,))


def _significant(aucs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which AUCs differ from 0.5 by more than so many columns would at random."""
    n_neg, n_pos = np.bincount(y, minlength=2)
    deviation = np.sqrt((n_pos + n_neg + 1) / (12.0 * n_pos * n_neg))
    return 2.0 * ndtr(-(aucs - 0.5) / deviation) * aucs.size < _P_VALUE


def _auc_of_column(group: FeatureGroup, part: Features) -> float:
    """The best AUC of the features of a column, in either direction."""
    if group.is_categorical:
        aucs = [_auc_of_categories(part.X[:, group.span], part.y)]
    else:
        aucs = [_auc(part.X[:, j], part.y) for j in range(group.start, group.stop)]
    if group.indicator is not None:
        aucs.append(_auc(part.X[:, group.indicator], part.y))
    return max(max(auc, 1.0 - auc) for auc in aucs)


def _auc(scores: np.ndarray, y: np.ndarray) -> float:
    return auc_of_classes(scores[y == 1], scores[y == 0])


def _halves(y: np.ndarray) -> list[np.ndarray]:
    """Two halves of the rows, each with half of each class; the rows are in random order."""
    place = np.empty(y.size, dtype=int)
    for label in (0, 1):
        rows = np.flatnonzero(y == label)
        place[rows] = np.arange(rows.size) % 2
    return [np.flatnonzero(place == k) for k in (0, 1)]


def _auc_of_categories(X: np.ndarray, y: np.ndarray) -> float:
    """Mean AUC on each half of the rows of the share of positives of each category in the other half."""
    halves = _halves(y)
    return _mean_auc(halves, y, lambda train: _shares(X[train], y[train]), X)


def _shares(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (X.T @ y + y.mean()) / (X.sum(axis=0) + 1.0)


def _mean_auc(
    halves: list[np.ndarray], y: np.ndarray, weights_of: Callable[[np.ndarray], np.ndarray], X: np.ndarray
) -> float:
    aucs = []
    for train, test in (halves, halves[::-1]):
        if min(np.bincount(y[test], minlength=2)) and min(np.bincount(y[train], minlength=2)):
            aucs.append(_auc(X[test] @ weights_of(train), y[test]))
    return float(np.mean(aucs)) if aucs else 0.5


def _columns_alike(ranked: Features, suspect: int) -> set[int]:
    """The suspect and the columns that rank the rows as it does."""
    own = ranked.X[:, _all_features(ranked.groups[suspect])]
    alike = (np.abs(ranked.X.T @ own) >= _COPY * len(own)).any(axis=1)
    return {suspect} | {k for k, group in enumerate(ranked.groups) if alike[_all_features(group)].any()}


def _auc_without(left_out: set[int], part: Features) -> float:
    """AUC of a linear discriminant of the other columns."""
    features = [j for k, group in enumerate(part.groups) if k not in left_out for j in _all_features(group)]
    if not features:
        return 0.5
    Z, varies = standardized(part.X[:, features])
    Z = Z[:, varies]
    gap = np.abs(Z[part.y == 1].mean(axis=0) - Z[part.y == 0].mean(axis=0))
    Z = Z[:, np.argsort(-gap, kind="stable")[:_MOST_FEATURES]]
    return _mean_auc(_halves(part.y), part.y, lambda train: _discriminant(Z[train], part.y[train]), Z)


def _all_features(group: FeatureGroup) -> list[int]:
    return [*range(group.start, group.stop), *([] if group.indicator is None else [group.indicator])]


def _discriminant(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights of a linear discriminant with a small ridge."""
    delta = Z[y == 1].mean(axis=0) - Z[y == 0].mean(axis=0)
    covariance = np.cov(Z, rowvar=False).reshape(len(delta), len(delta))
    return np.linalg.solve(covariance + _RIDGE * np.eye(len(delta)), delta)
