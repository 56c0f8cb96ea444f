"""Folds by hashing: the fold of a row follows from its number, or from its group, wherever the row is read."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from aucmax.tables.cells import Column, as_strings
from aucmax.validation.inputs import make_rng

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def fold_seed(random_state: Any) -> int:
    """The seed of the hashes, from what users call `random_state`."""
    return int(make_rng(random_state).integers(2**32))


def row_hashes(numbers: np.ndarray, seed: int) -> np.ndarray:
    """64 random bits for every row number (splitmix64).

    Examples
    --------
    >>> bits = row_hashes(np.arange(100_000), seed=0)
    >>> np.unique(bits).size, bool(abs((bits >> np.uint64(63)).mean() - 0.5) < 0.01)
    (100000, True)
    """
    bits = (numbers.astype(np.uint64) + np.uint64(seed % 2**32) * np.uint64(2**32 + 1) + np.uint64(1)) * _GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def group_hashes(groups: Column, seed: int) -> np.ndarray:
    """64 random bits for every row, the same for rows of one group."""
    codes = as_strings(groups).combine_chunks().dictionary_encode()
    names = np.array([zlib.crc32(name.encode()) for name in codes.dictionary.to_pylist()], dtype=np.int64)
    return row_hashes(names, seed)[codes.indices.to_numpy()]


def hash_folds(hashes: np.ndarray, n_folds: int) -> np.ndarray:
    """The fold of every row, from 0 to n_folds - 1.

    Examples
    --------
    >>> counts = np.bincount(hash_folds(row_hashes(np.arange(10_000), 0), 4))
    >>> counts.size, bool(abs(counts - 2500).max() < 200)
    (4, True)
    """
    return ((hashes >> np.uint64(16)) % np.uint64(n_folds)).astype(np.int64)


def in_sample(hashes: np.ndarray, share: np.ndarray | float) -> np.ndarray:
    """Which rows are in a sample of about that share of all; independent of their folds."""
    bits = row_hashes(hashes.view(np.int64), 1)
    return (bits >> np.uint64(11)).astype(float) < np.asarray(share) * 2.0**53
