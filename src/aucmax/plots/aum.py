"""Plots of the exact line search of AUM, and of ROC curves of error functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import COLOURS, new_axes, new_figure


def plot_line_search(
    search: Any, errors: Any, pred: Any, direction: Any, *, marks: dict[str, float] | None = None, axes: Any = None
) -> Any:
    """Draw AUC, AUM and the thresholds against the step size.

    Parameters
    ----------
    search : LineSearchResult
        The result of a search with a table: `until` was "all" or "linear".
    errors, pred, direction
        The arguments of the search.
    marks : dict of name to step size, optional
        Steps to mark by vertical lines; by default the step found.
    axes : three matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    three matplotlib axes

    Examples
    --------
    >>> from aucmax.aum import ErrorFunctions, exact_line_search
    >>> problem = ErrorFunctions.from_labels([0, 0, 1, 1]), np.array([-7.0, -2.0, 0.0, -4.0]), np.array([0, -1, 0, 1])
    >>> axes = plot_line_search(exact_line_search(*problem, until="all"), *problem)
    >>> [ax.get_ylabel() for ax in axes]
    ['AUC', 'AUM', 'threshold']
    """
    if axes is None:
        axes = new_figure(10).subplots(3, 1, sharex=True, height_ratios=(1, 1, 2))
    table = search.table
    end = 1.15 * table.step[-1] if table.step[-1] > 0 else 1.0
    marks = {f"step {search.step:.4g}": search.step} if marks is None else marks
    _draw_steps(axes[0], np.append(table.step, end), table.auc, table.auc_after)
    values = np.append(table.aum, table.aum[-1] + table.slope_after[-1] * (end - table.step[-1]))
    axes[1].plot(np.append(table.step, end), values, color=COLOURS["reference"], linewidth=1.4)
    _draw_thresholds(axes[2], errors, np.asarray(pred), np.asarray(direction), end)
    for ax, label in zip(axes, ("AUC", "AUM", "threshold"), strict=True):
        for (name, step), style in zip(marks.items(), ("-", "--", ":", "-.") * len(marks)):
            ax.axvline(step, color=COLOURS["better"], linewidth=1.0, linestyle=style, label=name)
        ax.set_ylabel(label)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    axes[2].set_xlabel("step size")
    axes[2].set_xlim(0.0, end)
    return axes


def _draw_steps(ax: Any, steps: np.ndarray, at: np.ndarray, after: np.ndarray) -> None:
    """Draw a piecewise constant curve with its values at the jumps, unless there are too many to see."""
    ax.hlines(after, steps[:-1], steps[1:], color=COLOURS["reference"], linewidth=1.4)
    if at.size <= 60:
        ax.plot(steps[:-1], at, "o", color=COLOURS["reference"], markersize=3.5)


def _draw_thresholds(ax: Any, errors: Any, pred: np.ndarray, direction: np.ndarray, end: float) -> None:
    """Draw one line per breakpoint, coloured by the kind of error that changes there."""
    start = errors.v - pred[errors.example]
    stop = start - end * direction[errors.example]
    kinds = {"false positives": (errors.fp != 0, "worse"), "false negatives": (errors.fn != 0, "equivalent")}
    width = 1.2 if start.size <= 60 else 0.3
    for name, (chosen, colour) in kinds.items():
        lines = ax.plot([0.0, end], np.stack((start, stop))[:, chosen], color=COLOURS[colour], linewidth=width)
        if lines:
            lines[0].set_label(f"changes {name}")
    ax.legend(edgecolor="none", framealpha=0.8, fontsize="small")


def plot_error_roc(curves: dict[str, Any], ax: Any = None) -> Any:
    """Draw ROC curves of error functions, which may have loops; the legend shows the area.

    The points of a single short curve are lettered, from a at (0, 0), so that loops can be followed.

    Parameters
    ----------
    curves : dict of name to ErrorROC
        As returned by `aucmax.aum.error_roc_curve`.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from aucmax.aum import ErrorFunctions, error_roc_curve
    >>> curve = error_roc_curve(ErrorFunctions.from_labels([0, 1]), [0.0, 1.0])
    >>> plot_error_roc({"model": curve}).get_legend_handles_labels()[1]
    ['model: AUC 1']
    """
    ax = new_axes(8) if ax is None else ax
    for width, (name, curve) in zip(np.linspace(3.5, 1.2, len(curves)), curves.items()):
        area = float(np.trapezoid(curve.tpr, curve.fpr))
        marker = "o" if curve.fpr.size <= 60 else None
        ax.plot(curve.fpr, curve.tpr, marker=marker, markersize=4, linewidth=width, label=f"{name}: AUC {area:.4g}")
    if len(curves) == 1 and curve.fpr.size <= 26:
        _letter_points(ax, curve)
    ax.set_xlabel("false positive rate")
    ax.set_ylabel("true positive rate")
    ax.set_aspect("equal")
    ax.margins(0.12)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _letter_points(ax: Any, curve: Any) -> None:
    letters_at: dict[tuple[float, float], str] = {}
    for letter, fpr, tpr in zip("abcdefghijklmnopqrstuvwxyz", np.round(curve.fpr, 6), np.round(curve.tpr, 6)):
        point = float(fpr), float(tpr)
        letters_at[point] = letters_at.get(point, "") + letter
    for point, letters in letters_at.items():
        ax.annotate(letters, point, xytext=(4, 4), textcoords="offset points")
