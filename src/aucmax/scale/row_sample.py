"""A random sample of the rows of each class: those with the smallest hashes of their numbers.

It does not depend on the partitions, and that of all rows follows from those of parts (bottom-k sampling).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aucmax.numerics.matrix import stacked
from aucmax.problem.moments import Moments
from aucmax.scale.folds import hash_folds
from aucmax.scale.row_reader import NumberedRows
from aucmax.selection.splits import Fold
from aucmax.validation.inputs import LabeledData


@dataclass(frozen=True, eq=False)
class RowSample:
    """At most `limit` rows of each class, in the order of the source; samples of parts add up.

    Parameters
    ----------
    rows : NumberedRows
    limit : int
    """

    rows: NumberedRows
    limit: int

    @classmethod
    def of(cls, rows: NumberedRows, limit: int) -> RowSample:
        """A sample of some rows."""
        kept = smallest_hashes(rows, (limit, limit))
        return cls(rows if kept.size == rows.hashes.size else rows.rows(kept), limit)

    def __add__(self, other: RowSample) -> RowSample:
        return RowSample.of(joined([self.rows, other.rows]), self.limit)

    def balanced(self, size: int) -> NumberedRows:
        """At most `size` rows, about half of them from each class."""
        n_pos, n_neg = (int(np.sum(self.rows.data.y == side)) for side in (1.0, -1.0))
        chosen = min(n_pos, max(size // 2, size - n_neg))
        return self.rows.rows(smallest_hashes(self.rows, (chosen, size - chosen)))


@dataclass(frozen=True, eq=False)
class SampledMoments:
    """Moments with the diagonal of the scatter, and a sample of the rows; those of parts add up."""

    moments: Moments
    sample: RowSample

    def __add__(self, other: SampledMoments) -> SampledMoments:
        return SampledMoments(self.moments + other.moments, self.sample + other.sample)


def smallest_hashes(rows: NumberedRows, counts: tuple[int, int]) -> np.ndarray:
    """The rows with the smallest hashes, so many positive and so many negative ones, in ascending order."""
    kept = []
    for side, count in zip((1.0, -1.0), counts):
        mine = np.flatnonzero(rows.data.y == side)
        if mine.size > count:
            mine = mine[np.argpartition(rows.hashes[mine], count)[:count]] if count else mine[:0]
        kept.append(mine)
    return np.sort(np.concatenate(kept))


def joined(parts: Sequence[NumberedRows]) -> NumberedRows:
    """The rows of all parts."""
    X = parts[0].data.X if len(parts) == 1 else stacked(*[part.data.X for part in parts])
    columns = zip(*[(part.data.y, part.data.weight, part.numbers, part.hashes, part.groups) for part in parts])
    y, weight, numbers, hashes, groups = map(np.concatenate, columns)
    return NumberedRows(LabeledData(X, y, weight), numbers, hashes, groups)


def hashed_folds(rows: NumberedRows, n_folds: int) -> list[Fold]:
    """Training and test rows by hashing."""
    fold = hash_folds(rows.groups, n_folds)
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]
    y = rows.data.y
    if any(np.unique(y[part]).size < 2 for both in folds for part in both):
        raise ValueError(
            f"a fold of the {y.size} rows on which models are compared has a single class: use fewer folds"
        )
    return folds
