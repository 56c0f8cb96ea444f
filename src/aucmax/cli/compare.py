"""The work of `aucmax compare`: read the data, cross-validate the models, plot the result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aucmax.cli.terminal import printable
from aucmax.cli.training_data import TrainingData
from aucmax.comparison import Comparison, Progress, compare
from aucmax.comparison.checks import with_groups_checked
from aucmax.comparison.report.choice import choose_model
from aucmax.plots.comparison import plot_comparison
from aucmax.tables import Finding
from aucmax.tables.atomic_write import atomic_write
from aucmax.tables.check_table import check_encoded, check_matrix


def compare_models(
    data: TrainingData, models: Sequence[str] | None, progress: Progress, **settings: Any
) -> Comparison:
    """Cross-validate models on the same folds, and look for groups that the chosen one ranks worse than the others.

    The settings are those of `compare`.
    """
    comparison = compare(data.X, data.y, models, sample_weight=data.weight, progress=progress, **settings)
    if data.groups is None:
        return comparison
    return with_groups_checked(comparison, data.groups, choose_model(comparison).row.name)


def check_data(data: TrainingData) -> list[Finding]:
    """What should be known of the table before a comparison on it is trusted."""
    if data.table is None or data.encoder is None:
        return check_matrix(data.X, data.y)
    return check_encoded(data.table, data.encoder, data.X, data.y)


def write_plot(comparison: Comparison, data: TrainingData, ax: Any, path: Path) -> None:
    """Plot a comparison into the axes and write their figure to a file."""
    title = f"{printable(data.name)}: {len(data.y):,} rows, {int(data.y.sum()):,} of them positive"
    plot_comparison(comparison, ax).set_title(title, parse_math=False)
    with atomic_write(path, "wb") as file:
        ax.figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
