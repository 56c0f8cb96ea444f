"""AUC101: columns that look like an id.

An id identifies a row or an entity and says nothing about it, but a model can learn it: new rows have new ids, outside
the range of training. Only integers and strings can be ids, in one of these cases:

- the integers number the rows: each is the one before plus the same step;
- the name says so (`id`, `CustomerID`, `order_nr`), and there are many distinct values;
- the integers are distinct although random ones would not be. Of n integers drawn from any distribution on R values, at
  least n - R (1 - (1 - 1/R)^n) are expected to repeat an earlier one (the birthday problem; a uniform distribution has
  the fewest). Amounts, counts and years do repeat;
- the integers increase from row to row, evenly spread over their range: a sample of a numbered table. A table sorted by
  an amount is not evenly spread;
- the integers are larger than 2^53, or evenly spread and all of the same length of at least 8 digits: random numbers;
- the strings are distinct and contain digits: codes, not free text.

Times are not ids, even if they are distinct. A column of decimal numbers is never an id.
"""

from __future__ import annotations

import numpy as np
from scipy.special import pdtr

from aucmax.tables.cells import as_strings
from aucmax.tables.findings.column_names import may_name_an_id, names_a_time, names_an_id
from aucmax.tables.findings.finding import Finding, quoted

MIN_ROWS = 5
_MIN_ROWS_SPREAD = 50  # to tell whether numbers are evenly spread
_FEW_DISTINCT = 20  # so few distinct ids are categories
_NEARLY_ALL = 0.95
_MOST = 0.9
_P_VALUE = 1e-6  # of so few repeated values
_EVEN_SPREAD = 0.1  # largest distance of the distribution function from a straight line
_DIGITS = 8
_EXACT = 2.0**53  # a number beyond it is no measurement
_EPOCH_RANGES = ((0.6e9, 2.2e9), (0.6e12, 2.2e12), (0.6e15, 2.2e15), (0.6e18, 2.2e18))  # 1989-2039 in s, ms, us, ns
_PROBE = 2000  # rows from which most columns can be told not to be ids


def id_reason(name: str, values: np.ndarray, numbers: np.ndarray | None) -> str | None:
    """Why the column looks like an id; None if it does not.

    Parameters
    ----------
    name : str
        The name of the column.
    values : array
        Its cells that are not missing, in the order of the rows.
    numbers : array of float or None
        The cells as numbers; None if they are strings.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> shuffled = rng.permutation(1000)
    >>> id_reason("a", shuffled, shuffled.astype(float))
    'integers, all distinct, where random ones would repeat'
    >>> amounts = rng.lognormal(8, 1, 1000).round()
    >>> id_reason("a", amounts, amounts) is None
    True
    """
    if len(values) < MIN_ROWS:
        return None
    if numbers is None:
        return _reason_of_strings(name, values)
    if not (_are_integers(numbers[:_PROBE]) and _are_integers(numbers)):
        return None
    return _reason_of_integers(name, values, numbers)


def id_finding(name: str, reason: str, kept: bool = False) -> Finding:
    """The finding on a column that looks like an id."""
    if kept:
        advice = "it was kept as asked, but new rows will have ids that the model has not seen"
        return Finding("AUC101", f"column {quoted(name)} looks like an id: {reason}", advice, (name,))
    advice = "if it is a measurement, keep it (--keep, or keep= in Python)"
    return Finding("AUC101", f"column {quoted(name)} is left out, it looks like an id: {reason}", advice, (name,))


def is_epoch(numbers: np.ndarray) -> bool:
    """Whether all numbers are times of our days, counted in (parts of) seconds since 1970."""
    low = numbers.min()
    high = numbers.max()
    return any(start <= low and high <= stop for start, stop in _EPOCH_RANGES)


def _are_integers(numbers: np.ndarray) -> bool:
    return bool((np.floor(numbers) == numbers).all())


def _reason_of_strings(name: str, values: np.ndarray) -> str | None:
    probe = as_strings(values[:_PROBE])
    if np.unique(probe).size < _MOST * probe.size:
        return None
    strings = as_strings(values)
    share = np.unique(strings).size / strings.size
    if share >= _MOST and (names_an_id(name) or may_name_an_id(name)):
        return f"{_how_distinct(share)} strings, and its name"
    if share >= _NEARLY_ALL and _look_like_codes(probe.tolist()):
        return f"{_how_distinct(share)} strings with digits, such as {quoted(probe[0])}"
    return None


def _look_like_codes(cells: list[str]) -> bool:
    codes = sum(len(cell) <= 64 and any(character.isdigit() for character in cell) for cell in cells)
    return codes >= _MOST * len(cells)


def _reason_of_integers(name: str, values: np.ndarray, numbers: np.ndarray) -> str | None:
    is_time = names_a_time(name) and not names_an_id(name)
    steps = np.diff(numbers)
    if not is_time and steps[0] != 0 and (steps == steps[0]).all() and np.abs(numbers).max() < _EXACT:
        return "integers that number the rows"
    named = names_an_id(name)
    if not named and _share_distinct(values[:_PROBE]) < _MOST:
        return None
    distinct = np.unique(values)
    share = distinct.size / values.size
    if named and (share >= _MOST or distinct.size > _FEW_DISTINCT):
        return f"{distinct.size:,} distinct integers, and its name"
    if share >= _MOST and may_name_an_id(name):
        return f"{_how_distinct(share)} integers, and its name"
    if share < _NEARLY_ALL or is_time or is_epoch(numbers):
        return None
    return _reason_of_distinct(distinct, numbers, share)


def _reason_of_distinct(distinct: np.ndarray, numbers: np.ndarray, share: float) -> str | None:
    """Why nearly distinct integers are an id, if they are."""
    described = f"integers, {_how_distinct(share)}"
    if _repeat_too_little(distinct, numbers.size):
        return f"{described}, where random ones would repeat"
    if numbers.size < _MIN_ROWS_SPREAD:
        return None
    if np.abs(numbers).max() > _EXACT:
        return f"{described}, beyond 2^53"
    if not _evenly_spread(distinct):
        return None
    steps = np.diff(numbers)
    if (steps > 0).all() or (steps < 0).all():
        return f"{described}, increasing or decreasing from row to row"
    lengths = np.floor(np.log10(np.maximum(np.abs(distinct.astype(float)), 1.0)))
    if lengths.min() == lengths.max() >= _DIGITS - 1:
        return f"{described}, all of {int(lengths[0]) + 1} digits"
    return None


def _repeat_too_little(distinct: np.ndarray, n: int) -> bool:
    """Whether fewer values repeat than is plausible for n random integers of that range."""
    if np.abs(distinct.astype(float)).max() > _EXACT:
        return False
    offsets = (distinct - distinct[0]).astype(np.int64)
    n_possible = offsets[-1] // max(int(np.gcd.reduce(offsets)), 1) + 1
    expected = n + n_possible * np.expm1(n * np.log1p(-1.0 / n_possible)) if n_possible > 1 else 0.0
    return bool(pdtr(n - distinct.size, expected) < _P_VALUE)


def _evenly_spread(distinct: np.ndarray) -> bool:
    """Whether the distribution function of the sorted values is close to a straight line."""
    numbers = distinct.astype(float)
    position = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    return bool(np.abs(position - np.linspace(0.0, 1.0, position.size)).max() < _EVEN_SPREAD)


def _share_distinct(values: np.ndarray) -> float:
    return np.unique(values).size / values.size


def _how_distinct(share: float) -> str:
    return "all distinct" if share == 1.0 else "nearly all distinct"
