"""`ColumnEncoder`: how one column becomes numbers, and `learn_column`, which infers it from the training rows."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aucmax.tables.cells import (
    MISSING,
    STRING_DTYPE,
    as_numbers,
    as_strings,
    is_missing,
    parse_number,
    truncate,
)
from aucmax.tables.csv_reader import UNNAMED
from aucmax.tables.json_schema import Schema, all_strings, check_schema

_KINDS = ("numeric", "boolean", "categorical")
_BOOLEANS = {"true": 1.0, "false": 0.0}
_INDEX_PREFIXES = (UNNAMED, "__index_level_")  # of a CSV file, and of a Parquet file written by pandas
_SCHEMA: Schema = {
    "name": (str,),
    "kind": (str,),
    "median": (float,),
    "categories": (list,),
    "missing_indicator": (bool,),
}


@dataclass(frozen=True)
class ColumnEncoder:
    """How one column is encoded.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"numeric", "boolean", "categorical"}
        What it holds.
    median : float
        Imputed for missing numbers and booleans; 0 for categories.
    categories : tuple of str
        The values that are one-hot encoded.
    missing_indicator : bool
        Whether a further feature marks missing values: it does if there were any in training.
    """

    name: str
    kind: str
    median: float = 0.0
    categories: tuple[str, ...] = ()
    missing_indicator: bool = False

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"column {self.name!r} has kind {self.kind!r}; it must be one of {_KINDS}")
        if (self.kind == "categorical") != bool(self.categories):
            raise ValueError(f"column {self.name!r} is {self.kind} with {len(self.categories)} categories")
        if not np.isfinite(self.median):
            raise ValueError(f"column {self.name!r} has median {self.median}; it must be finite")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the encoded features."""
        names = tuple(f"{self.name}={value}" for value in self.categories) or (self.name,)
        return (*names, f"{self.name} is missing") if self.missing_indicator else names

    def encode(self, values: np.ndarray, out: np.ndarray) -> None:
        """Write the encoded features into `out`, of shape (n, len(feature_names))."""
        if self.kind == "categorical":
            missing = is_missing(values)
            strings = as_strings(values)
            for j, category in enumerate(self.categories):
                out[:, j] = (strings == category) & ~missing
        else:
            numbers = _finite_numbers(values, self.name)
            if numbers is None:
                value, _ = _first_non_number(values)
                raise ValueError(f"column {self.name!r} was {self.kind} in training, but now holds {value!r}")
            missing = np.isnan(numbers)
            out[:, 0] = np.where(missing, self.median, numbers)
        if self.missing_indicator:
            out[:, -1] = missing

    def count_unknown_categories(self, values: np.ndarray) -> int:
        """How many cells hold a category that did not occur in training."""
        if self.kind != "categorical":
            return 0
        known = np.isin(as_strings(values), np.array(self.categories, dtype=STRING_DTYPE))
        return int((~known & ~is_missing(values)).sum())

    def to_dict(self) -> dict[str, Any]:
        """The encoder as JSON values."""
        return asdict(self) | {"categories": list(self.categories)}

    @classmethod
    def from_dict(cls, content: Any) -> ColumnEncoder:
        """The encoder that `to_dict` described, every field validated."""
        check_schema(content, _SCHEMA, "a column")
        categories = content["categories"]
        if not all_strings(categories) or len(set(categories)) < len(categories):
            raise ValueError(f"the categories of column {content['name']!r} must be distinct strings")
        return cls(**content | {"median": float(content["median"]), "categories": tuple(categories)})


def learn_column(name: str, values: np.ndarray, max_categories: int) -> ColumnEncoder | str:
    """The encoder of a column, or the reason why the column is left out."""
    if name.startswith(_INDEX_PREFIXES):
        return "has no name, so it is probably an index"
    numbers = _finite_numbers(values, name)
    missing = is_missing(values) if numbers is None else np.isnan(numbers)
    if missing.all():
        return "all values are missing"
    if numbers is not None and (missing.any() or np.ptp(numbers) > 0):
        kind = "boolean" if _starts_with_boolean(values) else "numeric"
        return ColumnEncoder(name, kind, float(np.median(numbers[~missing])), (), bool(missing.any()))
    categories = np.unique(as_strings(values[~missing])).tolist()
    if numbers is not None or (not missing.any() and len(categories) == 1):
        return f"constant: all values are {categories[0]!r}"
    is_free_text = len(categories) > min(max_categories, max(2, len(values) // 2))
    if _mostly_numbers(values[~missing]):
        outcome = "left out as free text" if is_free_text else f"encoded as {len(categories)} categories"
        _warn_mostly_numbers(name, values, outcome)
    if is_free_text:
        return f"free text: {len(categories)} distinct values, e.g. {_first_non_number(values)[0]!r}"
    return ColumnEncoder(name, "categorical", 0.0, tuple(categories), bool(missing.any()))


def _mostly_numbers(values: np.ndarray) -> bool:
    """Whether nine of ten cells are numbers, so that the other strings are probably stray."""
    cells = values[:1000].tolist()
    return sum(parse_number(cell) is not None for cell in cells) >= 0.9 * len(cells)


def _warn_mostly_numbers(name: str, values: np.ndarray, outcome: str) -> None:
    value, row = _first_non_number(values)
    warnings.warn(
        f"column {name!r} is {outcome}, but most of its values are numbers; to use it as numbers, fix or empty the "
        f"others, such as {value!r} in row {row}",
        stacklevel=2,
    )


def _finite_numbers(values: np.ndarray, name: str) -> np.ndarray | None:
    """Numbers, or booleans as 1 and 0, with NaN for missing values; None if a cell is something else."""
    numbers = _parse_booleans(values) if _starts_with_boolean(values) else as_numbers(values)
    if numbers is not None and np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers))) + 1
        raise ValueError(f"column {name!r} is infinite in row {row}; use a finite number or leave the cell empty")
    return numbers


def _starts_with_boolean(values: np.ndarray) -> bool:
    """Whether the first value that is not missing is true or false."""
    if values.dtype.kind != "T":
        return values.dtype.kind == "b"
    cells = (str(cell).strip() for cell in values)
    return next((cell for cell in cells if cell not in MISSING), "").lower() in _BOOLEANS


def _parse_booleans(values: np.ndarray) -> np.ndarray | None:
    distinct, inverse = np.unique(as_strings(values), return_inverse=True)
    missing = is_missing(distinct)
    codes = [np.nan if gone else _BOOLEANS.get(cell.lower()) for cell, gone in zip(distinct.tolist(), missing)]
    return None if None in codes else np.array(codes, dtype=float)[inverse]


def _first_non_number(values: np.ndarray) -> tuple[str, int]:
    """The first cell that is not a number, truncated, and its row."""
    found = ((cell, row) for row, cell in enumerate(values.tolist(), 1) if parse_number(cell) is None)
    cell, row = next(found, ("", 0))
    return truncate(cell, 30), row
