"""The work of `aucmax compare`: read the data, cross-validate the models, plot the result."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aucmax.cli.terminal import printable
from aucmax.cli.training_data import TrainingData
from aucmax.comparison import Comparison, Progress, compare
from aucmax.comparison.checks import with_groups_checked
from aucmax.comparison.report.choice import choose_model
from aucmax.plots.comparison import plot_comparison
from aucmax.tables.atomic_write import atomic_write


def compare_models(
    data: TrainingData,
    models: Sequence[str] | None,
    progress: Progress,
    *,
    ignore: Collection[str] = (),
    **settings: Any,
) -> Comparison:
    """Cross-validate models on the same folds, and look for groups that the chosen one ranks worse than the others.

    Findings whose codes are in `ignore` are left out; the other settings are those of `compare`.
    """
    comparison = compare(data.X, data.y, models, sample_weight=data.weight, progress=progress, **settings)
    if data.groups is not None:
        comparison = with_groups_checked(comparison, data.groups, choose_model(comparison).row.name)
    return replace(comparison, findings=tuple(it for it in comparison.findings if it.code not in ignore))


def write_plot(comparison: Comparison, data: TrainingData, ax: Any, path: Path) -> None:
    """Plot a comparison into the axes and write their figure to a file."""
    title = f"{printable(data.name)}: {len(data.y):,} rows, {int(data.y.sum()):,} of them positive"
    plot_comparison(comparison, ax).set_title(title, parse_math=False)
    write_figure(ax.figure, path)


def write_figure(figure: Any, path: Path) -> None:
    """Write a figure in the format that the extension says."""
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
