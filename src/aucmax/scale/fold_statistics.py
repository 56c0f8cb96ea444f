"""The second pass: the moments of every fold, and a sample of rows from which cut points of scores follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from aucmax.numerics.matrix import is_sparse
from aucmax.problem.data import check_finite
from aucmax.problem.moments import Moments
from aucmax.scale.column_moments import column_moments
from aucmax.scale.folds import hash_folds, in_sample
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.row_sample import joined
from aucmax.selection.cross_validation import PartMoments

SAMPLE_ROWS = 2**13  # of each class, for cut points
_SAMPLE_NUMBERS = 2**22  # in the sample of a class


@dataclass(frozen=True, eq=False)
class FoldStatistics:
    """The moments of every fold, and sampled rows; parts add up.

    Parameters
    ----------
    moments : tuple of Moments
    sample : tuple of NumberedRows
        The sampled rows, chunk by chunk.
    """

    moments: tuple[Moments, ...]
    sample: tuple[NumberedRows, ...]

    def __add__(self, other: FoldStatistics) -> FoldStatistics:
        return FoldStatistics(tuple(map(add, self.moments, other.moments)), self.sample + other.sample)

    @property
    def whole(self) -> Moments:
        """The moments of all rows."""
        return reduce(add, self.moments)

    @property
    def training(self) -> list[Moments]:
        """The moments of all rows outside of each fold, as in `selection.cross_validation`."""
        sums = PartMoments(self.moments)
        return [sums.without(k) for k in range(len(self.moments))]

    @property
    def sampled_rows(self) -> NumberedRows:
        """All sampled rows."""
        return joined(self.sample)


@dataclass(frozen=True)
class FoldStatisticsOf:
    """The statistics of the rows of a chunk.

    Parameters
    ----------
    n_folds : int
    shares : (float, float)
        Shares of the positive and of the negative rows that are sampled.
    full : bool
        Whether the scatter is a matrix rather than its diagonal.
    """

    n_folds: int
    shares: tuple[float, float] = (0.0, 0.0)
    full: bool = True

    by_columns = True

    @classmethod
    def sampling(cls, n_folds: int, n_pos: int, n_neg: int, dim: int) -> FoldStatisticsOf:
        """With a sample that is as large as cut points need: all rows of a small source."""
        rows = min(SAMPLE_ROWS, max(_SAMPLE_NUMBERS // max(dim, 1), 256))
        return cls(n_folds, (min(1.0, rows / max(n_pos, 1)), min(1.0, rows / max(n_neg, 1))))

    def __call__(self, rows: NumberedRows) -> FoldStatistics:
        """The moments of each fold, checked to be finite."""
        X, y, weight = rows.data
        fold = hash_folds(rows.groups, self.n_folds) if self.n_folds > 1 else np.zeros(y.size, dtype=np.int64)
        sampled = rows.rows(np.flatnonzero(in_sample(rows.hashes, np.where(y > 0, *self.shares))))
        if self.full and not is_sparse(X):
            parts = column_moments(X, y, weight, fold, self.n_folds)
        else:
            of_folds = (np.flatnonzero(fold == k) for k in range(self.n_folds))
            parts = tuple(Moments.of(X, y, weight, full=self.full, index=index) for index in of_folds)
        check_finite(reduce(add, parts), X)
        return FoldStatistics(parts, (sampled,))
