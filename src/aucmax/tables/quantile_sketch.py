"""`QuantileSketch`: quantiles of a column that is too long to keep, in memory that does not grow with it.

    Munro, Paterson. "Selection and sorting with limited storage." Theoretical Computer Science 1980.

Numbers of level l stand for 2^l numbers each. A level that has grown beyond `CAPACITY` is sorted, and every second
number moves to the next level: a rank changes by at most 2^l. Sketches of parts add up; the sum of these changes is
the bound on the error of any rank, at most n log2(n / CAPACITY) / CAPACITY for n numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CAPACITY = 4096  # numbers a level


@dataclass(frozen=True, eq=False)
class QuantileSketch:
    """A sample of numbers with weights, from which ranks follow up to `error`.

    Parameters
    ----------
    levels : tuple of arrays
        The numbers of level l, each of which stands for 2^l.
    compactions : int
        How often a level was halved.
    error : int
        The largest possible error of a rank.

    Examples
    --------
    >>> parts = [QuantileSketch.of(np.arange(k, 300_000.0, 3)) for k in range(3)]
    >>> whole = parts[0] + parts[1] + parts[2]
    >>> whole.n, abs(whole.median() - 149_999.5) <= whole.error
    (300000, True)
    """

    levels: tuple[np.ndarray, ...]
    compactions: int = 0
    error: int = 0

    @classmethod
    def of(cls, numbers: np.ndarray) -> QuantileSketch:
        """The sketch of some numbers, none of them NaN."""
        return cls._compacted([numbers], 0, 0)

    @classmethod
    def _compacted(cls, levels: list[np.ndarray], compactions: int, error: int) -> QuantileSketch:
        """Halve each level that is too long; the halves with odd and with even ranks take turns."""
        for level, numbers in enumerate(levels):  # which may grow
            if numbers.size <= CAPACITY:
                continue
            ascending = np.sort(numbers)
            even = numbers.size - numbers.size % 2
            promoted = ascending[compactions % 2 : even : 2]
            levels[level] = ascending[even:].copy()
            if level + 1 == len(levels):
                levels.append(promoted)
            else:
                levels[level + 1] = np.append(levels[level + 1], promoted)
            compactions += 1
            error += 1 << level
        return cls(tuple(levels), compactions, error)

    def __add__(self, other: QuantileSketch) -> QuantileSketch:
        shorter, longer = sorted((self.levels, other.levels), key=len)
        levels: list[np.ndarray] = list(longer)
        for level, numbers in enumerate(shorter):
            levels[level] = np.append(levels[level], numbers)
        return self._compacted(levels, self.compactions + other.compactions, self.error + other.error)

    @property
    def n(self) -> int:
        """How many numbers there are."""
        return sum(numbers.size << level for level, numbers in enumerate(self.levels))

    def quantiles(self, shares: Sequence[float]) -> np.ndarray:
        """The smallest number whose rank is at least that share of all."""
        numbers = np.concatenate(self.levels)
        weight = np.repeat([1 << level for level in range(len(self.levels))], [part.size for part in self.levels])
        order = np.argsort(numbers, kind="stable")
        rank = np.cumsum(weight[order])
        at = np.searchsorted(rank, np.asarray(shares) * rank[-1], "left")
        return numbers[order][np.minimum(at, rank.size - 1)]

    def median(self) -> float:
        """The median, up to the error of its rank."""
        return float(self.quantiles([0.5])[0])
