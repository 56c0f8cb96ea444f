"""Differences of AUC to a reference, with confidence intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import COLOURS, new_axes

__all__ = ["plot_comparison"]

NARROWEST = 0.02  # width of the axis: negligible differences should not look large


def plot_comparison(comparison: Any, ax: Any = None) -> Any:
    """Plot every model's difference of AUC to the reference with its 90 and 95 % intervals, the best model on top.

    The differences are paired, fold by fold, so that their intervals are what the verdicts are made of; the intervals
    of single AUCs may overlap where a difference is significant. The zero line is the reference, the band around it
    the region of practical equivalence: models whose thick line lies within it are equivalent.

    Parameters
    ----------
    comparison : Comparison
        The result of `compare`.
    ax : matplotlib axes, optional
        Where to draw; by default the axes of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax.comparison import compare
    >>> result = compare(*load_breast_cancer(return_X_y=True), ["exact", "cg"], cv=3)
    >>> plot_comparison(result).get_xlabel()
    'AUC minus that of exact, with 90 % (thick) and 95 % intervals; marks are folds'
    """
    ax = new_axes(len(comparison.rows)) if ax is None else ax
    positions = np.arange(len(comparison.rows))[::-1]
    reference = comparison[comparison.reference]
    ax.axvspan(-comparison.rope, comparison.rope, color=COLOURS["equivalent"], alpha=0.08, linewidth=0)
    ax.axvline(0.0, color=COLOURS["reference"], linewidth=0.8)
    for y, row in zip(positions, comparison.rows):
        _draw_row(ax, y, row, np.subtract(row.aucs, reference.aucs))
    ax.set_yticks(positions, [row.name for row in comparison.rows], parse_math=False)
    ax.set_ylim(-0.6, len(positions) - 0.4)
    ax.set_xlim(*_limits(comparison.rows, reference))
    ax.set_xlabel(
        f"AUC minus that of {comparison.reference}, with 90 % (thick) and 95 % intervals; marks are folds",
        parse_math=False,
    )
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.25)
    return ax


def _draw_row(ax: Any, y: int, row: Any, differences: np.ndarray) -> None:
    colour = COLOURS[row.verdict]
    if row.verdict != "reference":
        ax.plot(differences, np.full(differences.size, y), "|", color=colour, alpha=0.45, markersize=11)
        ax.plot([row.difference_low, row.difference_high], [y, y], color=colour, linewidth=1.2)
        ax.plot([row.equivalence_low, row.equivalence_high], [y, y], color=colour, linewidth=4.0)
    ax.plot(row.difference, y, "o", color=colour, markersize=8)
    text = f"{row.auc:.4f}  {row.verdict}"
    ax.annotate(text, (1.01, y), xycoords=("axes fraction", "data"), va="center", color=colour)


def _limits(rows: Any, reference: Any) -> tuple[float, float]:
    """Limits that include all intervals and folds, and zero, with some padding."""
    ends = [0.0]
    for row in rows:
        ends += [row.difference_low, row.difference_high, *np.subtract(row.aucs, reference.aucs)]
    low = min(ends)
    high = max(ends)
    padding = max(0.04 * (high - low), (NARROWEST - (high - low)) / 2)
    return low - padding, high + padding
