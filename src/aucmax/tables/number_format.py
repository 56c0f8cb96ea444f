"""`NumberFormat`: how the cells of a column spell numbers, such as `1.234,56`, `$1,200` or `39.9%`.

A column is read in one format or not at all. Per cent are read as written: `39.9%` is 39.9. Cells with different
currencies are not numbers, nor are cells with and without a per cent sign.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucmax.tables.cells import Column, is_string, is_time, parse_numbers, to_floats
from aucmax.tables.pyarrow_import import pa, pc

_SEPARATORS = {"": "", ",": ",", ".": r"\.", " ": "[ \u00a0\u202f]", "'": "['\u2019]"}  # as regular expressions
_UNITS = r"[€$£¥₹%]|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK"
_SIGN = "[+\\-\u2212]?"
_BOOLEANS = ("true", "false")


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal separator.
    thousands : {"", ",", ".", " ", "'"}
        The separator of groups of three digits. Empty for plain numbers, which have no unit either.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column, present_strings
    >>> NumberFormat(",", ".").read(present_strings(as_column(["1.234,56 €", "7", "NA"])))
    array([1234.56,    7.  ,     nan])
    >>> NumberFormat(",", ".").read(present_strings(as_column(["1,234.56"]))) is None
    True
    """

    decimal: str = "."
    thousands: str = ""

    kind: ClassVar[str] = "numeric"

    def __post_init__(self) -> None:
        if self.decimal not in (".", ",") or self.thousands not in _SEPARATORS or self.decimal == self.thousands:
            raise ValueError(f"unknown number format: decimal {self.decimal!r}, thousands {self.thousands!r}")

    def read(self, present: Column) -> np.ndarray | None:
        """The numbers of a column, NaN where it is null; None if a cell is not a number in this format."""
        if not is_string(present):
            return None if is_time(present) else to_floats(present)
        if self == PLAIN:
            return parse_numbers(present)
        units = find_units(present)
        if not units.agree:
            return None
        pattern = self._pattern_of(next(iter(units.found), ""))
        if not pc.all(pc.match_substring_regex(present, pattern), min_count=0).as_py():
            return None
        digits = pc.replace_substring_regex(present, pattern, r"\1\2\3")
        if self.thousands:
            digits = pc.replace_substring_regex(digits, _SEPARATORS[self.thousands], "")
        digits = pc.replace_substring(pc.replace_substring(digits, self.decimal, "."), "\u2212", "-")
        return parse_numbers(digits)

    def _pattern_of(self, unit: str) -> str:
        """The regular expression of a number with that unit; its groups are two signs and the digits."""
        point = _SEPARATORS[self.decimal]
        groups = rf"[0-9]{{1,3}}(?:{_SEPARATORS[self.thousands]}[0-9]{{3}})+|" if self.thousands else ""
        number = rf"(?:(?:{groups}[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
        prefix, suffix = ("", "%") if unit == "%" else (rf"(?:{re.escape(unit)}\s*)?", rf"(?:{re.escape(unit)})?")
        return rf"^({_SIGN})\s*{prefix}({_SIGN})({number})\s*{suffix}$"

    def to_dict(self) -> dict[str, Any]:
        """The format as JSON values."""
        return {"decimal": self.decimal, "thousands": self.thousands}


class BooleanFormat:
    """`true` and `false`, in capitals or not, as 1 and 0.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column
    >>> BOOLEAN.read(as_column(["True", "FALSE", None]))
    array([ 1.,  0., nan])
    """

    kind: ClassVar[str] = "boolean"

    def read(self, present: Column) -> np.ndarray | None:
        """The booleans of a column as 1 and 0, NaN where it is null; None if a cell is something else."""
        if not is_string(present):
            return to_floats(present) if pa.types.is_boolean(present.type) else None
        lower = pc.utf8_lower(present)
        if not pc.all(pc.or_(pc.is_null(lower), pc.is_in(lower, value_set=pa.array(_BOOLEANS))), min_count=0).as_py():
            return None
        return to_floats(pc.equal(lower, "true"))


PLAIN = NumberFormat()
BOOLEAN = BooleanFormat()
NUMBER_FORMATS = (
    PLAIN,
    NumberFormat(".", ","),
    NumberFormat(",", "."),
    NumberFormat(",", " "),
    NumberFormat(".", "'"),
    NumberFormat(".", " "),
)  # in the order of preference


@dataclass(frozen=True)
class Units:
    """The currencies and per cent signs of some cells.

    Parameters
    ----------
    found : frozenset of str
        Those that occur.
    bare : bool
        Whether a cell has none.

    Examples
    --------
    >>> (Units(frozenset("€")) + Units(bare=True)).agree, (Units(frozenset("%")) + Units(bare=True)).agree
    (True, False)
    """

    found: frozenset[str] = frozenset()
    bare: bool = False

    def __add__(self, other: Units) -> Units:
        return Units(self.found | other.found, self.bare or other.bare)

    @property
    def agree(self) -> bool:
        """Whether the cells can be one column of numbers: one currency, or all or none per cent."""
        return len(self.found) <= 1 and not (self.bare and "%" in self.found)


def find_units(present: Column) -> Units:
    """The units of what `present_strings` gave; missing cells have none.

    Examples
    --------
    >>> from aucmax.tables.cells import as_column
    >>> find_units(as_column(["€5", "6", None]))
    Units(found=frozenset({'€'}), bare=True)
    """
    marks = pc.struct_field(pc.extract_regex(present, rf"(?P<unit>{_UNITS})"), "unit")
    return Units(frozenset(pc.unique(marks).drop_null().to_pylist()), marks.null_count > present.null_count)
