"""`ColumnEncoder`: how one column becomes numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.tables.cells import Column, as_strings, is_missing, is_string, present_strings, stored_floats, truncate
from aucmax.tables.json_schema import Schema, all_strings, check_schema
from aucmax.tables.number_format import BOOLEAN, PLAIN, NumberFormat
from aucmax.tables.pyarrow_import import pa, pc
from aucmax.tables.row_error import RowError
from aucmax.tables.time_format import TimeFormat

_KINDS = ("numeric", "boolean", "categorical", "time")
_FORMATS = {"numeric": NumberFormat, "time": TimeFormat}
_SCHEMA: Schema = {
    "name": (str,),
    "kind": (str,),
    "median": (float,),
    "categories": (list,),
    "missing_indicator": (bool,),
    "format": (dict, None),
    "low": (float, None),
    "high": (float, None),
    "note": (str,),
}
_LATER_FIELDS = {"format": None, "low": None, "high": None, "note": ""}  # which models of version 0.1 do not have


@dataclass(frozen=True)
class ColumnEncoder:
    """How one column is encoded.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"numeric", "boolean", "categorical", "time"}
        What it holds.
    median : float
        Imputed for missing numbers, booleans and times; 0 for categories.
    categories : tuple of str
        The values that are one-hot encoded.
    missing_indicator : bool
        Whether a further feature marks missing values: it does if there were any in training.
    format : NumberFormat, TimeFormat or None
        How numbers or times are written; None if numbers are written plainly.
    low, high : float or None
        The range of the numbers in training; a time in seconds since 1970.
    note : str
        What was done to read the cells as numbers, if they are not written plainly.
    """

    name: str
    kind: str
    median: float = 0.0
    categories: tuple[str, ...] = ()
    missing_indicator: bool = False
    format: NumberFormat | TimeFormat | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"column {self.name!r} has kind {self.kind!r}; it must be one of {_KINDS}")
        if (self.kind == "categorical") != bool(self.categories):
            raise ValueError(f"column {self.name!r} is {self.kind} with {len(self.categories)} categories")
        if not np.isfinite(self.median):
            raise ValueError(f"column {self.name!r} has median {self.median}; it must be finite")
        if (self.kind == "time") != isinstance(self.format, TimeFormat):
            raise ValueError(f"column {self.name!r} is {self.kind} with the format {self.format}")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the encoded features."""
        if isinstance(self.format, TimeFormat):
            names = tuple(f"{self.name} ({part})" for part in self.format.feature_names)
        else:
            names = tuple(f"{self.name}={value}" for value in self.categories) or (self.name,)
        return (*names, f"{self.name} is missing") if self.missing_indicator else names

    def encode(self, values: Column, out: np.ndarray) -> None:
        """Write the encoded features into `out`, of shape (n, len(feature_names))."""
        if self.kind == "categorical":
            self._encode_categories(values, out)
        elif self.format is None and (numbers := stored_floats(values)) is not None:
            out[:, 0] = numbers
            out[:, 1:] = 0.0  # none is missing
        else:
            self.encode_numbers(self.read(values), out)

    def read(self, values: Column) -> np.ndarray:
        """The numbers or times of a column, NaN where they are missing, read as in training."""
        present = present_strings(values) if is_string(values) else values
        numbers = (self.format or PLAIN).read(present)
        if numbers is None and self.kind != "time":
            numbers = BOOLEAN.read(present)
        if numbers is None:
            raise ValueError(f"column {self.name!r} was {self._description}, but now holds {self._stray(present)!r}")
        return check_finite(numbers, self.name)

    @property
    def _description(self) -> str:
        return f"{self.kind} in training" + (f" ({self.note})" if self.note else "")

    def _stray(self, present: Column) -> str:
        """The first cell that cannot be read."""
        format = self.format or PLAIN
        cells = present.drop_null()
        return next(
            (truncate(str(cells[i]), 30) for i in range(len(cells)) if format.read(cells[i : i + 1]) is None), ""
        )

    def encode_numbers(self, numbers: np.ndarray, out: np.ndarray) -> None:
        """As `encode`, of numbers or times that are read already."""
        missing = np.isnan(numbers)
        filled = np.where(missing, self.median, numbers)
        features = self.format.features(filled) if isinstance(self.format, TimeFormat) else (filled,)
        for j, feature in enumerate(features):
            out[:, j] = feature
        if self.missing_indicator:
            out[:, -1] = missing

    def _encode_categories(self, values: Column, out: np.ndarray) -> None:
        codes = self._category_codes(values)
        out[:] = 0.0
        known = np.flatnonzero(codes >= 0)
        out[known, codes[known]] = 1.0
        if self.missing_indicator:
            out[:, -1] = is_missing(values)

    def _category_codes(self, values: Column) -> np.ndarray:
        """The index of the category of each cell, -1 if it is unknown or missing."""
        strings = present_strings(as_strings(values))
        codes = pc.index_in(strings, value_set=pa.array(self.categories, type=pa.string()))
        return pc.fill_null(codes, -1).to_numpy()

    def count_unknown_categories(self, values: Column) -> int:
        """How many cells hold a category that did not occur in training."""
        if self.kind != "categorical":
            return 0
        return int(((self._category_codes(values) < 0) & ~is_missing(values)).sum())

    def to_dict(self) -> dict[str, Any]:
        """The encoder as JSON values."""
        content = {name: getattr(self, name) for name in _SCHEMA}
        format = None if self.format is None else self.format.to_dict()
        return content | {"categories": list(self.categories), "format": format}

    @classmethod
    def from_dict(cls, content: Any) -> ColumnEncoder:
        """The encoder that `to_dict` described, every field validated."""
        if isinstance(content, dict):
            content = _LATER_FIELDS | content
        check_schema(content, _SCHEMA, "a column")
        categories = content["categories"]
        if not all_strings(categories) or len(set(categories)) < len(categories):
            raise ValueError(f"the categories of column {content['name']!r} must be distinct strings")
        settings = {"median": float(content["median"]), "categories": tuple(categories)}
        return cls(**content | settings | {"format": _format_from_dict(content["kind"], content["format"])})


def _format_from_dict(kind: str, content: dict[str, Any] | None) -> Any:
    if content is None:
        return None
    if kind not in _FORMATS or set(content) != set(_FORMATS[kind]().to_dict()):
        raise ValueError(f"a column of kind {kind!r} cannot have the format {content}")
    return _FORMATS[kind](**content)


def check_finite(numbers: np.ndarray, name: str) -> np.ndarray:
    """Refuse infinite numbers, and say where they are."""
    infinite = np.isinf(numbers)
    check_no_infinite(int(np.argmax(infinite)) if infinite.any() else None, name)
    return numbers


def check_no_infinite(row: int | None, name: str) -> None:
    """Refuse a column of which a row, counted from 0, is infinite."""
    if row is not None:
        raise RowError(f"column {name!r} is infinite in", row + 1, "; use a finite number or leave the cell empty")
