"""Findings on how columns were encoded: ids (AUC101), numbers as text (104), times (106), constants (107)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aucmax.tables.column_encoder import ColumnEncoder
from aucmax.tables.column_learning import IS_CONSTANT, IS_EMPTY, IS_FREE_TEXT, IS_ID, IS_MIXED
from aucmax.tables.findings.column_names import names_a_time
from aucmax.tables.findings.features import Features
from aucmax.tables.findings.finding import Finding, name_list, quoted
from aucmax.tables.findings.ids import is_epoch, string_id_reason
from aucmax.tables.table import Table

MOSTLY = 0.9  # share of missing cells from which a column is mostly missing


def find_ids(left_out: Mapping[str, str], table: Table) -> list[Finding]:
    """AUC101: the columns that were left out because they look like ids, and strings that do."""
    found = []
    for name, why in left_out.items():
        reason: str | None = None
        if why.startswith(IS_ID):
            reason = why.removeprefix(IS_ID)
        elif why.startswith(IS_FREE_TEXT) and IS_MIXED not in why:
            reason = string_id_reason(name, table.columns[name])
        if reason is not None:
            message = f"column {quoted(name)} is left out, it looks like an id: {reason}"
            found.append(Finding("AUC101", message, "if it is a measurement, keep it (--keep)", (name,)))
    return found


def find_numbers_as_text(columns: tuple[ColumnEncoder, ...], left_out: Mapping[str, str]) -> list[Finding]:
    """AUC104: numbers with decimal commas, currencies or per cent signs, and text among numbers."""
    by_format: dict[str, list[ColumnEncoder]] = {}
    for column in columns:
        if column.kind == "numeric" and column.note:
            by_format.setdefault(str(column.format), []).append(column)
    found = []
    for alike in by_format.values():
        names = tuple(column.name for column in alike)
        advice = "check that this is what they mean"
        found.append(Finding("AUC104", f"{_columns(names)} {alike[0].note}", advice, names))
    mixed = {column.name: column.note for column in columns if column.kind == "categorical" and column.note}
    for name, why in left_out.items():
        if IS_MIXED in why:
            mixed[name] = f"left out as free text, but {why.removeprefix(IS_FREE_TEXT)}"
    for name, note in mixed.items():
        outcome, _, advice = note.partition("; ")
        found.append(Finding("AUC104", f"column {quoted(name)}: {outcome}", advice, (name,)))
    return found


def find_times(columns: tuple[ColumnEncoder, ...]) -> list[Finding]:
    """AUC106: columns of dates and times."""
    names = tuple(column.name for column in columns if _is_time(column))
    if not names:
        return []
    advice = f"to train on the past and test on what follows, name it as --time {quoted(names[0])}"
    return [Finding("AUC106", f"{_columns(names)} times, which shuffled folds ignore", advice, names)]


def _is_time(column: ColumnEncoder) -> bool:
    if column.kind == "time":
        return True
    if column.kind != "numeric" or column.low is None or column.high is None:
        return False
    return names_a_time(column.name) and is_epoch(column.low, column.high)


def find_uninformative(left_out: Mapping[str, str], features: Features) -> list[Finding]:
    """AUC107: columns that are constant, empty or mostly missing."""
    constant = [name for name, why in left_out.items() if why.startswith(IS_CONSTANT)]
    empty = [name for name, why in left_out.items() if why == IS_EMPTY]
    sparse = [group.name for group in features.groups if _share_missing(group.indicator, features.X) > MOSTLY]
    kinds = [
        (constant, "left out, constant"),
        (empty, "left out, empty"),
        (sparse, f"missing in more than {100 * MOSTLY:.0f} % of the rows"),
    ]
    advice = "leave such columns out (--drop), or find out why"
    return [Finding("AUC107", f"{_columns(names)} {what}", advice, tuple(names)) for names, what in kinds if names]


def _share_missing(indicator: int | None, X: np.ndarray) -> float:
    return 0.0 if indicator is None else float(X[:, indicator].mean())


def _columns(names: tuple[str, ...] | list[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {name_list(names)}:"
