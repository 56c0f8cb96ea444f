"""AUC101: columns that look like an id.

An id identifies a row or an entity and says nothing about it, but a model can learn it: new rows have new ids,
outside the range of training. Only integers and strings can be ids, in one of these cases:

- the integers number the rows: each is the one before plus the same step;
- the name says so (`id`, `CustomerID`, `order_nr`), and there are many distinct values;
- the integers are distinct although random ones would not be. Of n integers drawn from any distribution on R values,
  at least n - R (1 - (1 - 1/R)^n) are expected to repeat an earlier one (the birthday problem; a uniform distribution
  has the fewest). Amounts, counts and years do repeat;
- the integers increase from row to row, evenly spread over their range: a sample of a numbered table. A table sorted
  by an amount is not evenly spread;
- the integers are evenly spread and all of the same length of at least 8 digits, or have more than 15 digits: random
  numbers;
- the strings are distinct and contain digits: codes, not free text.

Times are not ids, even if they are distinct. A column of decimal numbers is never an id.
"""

from __future__ import annotations

import numpy as np
from scipy.special import pdtr

from aucmax.tables.cells import Column, present_strings
from aucmax.tables.findings.column_names import may_name_an_id, names_a_time, names_an_id
from aucmax.tables.findings.finding import quoted
from aucmax.tables.pyarrow_import import pc

MIN_ROWS = 5
_MIN_ROWS_SPREAD = 50  # to tell whether numbers are evenly spread
_FEW_DISTINCT = 20  # so few distinct ids are categories
_NEARLY_ALL = 0.95
_MOST = 0.9
_P_VALUE = 1e-6  # of so few repeated values
_EVEN_SPREAD = 0.1  # largest distance of the distribution function from a straight line
_DIGITS = 8
_EXACT = 2.0**53  # up to which float64 holds every integer
_EPOCH_RANGES = ((0.6e9, 2.2e9), (0.6e12, 2.2e12), (0.6e15, 2.2e15), (0.6e18, 2.2e18))  # 1989-2039 in s, ms, us, ns
_PROBE = 2000  # rows from which most columns can be told not to be ids


def id_reason(name: str, numbers: np.ndarray) -> str | None:
    """Why a column of numbers looks like an id; None if it does not.

    Parameters
    ----------
    name : str
        The name of the column.
    numbers : array of float
        Its numbers, in the order of the rows, without missing ones.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> id_reason("a", rng.permutation(1000).astype(float))
    'integers, all distinct, where random ones would repeat'
    >>> id_reason("amount", rng.lognormal(8, 1, 1000).round()) is None
    True
    """
    if len(numbers) < MIN_ROWS or not (_are_integers(numbers[:_PROBE]) and _are_integers(numbers)):
        return None
    named = names_an_id(name)
    if not named and _share_distinct(numbers[:_PROBE]) < _MOST:
        return None
    is_time = names_a_time(name) and not named
    if not is_time and _number_the_rows(numbers):
        return "integers that number the rows"
    distinct = np.unique(numbers)
    share = distinct.size / numbers.size
    if named and (share >= _MOST or distinct.size > _FEW_DISTINCT):
        return f"{distinct.size:,} distinct integers, and its name"
    if share >= _MOST and may_name_an_id(name):
        return f"integers, {_how_distinct(share)}, and its name"
    too_large = max(-distinct[0], distinct[-1]) > _EXACT
    if share < _NEARLY_ALL or is_time or too_large or is_epoch(distinct[0], distinct[-1]):
        return None
    return _reason_of_distinct(distinct, numbers, share)


def string_id_reason(name: str, column: Column) -> str | None:
    """Why a column of strings looks like an id; None if it does not.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column
    >>> string_id_reason("a", as_column([f"KX-{i}" for i in range(50)]))
    "strings with digits, all distinct, such as 'KX-0'"
    """
    strings = present_strings(column).drop_null()
    probe = strings.slice(0, _PROBE).to_pylist()
    if len(probe) < MIN_ROWS or len(set(probe)) < _MOST * len(probe):
        return None
    share = pc.count_distinct(strings).as_py() / len(strings)
    if share >= _MOST and (names_an_id(name) or may_name_an_id(name)):
        return f"strings, {_how_distinct(share)}, and its name"
    if share >= _NEARLY_ALL and _look_like_codes(probe):
        return f"strings with digits, {_how_distinct(share)}, such as {quoted(probe[0])}"
    return None


def is_epoch(low: float, high: float) -> bool:
    """Whether the numbers from low to high are times of our days, in (parts of) seconds since 1970."""
    return any(start <= min(low, high) and max(low, high) <= stop for start, stop in _EPOCH_RANGES)


def _are_integers(numbers: np.ndarray) -> bool:
    return bool((np.floor(numbers) == numbers).all())


def _look_like_codes(cells: list[str]) -> bool:
    codes = sum(len(cell) <= 64 and any(character.isdigit() for character in cell) for cell in cells)
    return codes >= _MOST * len(cells)


def _number_the_rows(numbers: np.ndarray) -> bool:
    """Whether each number is the one before plus the same step."""
    step = numbers[1] - numbers[0]
    return step != 0 and bool((np.diff(numbers[:_PROBE]) == step).all() and (np.diff(numbers) == step).all())


def _reason_of_distinct(distinct: np.ndarray, numbers: np.ndarray, share: float) -> str | None:
    """Why nearly distinct integers are an id, if they are."""
    described = f"integers, {_how_distinct(share)}"
    if _repeat_too_little(distinct, numbers.size):
        return f"{described}, where random ones would repeat"
    if numbers.size < _MIN_ROWS_SPREAD:
        return None
    if not _evenly_spread(distinct):
        return None
    steps = np.diff(numbers)
    if (steps > 0).all() or (steps < 0).all():
        return f"{described}, increasing or decreasing from row to row"
    lengths = np.floor(np.log10(np.maximum(np.abs(distinct), 1.0)))
    if lengths.min() == lengths.max() >= _DIGITS - 1:
        return f"{described}, all of {int(lengths[0]) + 1} digits"
    return None


def _repeat_too_little(distinct: np.ndarray, n: int) -> bool:
    """Whether fewer values repeat than is plausible for n random integers of that range."""
    offsets = (distinct - distinct[0]).astype(np.int64)
    n_possible = offsets[-1] // max(int(np.gcd.reduce(offsets)), 1) + 1
    expected = n + n_possible * np.expm1(n * np.log1p(-1.0 / n_possible)) if n_possible > 1 else 0.0
    return bool(pdtr(n - distinct.size, expected) < _P_VALUE)


def _evenly_spread(distinct: np.ndarray) -> bool:
    """Whether the distribution function of the sorted values is close to a straight line."""
    position = (distinct - distinct[0]) / (distinct[-1] - distinct[0])
    return bool(np.abs(position - np.linspace(0.0, 1.0, position.size)).max() < _EVEN_SPREAD)


def _share_distinct(values: np.ndarray) -> float:
    return np.unique(values).size / values.size


def _how_distinct(share: float) -> str:
    return "all distinct" if share == 1.0 else "nearly all distinct"
