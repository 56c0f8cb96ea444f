"""AUC of several models, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import COLOURS, new_axes

NARROWEST = 0.02  # of an axis of AUC: differences that mean nothing should not look large


def plot_comparison(comparison: Any, ax: Any = None) -> Any:
    """Draw every model's AUC with its 95 % interval, the best on top, the folds as small marks.

    Parameters
    ----------
    comparison : Comparison
        What `compare` returned.
    ax : matplotlib axes, optional
        Where to draw; axes of a new figure if not given.

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
    places = np.arange(len(comparison.rows))[::-1]
    for place, row in zip(places, comparison.rows):
        _draw_row(ax, place, row)
    ax.axvline(comparison[comparison.reference].auc, color=COLOURS["reference"], linewidth=0.8, linestyle=":")
    ax.set_yticks(places, [row.name for row in comparison.rows])
    ax.set_ylim(-0.6, len(places) - 0.4)
    ax.set_xlim(*_limits(comparison.rows))
    ax.set_xlabel(f"AUC: mean of {comparison.n_folds} folds and its 95 % interval; small marks are the folds")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.25)
    return ax


def _draw_row(ax: Any, place: int, row: Any) -> None:
    colour = COLOURS[row.verdict]
    ax.plot(row.aucs, np.full(len(row.aucs), place), "|", color=colour, alpha=0.45, markersize=11)
    ax.plot([row.low, row.high], [place, place], color=colour, linewidth=2.5, solid_capstyle="round")
    ax.plot(row.auc, place, "o", color=colour, markersize=8)
    text = f"{row.auc:.4f}  {row.verdict}"
    ax.annotate(text, (1.01, place), xycoords=("axes fraction", "data"), va="center", color=colour)


def _limits(rows: Any) -> tuple[float, float]:
    """All intervals and folds with some air, never beyond 0 and 1."""
    low = min(min(row.low, *row.aucs) for row in rows)
    high = max(max(row.high, *row.aucs) for row in rows)
    air = max(0.04 * (high - low), (NARROWEST - (high - low)) / 2)
    right = min(high + air, 1.0)
    return max(min(low - air, right - NARROWEST), 0.0), right
