"""Plot of a sequence with its labels and changes; requires matplotlib."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from aucmax.changepoint.labels import LABEL_KINDS, check_labels, label_errors
from aucmax.changepoint.segmentation import check_sequence
from aucmax.plots.axes import COLOURS, new_axes

SHADES = {"0changes": "#f3efb0", "1change": "#ffb3a7", ">0changes": "#c9b6e4"}


def plot_sequence(sequence: Any, labels: Any = (), changes: Any = None, ax: Any = None) -> Any:
    """Draw a sequence, its labels as shaded regions, and changes with the means between them.

    A violated label has a thick frame, whose colour distinguishes false positives from false negatives.

    Parameters
    ----------
    sequence : array of shape (n,)
    labels : list of (start, end, kind)
    changes : array, optional
        Positions of changes, as returned by `PenaltyLearner.predict`; if not given, only data and labels are drawn.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> ax = plot_sequence([0.0, 0.1, 5.0, 5.2], [(1, 3, "1change")], [2])
    >>> ax.get_legend_handles_labels()[1]
    ['1change', 'change']
    """
    values = check_sequence(sequence)
    labels = check_labels(labels, values.size)
    ax = new_axes(4) if ax is None else ax
    ax.plot(np.arange(values.size) + 0.5, values, ".", color="0.45", markersize=4)
    for start, end, kind in labels:
        ax.axvspan(start, end, color=SHADES[kind], alpha=0.6, linewidth=0, label=kind, zorder=0)
    if changes is not None:
        changes = _check_changes(changes, values.size)
        _draw_changes(ax, values, changes)
        _frame_errors(ax, labels, changes)
    ax.set_xlim(0, values.size)
    ax.set_xlabel("position: number of values before")
    ax.set_ylabel("value")
    ax.spines[["top", "right"]].set_visible(False)
    _draw_legend(ax)
    return ax


def _check_changes(changes: Any, length: int) -> np.ndarray:
    """Sorted positions of changes, each with a value before and after it."""
    positions = np.unique(np.asarray(changes, dtype=int))
    if positions.size and not 0 < positions[0] <= positions[-1] < length:
        text = f"changes hold {positions[0]} .. {positions[-1]}, but the sequence has {length} values"
        raise ValueError(f"{text}; a change has at least one value before it and one after it")
    return positions


def _frame_errors(ax: Any, labels: Any, changes: Any) -> None:
    for start, end, kind in labels:
        errors = label_errors([changes], [(start, end, kind)])
        if errors.fp[0] or errors.fn[0]:
            colour, name = ("worse", "false positive") if errors.fp[0] else ("equivalent", "false negative")
            ax.axvspan(start, end, fill=False, edgecolor=COLOURS[colour], linewidth=2.5, label=name, zorder=3)


def _draw_changes(ax: Any, values: np.ndarray, changes: np.ndarray) -> None:
    ends = np.concatenate(([0], changes, [values.size]))
    for first, last in pairwise(ends):
        ax.hlines(values[first:last].mean(), first, last, color=COLOURS["better"], linewidth=2.0, zorder=2)
    for number, position in enumerate(changes):
        label = None if number else "change"
        ax.axvline(position, color=COLOURS["better"], linewidth=1.2, linestyle="--", label=label, zorder=2)


def _draw_legend(ax: Any) -> None:
    """Each entry once, above the plot."""
    named = dict(zip(*reversed(ax.get_legend_handles_labels())))
    order = [name for name in (*LABEL_KINDS, "false positive", "false negative", "change") if name in named]
    if order:
        above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 6}
        ax.legend([named[name] for name in order], order, frameon=False, fontsize="small", **above)
