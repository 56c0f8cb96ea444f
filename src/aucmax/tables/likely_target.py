"""`likely_target`: which column is probably the target, for error messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from aucmax.tables.cells import Column, Scalar, as_strings, present_strings
from aucmax.tables.findings.column_names import words_of
from aucmax.tables.pyarrow_import import pc
from aucmax.tables.table import Table

_TARGET_WORDS = {"target", "label", "class", "outcome", "response", "y", "is", "has", "fraud", "churn", "default"}


def likely_target(
    table: Table, classes: Sequence[Scalar] | None = None, not_among: Collection[str] = ()
) -> str | None:
    """The column of two values that is most likely the target; None if there is none.

    Parameters
    ----------
    table : Table
        Named columns.
    classes : sequence, optional
        The labels that the column must hold, and no others.
    not_among : collection of str
        Columns that are known to be something else.

    Examples
    --------
    >>> table = Table({"member": ["y", "n", "y"], "is_fraud": ["0", "0", "1"], "age": ["31", "42", "50"]})
    >>> likely_target(table), likely_target(table, classes=("n", "y"))
    ('is_fraud', 'member')
    """
    possible = [name for name, column in table.columns.items() if name not in not_among and _fits(column, classes)]
    named = [name for name in possible if _TARGET_WORDS & set(words_of(name))]
    return next(iter(named[-1:] or possible[-1:]), None)


def _fits(column: Column, classes: Sequence[Scalar] | None) -> bool:
    distinct = pc.unique(present_strings(as_strings(column))).drop_null()
    if classes is None:
        return len(distinct) == 2
    known = {_plain(label) for label in classes}
    return 0 < len(distinct) <= len(known) and {_plain(label) for label in distinct.to_pylist()} <= known


def _plain(label: Any) -> Any:
    """A label as it is compared: numbers as numbers, however they are written."""
    try:
        return float(str(label))
    except ValueError:
        return str(label).strip()
