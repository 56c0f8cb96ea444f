"""Groups of rows by a column: its values, or the months of its dates."""

from __future__ import annotations

import numpy as np

from aucmax.tables import Table
from aucmax.tables.cells import Column, as_strings, is_missing, is_string, present_strings
from aucmax.tables.time_format import TIME_FORMATS

MOST_GROUPS = 200


def read_groups(table: Table, name: str) -> np.ndarray:
    """The group of each row as a string.

    Examples
    --------
    >>> read_groups(Table({"day": ["2026-01-31", "2026-02-01", ""]}), "day").tolist()
    ['2026-01', '2026-02', '(missing)']
    >>> read_groups(Table({"shop": [3, 7]}), "shop").tolist()
    ['3', '7']
    """
    column = table.column(name)
    months = _months(column)
    cells = np.array(as_strings(column).to_pylist(), dtype=object) if months is None else months
    groups = np.where(is_missing(column), "(missing)", cells).astype(str)
    count = np.unique(groups).size
    if count > MOST_GROUPS:
        raise ValueError(f"column {name!r} has {count:,} distinct values; name a column with at most {MOST_GROUPS}")
    return groups


def _months(column: Column) -> np.ndarray | None:
    """The month of each date; None if the column holds no dates, or ambiguous ones."""
    present = present_strings(column) if is_string(column) else column
    if present.null_count == len(present):
        return None
    readings = [seconds for form in TIME_FORMATS if (seconds := form.read(present)) is not None]
    if not readings or (is_string(column) and len(readings) > 1):
        return None
    days = np.floor(np.nan_to_num(readings[0]) / 86400.0).astype("M8[D]")
    return days.astype("M8[M]").astype(str).astype(object)
