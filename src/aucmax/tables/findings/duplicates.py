"""AUC105: duplicated rows.

A row whose copy is in the training set is not a test. Rows are compared by a 64-bit hash of their features. Where
columns have few values, equal rows are no surprise: if the columns were independent, the share of equal pairs would
be the product of their shares of equal pairs, and only a table with more than ten times that many is reported.
"""

from __future__ import annotations

import numpy as np

from aucmax.tables.findings.features import Features
from aucmax.tables.findings.finding import Finding

SHARE = 0.01  # of the rows, from which on duplicates are reported
_FEWEST = 5
_EXCESS = 10.0  # times the equal pairs of independent columns
_BLOCK = 4096  # rows that are hashed at once


def find_duplicates(features: Features) -> list[Finding]:
    """A finding if many rows are copies of other rows, the label aside.

    Examples
    --------
    >>> from aucmax.tables.findings.features import matrix_groups
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> [finding] = find_duplicates(Features(np.vstack([X, X[:20]]), np.arange(120) % 2, matrix_groups(3)))
    >>> print(finding.message)
    20 of 120 rows (16.7 %) have the same features as an earlier row, so that folds test on rows they were trained on
    """
    hashes, counts = np.unique(hash_rows(features.X), return_counts=True)
    n = len(features.X)
    n_copies = n - hashes.size
    if n_copies < max(_FEWEST, SHARE * n):
        return []
    pairs = float(np.sum(counts * (counts - 1.0))) / 2.0
    if pairs < _EXCESS * _share_of_equal_pairs(features) * n * (n - 1) / 2.0:
        return []
    rows = f"{n_copies:,} of {n:,} rows ({100 * n_copies / n:.3g} %)"
    reason = "have the same features as an earlier row, so that folds test on rows they were trained on"
    advice = "remove the copies, or keep them in one fold (groups= of aucmax.compare)"
    return [Finding("AUC105", f"{rows} {reason}", advice)]


def hash_rows(X: np.ndarray) -> np.ndarray:
    """A 64-bit hash of each row of numbers; equal rows have equal hashes."""
    factors = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    hashes = np.empty(len(X), dtype=np.uint64)
    for start in range(0, len(X), _BLOCK):
        bits = (X[start : start + _BLOCK] + 0.0).view(np.uint64)  # -0.0 is 0.0
        bits ^= bits >> np.uint64(32)
        bits *= factors
        bits ^= bits >> np.uint64(29)
        hashes[start : start + _BLOCK] = bits.sum(axis=1, dtype=np.uint64)
    return hashes


def _share_of_equal_pairs(features: Features) -> float:
    """The share of equal pairs of rows if the columns were independent."""
    part = features.sample().X
    share = 1.0
    for group in features.groups:
        _, counts = np.unique(hash_rows(part[:, group.span]), return_counts=True)
        share *= float(np.sum(counts * (counts - 1.0))) / max(len(part) * (len(part) - 1.0), 1.0)
        if share == 0.0:
            break
    return share
