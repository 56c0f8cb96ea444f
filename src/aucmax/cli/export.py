"""The work of `aucmax export --check`: compare the scores of a model with those of its export, on a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from aucmax.cli.score import matrix_layout, needed_columns
from aucmax.models import SavedModel
from aucmax.models.exports import Agreement, check_export
from aucmax.tables import read_chunks


def check_file(
    model: SavedModel, exported: Path, to: str, table: str, data: Path, reading: dict[str, Any]
) -> Agreement:
    """Score a file chunk by chunk with both. `reading` are options of `read`."""
    chunks = read_chunks(data, **reading, **matrix_layout(model), columns=needed_columns(model))
    return check_export(model, exported, to, chunks, table)


def check_agreement(agreement: Agreement, tolerance: float, exported: Path) -> None:
    """Refuse an export whose scores differ.

    Examples
    --------
    >>> check_agreement(Agreement(10, 0.5, 2.0), 1e-9, Path("model.sql"))
    Traceback (most recent call last):
    ValueError: model.sql gives other scores: the largest difference is 0.5, more than --tolerance 1e-09
    """
    if not agreement.difference <= tolerance:
        found = "not finite" if math.isinf(agreement.difference) else f"{agreement.difference:.3g}"
        raise ValueError(
            f"{exported} gives other scores: the largest difference is {found}, more than --tolerance {tolerance:g}"
        )
