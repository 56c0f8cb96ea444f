"""What the command line knows for the page of a comparison, and how it writes the page."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np

from aucmax.cli.evaluate import ScoredRows
from aucmax.cli.model_importance import importance_facts
from aucmax.cli.training_data import TrainingData
from aucmax.comparison import Comparison
from aucmax.comparison.finished_fits import hash_rows
from aucmax.comparison.report import Costs, ReportFacts

EPOCH = (0.0, 4e9)  # seconds since 1970, until 2096


class PageOptions(NamedTuple):
    """What the user asks of the page."""

    path: Path
    group_column: str | None = None
    costs: tuple[float, float] | None = None  # of a positive that is missed, and of a false alarm


def write_comparison_report(comparison: Comparison, data: TrainingData, page: PageOptions, *, seed: int) -> None:
    """Write the page of a comparison, with the facts on its table."""
    encoder = data.encoder
    width = data.X.shape[1]
    names = [f"column {j + 1}" for j in range(width)] if encoder is None else encoder.get_feature_names_out().tolist()
    facts = ReportFacts(
        title=data.name,
        positive=repr(data.classes[1]) if data.facts else "",
        period=period(data),
        columns=tuple(names) if encoder is None else tuple(column.name for column in encoder.columns_),
        left_out={} if encoder is None else dict(encoder.left_out_),
        findings=data.findings,
        groups=data.groups,
        group_column=page.group_column or "",
        costs=None if page.costs is None else Costs(*page.costs),
        command=command_line(),
        seed=seed,
        data_hash=hash_rows(data.X, data.y, data.weight),
    )
    comparison.report(page.path, facts, X=data.X, feature_names=names)


def write_evaluation_report(
    comparison: Comparison, rows: ScoredRows, data: Path, page: PageOptions, *, ignore: Collection[str] = ()
) -> None:
    """Write the page of a saved model on the rows of a file."""
    metadata = rows.model.metadata
    encoder = metadata.encoder
    facts = ReportFacts(
        title=str(data),
        positive=repr(metadata.classes[1]),
        columns=() if encoder is None else tuple(column.name for column in encoder.columns_),
        left_out={} if encoder is None else dict(encoder.left_out_),
        findings=tuple(rows.new.findings(ignore)),
        groups=rows.groups,
        group_column=page.group_column or "",
        costs=None if page.costs is None else Costs(*page.costs),
        command=command_line(),
        data_hash=hash_rows(rows.X, rows.is_pos, rows.weight),
        **importance_facts(comparison, rows),
    )
    comparison.report(page.path, facts)


def period(data: TrainingData) -> str:
    """From when to when the rows are, by the column of times that was named, or the first one; empty if unknown."""
    columns = () if data.encoder is None else data.encoder.columns_
    ranges = [(column.low, column.high) for column in columns if column.kind == "time"]
    if data.time is not None and EPOCH[0] <= data.time.min() and data.time.max() <= EPOCH[1]:
        ranges.insert(0, (data.time.min(), data.time.max()))
    for low, high in ranges:
        if low is not None and high is not None:
            return " to ".join(str(np.datetime64(int(seconds), "s").astype("M8[D]")) for seconds in (low, high))
    return ""


def command_line() -> str:
    """The command as it was typed."""
    return f"aucmax {shlex.join(sys.argv[1:])}"
