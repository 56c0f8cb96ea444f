"""`NumberSummary`: the numbers of a column; of a long one that was read in parts, only what encoding needs.

As long as the parts have at most `EXACT` rows together, all numbers are kept. Beyond that, the median is that of a
`QuantileSketch`, and whether the column looks like an id is decided on the first `EXACT` rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from aucmax.tables.quantile_sketch import QuantileSketch
from aucmax.tables.time_format import DAY

EXACT = 2**15  # rows; a column of so many takes 256 KiB


class NumberFacts(NamedTuple):
    """What is known of all numbers; of parts, it can be put together."""

    low: float  # the smallest
    high: float  # the largest
    infinite: int | None  # index of the first row with an infinite number
    time_of_day: bool  # whether any number, read as seconds, is not a whole day
    digest: int  # a sum of hashes: two readings of the same cells have the same one if they agree


@dataclass(frozen=True, eq=False)
class NumberSummary:
    """The numbers of a column.

    Parameters
    ----------
    numbers : array
        Those of all rows in their order, NaN for missing ones; of the first rows alone if there is a sketch.
    n_rows : int
        Number of rows.
    sketch : QuantileSketch, optional
        Of all numbers, if there are too many to be kept.
    known : NumberFacts, optional
        The facts, if there is a sketch.

    Examples
    --------
    >>> whole = NumberSummary.of(np.array([1.0, np.nan])) + NumberSummary.of(np.array([4.0]))
    >>> whole.numbers, whole.median
    (array([ 1., nan,  4.]), 2.5)
    """

    numbers: np.ndarray
    n_rows: int
    sketch: QuantileSketch | None = None
    known: NumberFacts | None = None

    @classmethod
    def of(cls, numbers: np.ndarray) -> NumberSummary:
        """The summary of all numbers of some rows."""
        return cls(numbers, numbers.size)

    @classmethod
    def missing(cls, n_rows: int) -> NumberSummary:
        """The summary of rows in which all cells are missing; only a few of them are stored."""
        if n_rows <= EXACT:
            return cls.of(np.full(n_rows, np.nan))
        nothing = NumberFacts(np.nan, np.nan, None, False, 0)
        return cls(np.full(EXACT, np.nan), n_rows, QuantileSketch.of(np.empty(0)), nothing)

    def __add__(self, other: NumberSummary) -> NumberSummary:
        n_rows = self.n_rows + other.n_rows
        first = np.concatenate([self.numbers, other.numbers]) if self.sketch is None else self.numbers
        if n_rows <= EXACT and self.sketch is None and other.sketch is None:
            return NumberSummary(first, n_rows)
        facts = _joined(self.facts, other.facts, self.n_rows)
        return NumberSummary(first[:EXACT].copy(), n_rows, self._sketch + other._sketch, facts)

    @property
    def _sketch(self) -> QuantileSketch:
        return QuantileSketch.of(self.present) if self.sketch is None else self.sketch

    @property
    def present(self) -> np.ndarray:
        """The kept numbers that are not missing, in the order of the rows."""
        missing = np.isnan(self.numbers)
        return self.numbers[~missing] if missing.any() else self.numbers

    @cached_property
    def facts(self) -> NumberFacts:
        """What is known of all numbers."""
        return _facts(self.numbers) if self.known is None else self.known

    @property
    def median(self) -> float:
        """The median; from the sketch if there is one."""
        return float(np.median(self.present)) if self.sketch is None else self.sketch.median()

    def agrees_with(self, other: NumberSummary) -> bool:
        """Whether two readings of the same cells give the same numbers."""
        if self is other:
            return True
        if self.sketch is None and other.sketch is None:
            return np.array_equal(self.numbers, other.numbers, equal_nan=True)
        return self.facts.digest == other.facts.digest


def _facts(numbers: np.ndarray) -> NumberFacts:
    present = numbers[~np.isnan(numbers)]
    if not present.size:
        return NumberFacts(np.nan, np.nan, None, False, 0)
    infinite = np.isinf(numbers)
    first = int(infinite.argmax()) if infinite.any() else None
    with np.errstate(invalid="ignore"):  # infinite ones, which are refused later
        time_of_day = bool(np.any(present[:100] % DAY)) or bool(np.any(present % DAY))  # mostly the first few tell
    return NumberFacts(float(present.min()), float(present.max()), first, time_of_day, _digest(present))


def _joined(a: NumberFacts, b: NumberFacts, rows_before: int) -> NumberFacts:
    later = None if b.infinite is None else b.infinite + rows_before
    return NumberFacts(
        float(np.fmin(a.low, b.low)),
        float(np.fmax(a.high, b.high)),
        later if a.infinite is None else a.infinite,
        a.time_of_day or b.time_of_day,
        (a.digest + b.digest) % 2**64,
    )


def _digest(present: np.ndarray) -> int:
    """The sum of a 64-bit hash (splitmix64) of each number."""
    bits = (present + 0.0).view(np.uint64)  # 0.0 and -0.0 are the same number
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int((bits ^ (bits >> np.uint64(31))).sum(dtype=np.uint64))
