"""`Columns`: how the columns of a table become numbers, learned once and applied to every later table.

Numbers stay numbers, booleans become 0 and 1, text with few distinct values becomes one column per value. A
missing number is replaced by the median of the training rows. Where missing cells were seen in training, a
further column says so. What cannot be used is left out, with the reason. Columns are found by name.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from aucmax.tables.delimited import NO_NAME
from aucmax.tables.json_parts import check_parts
from aucmax.tables.table import MISSING, TEXT, Table, is_missing, number_in, numbers, words

_KINDS = ("numeric", "boolean", "categorical")
_TRUTH = {"true": 1.0, "false": 0.0}
_PARTS: dict[str, tuple[type | None, ...]] = {
    "name": (str,),
    "kind": (str,),
    "median": (float,),
    "categories": (list,),
    "missing": (bool,),
}


@dataclass(frozen=True)
class Column:
    """How one column is encoded.

    Parameters
    ----------
    name : str
        Its name in the table.
    kind : {"numeric", "boolean", "categorical"}
        What it holds.
    median : float
        What replaces a missing number or truth value; 0 for categories.
    categories : tuple of str
        The values that get a column of their own.
    missing : bool
        Whether missing cells were seen in training; they then get a column of their own.
    """

    name: str
    kind: str
    median: float = 0.0
    categories: tuple[str, ...] = ()
    missing: bool = False

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"column {self.name!r} has kind {self.kind!r}; it must be one of {_KINDS}")
        if (self.kind == "categorical") != bool(self.categories):
            raise ValueError(f"column {self.name!r} is {self.kind} with {len(self.categories)} categories")
        if not np.isfinite(self.median):
            raise ValueError(f"column {self.name!r} has median {self.median}; it must be finite")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        values = tuple(f"{self.name}={value}" for value in self.categories) or (self.name,)
        return (*values, f"{self.name} is missing") if self.missing else values

    def encode(self, values: np.ndarray, out: np.ndarray) -> None:
        """Write the encoded columns into `out`, of shape (n, len(names))."""
        if self.kind == "categorical":
            missing, text = is_missing(values), words(values)
            for j, category in enumerate(self.categories):
                out[:, j] = (text == category) & ~missing
        else:
            found = _finite_numbers(values, self.name)
            if found is None:
                now, _ = _first_word(values)
                raise ValueError(f"column {self.name!r} was {self.kind} in training, but now holds {now!r}")
            missing = np.isnan(found)
            out[:, 0] = np.where(missing, self.median, found)
        if self.missing:
            out[:, -1] = missing

    def unknown(self, values: np.ndarray) -> int:
        """How many cells hold a category that training did not know."""
        if self.kind != "categorical":
            return 0
        known = np.isin(words(values), np.array(self.categories, dtype=TEXT))
        return int((~known & ~is_missing(values)).sum())


@dataclass(frozen=True)
class Columns:
    """How the columns of a table become numbers.

    Parameters
    ----------
    columns : tuple of Column
        The columns that are used.
    left_out : dict of str to str
        The columns that are not, each with the reason.

    Examples
    --------
    >>> table = Table({
    ...     "age": np.array(["31", "", "42", "50"], dtype=TEXT),
    ...     "town": np.array(["Rome", "Oslo", "Rome", "Oslo"], dtype=TEXT),
    ...     "planet": np.array(["Earth"] * 4, dtype=TEXT),
    ... })
    >>> columns = Columns.learn(table)
    >>> columns.names
    ('age', 'age is missing', 'town=Oslo', 'town=Rome')
    >>> columns.left_out
    {'planet': "constant: every cell is 'Earth'"}
    >>> columns.encode(table)[:2]
    array([[31.,  0.,  0.,  1.],
           [42.,  1.,  1.,  0.]])
    >>> Columns.from_dict(columns.to_dict()) == columns
    True
    """

    columns: tuple[Column, ...]
    left_out: dict[str, str] = field(default_factory=dict)

    @classmethod
    def learn(cls, table: Table, target: str | None = None, *, max_categories: int = 100) -> Columns:
        """Learn from the training rows what every column but the target holds.

        Text with more than `max_categories` distinct values, or with more than half as many as there are rows,
        is free text and left out.
        """
        if table.X is not None:
            raise ValueError("a matrix has no columns to learn; use table.X as it is")
        if target is not None:
            table.column(target)
        used, left_out = [], {}
        for name, values in table.columns.items():
            if name == target:
                continue
            learned = _learn(name, values, max_categories)
            if isinstance(learned, Column):
                used.append(learned)
            else:
                left_out[name] = learned
        if not used:
            raise ValueError(f"no column is left to learn from; left out: {left_out}")
        return cls(tuple(used), left_out)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        return tuple(name for column in self.columns for name in column.names)

    def encode(self, table: Table) -> np.ndarray:
        """The table as a float64 array; columns not seen in training are ignored."""
        if table.X is not None:
            raise ValueError(
                "a matrix has no column names, which this model needs; give a CSV, Parquet or Arrow file"
            )
        absent = [column.name for column in self.columns if column.name not in table.columns]
        if absent:
            raise ValueError(f"the table lacks the columns {absent}; it has {list(table.names[:20])}")
        X = np.empty((len(table), len(self.names)))
        j = 0
        for column in self.columns:
            width = len(column.names)
            column.encode(table.columns[column.name], X[:, j : j + width])
            j += width
        return X

    def unknown(self, table: Table) -> dict[str, int]:
        """By column, how many cells hold a category that training did not know; `encode` gives them none."""
        counts = {column.name: column.unknown(table.columns[column.name]) for column in self.columns}
        return {name: count for name, count in counts.items() if count}

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        used = [asdict(column) | {"categories": list(column.categories)} for column in self.columns]
        return {"columns": used, "left_out": dict(self.left_out)}

    @classmethod
    def from_dict(cls, plain: Any) -> Columns:
        """What `to_dict` returned, every part of it checked."""
        check_parts(plain, {"columns": (list,), "left_out": (dict,)}, "columns")
        if not all(isinstance(text, str) for pair in plain["left_out"].items() for text in pair):
            raise ValueError("left_out must hold texts")
        columns = tuple(_column_from_dict(item) for item in plain["columns"])
        names = [column.name for column in columns]
        if not names or len(set(names)) < len(names):
            raise ValueError("columns must have names that differ, and there must be at least one")
        return cls(columns, dict(plain["left_out"]))


def _learn(name: str, values: np.ndarray, max_categories: int) -> Column | str:
    """How a column is encoded, or why it is left out."""
    if name.startswith((NO_NAME, "__index_level_")):
        return "has no name, so it is probably an index"
    found = _finite_numbers(values, name)
    missing = is_missing(values) if found is None else np.isnan(found)
    if missing.all():
        return "every cell is missing"
    if found is not None and (missing.any() or np.ptp(found) > 0):
        kind = "boolean" if _starts_with_truth(values) else "numeric"
        return Column(name, kind, float(np.median(found[~missing])), (), bool(missing.any()))
    categories = np.unique(words(values[~missing])).tolist()
    if found is not None or (not missing.any() and len(categories) == 1):
        return f"constant: every cell is {categories[0]!r}"
    free = len(categories) > min(max_categories, max(2, len(values) // 2))
    word, row = _first_word(values)
    if _mostly_numbers(values[~missing]):
        fate = "left out as text" if free else f"taken as {len(categories)} categories"
        warnings.warn(
            f"column {name!r} is {fate}, but most of its cells are numbers; to use it as numbers, mend or empty "
            f"those that are not, such as {word!r} in row {row}",
            stacklevel=2,
        )
    if free:
        return f"text with {len(categories)} distinct values, e.g. {word!r}"
    return Column(name, "categorical", 0.0, tuple(categories), bool(missing.any()))


def _mostly_numbers(values: np.ndarray) -> bool:
    """Whether nine of ten cells are numbers, so that the others are probably stray words."""
    cells = values[:1000].tolist()
    return sum(number_in(cell) is not None for cell in cells) >= 0.9 * len(cells)


def _finite_numbers(values: np.ndarray, name: str) -> np.ndarray | None:
    """Numbers, or truth values as 1 and 0, with NaN for missing; None if a cell is something else."""
    found = _truth_values(values) if _starts_with_truth(values) else numbers(values)
    if found is not None and np.isinf(found).any():
        row = int(np.argmax(np.isinf(found))) + 1
        raise ValueError(f"column {name!r} is infinite in row {row}; give a number or leave it empty")
    return found


def _starts_with_truth(values: np.ndarray) -> bool:
    """Whether the first cell that is not missing says true or false."""
    if values.dtype.kind != "T":
        return values.dtype.kind == "b"
    cells = (str(cell).strip() for cell in values)
    return next((cell for cell in cells if cell not in MISSING), "").lower() in _TRUTH


def _truth_values(values: np.ndarray) -> np.ndarray | None:
    distinct, place = np.unique(words(values), return_inverse=True)
    gone = is_missing(distinct)
    codes = [np.nan if skip else _TRUTH.get(word.lower()) for word, skip in zip(distinct.tolist(), gone)]
    return None if None in codes else np.array(codes, dtype=float)[place]


def _first_word(values: np.ndarray) -> tuple[str, int]:
    """The first cell that is not a number, cut short, and its row."""
    found = ((cell, row) for row, cell in enumerate(values.tolist(), 1) if number_in(cell) is None)
    word, row = next(found, ("", 0))
    return word if len(word) <= 30 else word[:27] + "...", row


def _column_from_dict(plain: Any) -> Column:
    check_parts(plain, _PARTS, "a column")
    categories = plain["categories"]
    if not all(isinstance(word, str) for word in categories) or len(set(categories)) < len(categories):
        raise ValueError(f"column {plain['name']!r} must have distinct texts as categories")
    return Column(**plain | {"median": float(plain["median"]), "categories": tuple(categories)})
