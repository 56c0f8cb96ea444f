"""A picture of a sequence with its labels and changes; needs matplotlib."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from aucmax.changepoint.labels import KINDS, check_labels, label_errors
from aucmax.changepoint.segmentation import check_sequence
from aucmax.plots.axes import COLOURS, new_axes

SHADES = {"0changes": "#f3efb0", "1change": "#ffb3a7", ">0changes": "#c9b6e4"}


def plot(sequence: Any, labels: Any = (), changes: Any = None, ax: Any = None) -> Any:
    """Draw a sequence, its labels as shaded regions, and changes with the means between them.

    A label that the changes violate has a thick frame: of one colour for a false positive, of another for a false
    negative.

    Parameters
    ----------
    sequence : array of shape (n,)
    labels : list of (start, end, kind)
    changes : array, optional
        Places of changes, such as `PenaltyLearner.predict` gives; if not given, only data and labels are drawn.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> ax = plot([0.0, 0.1, 5.0, 5.2], [(1, 3, "1change")], [2])
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
        changes = _places(changes, values.size)
        _draw_changes(ax, values, changes)
        _frame_errors(ax, labels, changes)
    ax.set_xlim(0, values.size)
    ax.set_xlabel("place: number of values before")
    ax.set_ylabel("value")
    ax.spines[["top", "right"]].set_visible(False)
    _draw_legend(ax)
    return ax


def _places(changes: Any, length: int) -> np.ndarray:
    """Places of changes in order, each with a value before and after it."""
    places = np.unique(np.asarray(changes, dtype=int))
    if places.size and not 0 < places[0] <= places[-1] < length:
        text = f"changes hold {places[0]} .. {places[-1]}, but the sequence has {length} values"
        raise ValueError(f"{text}; a change has at least one value before it and one after it")
    return places


def _frame_errors(ax: Any, labels: Any, changes: Any) -> None:
    for start, end, kind in labels:
        wrong = label_errors([changes], [(start, end, kind)])
        if wrong.fp[0] or wrong.fn[0]:
            colour, name = ("worse", "false positive") if wrong.fp[0] else ("tie", "false negative")
            ax.axvspan(start, end, fill=False, edgecolor=COLOURS[colour], linewidth=2.5, label=name, zorder=3)


def _draw_changes(ax: Any, values: np.ndarray, changes: np.ndarray) -> None:
    ends = np.concatenate(([0], changes, [values.size]))
    for first, last in pairwise(ends):
        ax.hlines(values[first:last].mean(), first, last, color=COLOURS["better"], linewidth=2.0, zorder=2)
    for number, place in enumerate(changes):
        label = None if number else "change"
        ax.axvline(place, color=COLOURS["better"], linewidth=1.2, linestyle="--", label=label, zorder=2)


def _draw_legend(ax: Any) -> None:
    """Every name once, above the picture."""
    named = dict(zip(*reversed(ax.get_legend_handles_labels())))
    order = [name for name in (*KINDS, "false positive", "false negative", "change") if name in named]
    if order:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 6}
        ax.legend([named[name] for name in order], order, frameon=False, fontsize="small", **place)
