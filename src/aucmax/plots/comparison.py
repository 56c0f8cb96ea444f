"""AUC of several models, with confidence intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import COLOURS, new_axes

__all__ = ["plot_comparison"]

NARROWEST = 0.02  # width of the AUC axis: negligible differences should not look large


def plot_comparison(comparison: Any, ax: Any = None) -> Any:
    """Plot every model's AUC with its 95 % confidence interval, the best on top, the folds as small marks.

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
    'AUC: mean of 3 folds and its 95 % interval; small marks are the folds'
    """
    ax = new_axes(len(comparison.rows)) if ax is None else ax
    positions = np.arange(len(comparison.rows))[::-1]
    for y, row in zip(positions, comparison.rows):
        _draw_row(ax, y, row)
    ax.axvline(comparison[comparison.reference].auc, color=COLOURS["reference"], linewidth=0.8, linestyle=":")
    ax.set_yticks(positions, [row.name for row in comparison.rows], parse_math=False)
    ax.set_ylim(-0.6, len(positions) - 0.4)
    ax.set_xlim(*_limits(comparison.rows))
    ax.set_xlabel(f"AUC: mean of {comparison.n_folds} folds and its 95 % interval; small marks are the folds")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.25)
    return ax


def _draw_row(ax: Any, y: int, row: Any) -> None:
    colour = COLOURS[row.verdict]
    ax.plot(row.aucs, np.full(len(row.aucs), y), "|", color=colour, alpha=0.45, markersize=11)
    ax.plot([row.low, row.high], [y, y], color=colour, linewidth=2.5, solid_capstyle="round")
    ax.plot(row.auc, y, "o", color=colour, markersize=8)
    text = f"{row.auc:.4f}  {row.verdict}"
    ax.annotate(text, (1.01, y), xycoords=("axes fraction", "data"), va="center", color=colour)


def _limits(rows: Any) -> tuple[float, float]:
    """Limits that include all intervals and folds with some padding, within 0 and 1."""
    low = min(min(row.low, *row.aucs) for row in rows)
    high = max(max(row.high, *row.aucs) for row in rows)
    padding = max(0.04 * (high - low), (NARROWEST - (high - low)) / 2)
    right = min(high + padding, 1.0)
    return max(min(low - padding, right - NARROWEST), 0.0), right
