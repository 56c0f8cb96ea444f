"""Pictures, drawn with matplotlib: `pip install 'aucmax[plot]'`."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.folds import choose

COLOURS = {"reference": "#404040", "better": "#1a7f37", "tie": "#3465a4", "worse": "#b3261e"}
NARROWEST = 0.02  # of an axis of AUC: differences that mean nothing should not look large


def new_axes(n_lines: int = 5) -> Any:
    """Axes of a figure of their own, which no window shows, high enough for so many lines."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        message = "pictures need matplotlib; install it: pip install 'aucmax[plot]'"
        raise ModuleNotFoundError(message) from None
    return Figure(figsize=(8.0, 1.4 + 0.55 * n_lines), layout="constrained").subplots()


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
    >>> from aucmax.compare import compare
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


def plot_path(alphas: np.ndarray, auc: np.ndarray, ax: Any = None) -> Any:
    """Draw cross-validated AUC, of shape (n_alphas, n_folds), against alpha.

    The curve is the mean over the folds, the band one standard error of it; the best alpha and the largest within
    one standard error of the best are marked.
    """
    ax = new_axes() if ax is None else ax
    mean = auc.mean(axis=1)
    error = auc.std(axis=1, ddof=1) / np.sqrt(auc.shape[1]) if auc.shape[1] > 1 else np.zeros(mean.size)
    best, simplest = choose(auc, "best"), choose(auc, "one_se")
    ax.plot(alphas, mean, marker="o", markersize=4, color=COLOURS["tie"], label=f"mean of {auc.shape[1]} folds")
    ax.fill_between(alphas, mean - error, mean + error, color=COLOURS["tie"], alpha=0.2, linewidth=0)
    ax.plot(alphas, auc, color=COLOURS["reference"], alpha=0.25, linewidth=0.7)
    ax.axvline(alphas[best], color=COLOURS["better"], label=f"best: {mean[best]:.4f} at {alphas[best]:.3g}")
    label = f"one standard error: {mean[simplest]:.4f} at {alphas[simplest]:.3g}"
    ax.axvline(alphas[simplest], color=COLOURS["better"], linestyle="--", label=label)
    ax.set_xscale("log" if alphas.min() > 0 else "linear")
    ax.set_xlabel("alpha, strength of the penalty")
    ax.set_ylabel("AUC on the rows left out")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return ax


def plot_convergence(runs: dict[str, Any], *, optimum: float | None = None) -> Any:
    """Draw suboptimality and AUC of several runs against passes over the data and against time.

    Parameters
    ----------
    runs : dict of name to Trace
        The `trace_` of fitted estimators or the `trace` of solutions.
    optimum : float, optional
        Smallest value of the objective; if not given, the certified lower bound closest to it.

    Returns
    -------
    matplotlib figure
        Of two columns, passes and seconds; the row with the AUCs is left out where no run was monitored.
    """
    lowest = max((trace["objective"] - trace["gap"]).max() for trace in runs.values()) if optimum is None else optimum
    monitored = any(np.isfinite(trace["auc"]).any() for trace in runs.values())
    figure = new_axes(7 if monitored else 4).figure
    figure.clear()
    grid = figure.subplots(1 + monitored, 2, squeeze=False, sharex="col")
    clocks = {"passes": "passes over the data", "seconds": "seconds, evaluation not counted"}
    for column, (clock, label) in zip(grid.T, clocks.items(), strict=True):
        _draw_excess(column[0], runs, clock, lowest)
        if monitored:
            _draw_aucs(column[1], runs, clock)
        column[-1].set_xlabel(label)
    grid[0, 0].legend(frameon=False, fontsize="small")
    return figure


def _draw_excess(ax: Any, runs: dict[str, Any], clock: str, lowest: float) -> None:
    for name, trace in runs.items():
        excess = (trace["objective"] - lowest) / lowest
        ax.plot(trace[clock], np.where(excess > 0, excess, np.nan), label=name, linewidth=1.4)
    ax.set_yscale("log")
    ax.set_ylabel("(objective - optimum) / optimum")
    ax.spines[["top", "right"]].set_visible(False)


def _draw_aucs(ax: Any, runs: dict[str, Any], clock: str) -> None:
    for trace in runs.values():
        (line,) = ax.plot(trace[clock], trace["auc"], linewidth=1.4)
        ax.plot(trace[clock], trace["validation_auc"], linestyle="--", color=line.get_color())
    ax.set_ylabel("AUC (dashed: validation)")
    ax.spines[["top", "right"]].set_visible(False)


def plot_line_search(
    search: Any, errors: Any, pred: Any, direction: Any, *, marks: dict[str, float] | None = None, axes: Any = None
) -> Any:
    """Draw AUC, AUM and the thresholds against the step size.

    Parameters
    ----------
    search : LineSearch
        Of a walk that kept its rows: `until` was "all", "linear" or a number.
    errors, pred, direction
        What was searched.
    marks : dict of name to step size, optional
        Steps to mark by vertical lines; the step of the search if not given.
    axes : three matplotlib axes, optional
        Where to draw; those of a new figure if not given.

    Returns
    -------
    three matplotlib axes

    Examples
    --------
    >>> from aucmax.aum import ErrorFunctions, line_search
    >>> problem = ErrorFunctions.from_labels([0, 0, 1, 1]), np.array([-7.0, -2.0, 0.0, -4.0]), np.array([0, -1, 0, 1])
    >>> axes = plot_line_search(line_search(*problem, until="all"), *problem)
    >>> [ax.get_ylabel() for ax in axes]
    ['AUC', 'AUM', 'threshold']
    """
    if axes is None:
        figure = new_axes(10).figure
        figure.clear()
        axes = figure.subplots(3, 1, sharex=True, height_ratios=(1, 1, 2))
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
    """A piecewise constant curve with its values at the jumps, unless they are too many to be seen."""
    ax.hlines(after, steps[:-1], steps[1:], color=COLOURS["reference"], linewidth=1.4)
    if at.size <= 60:
        ax.plot(steps[:-1], at, "o", color=COLOURS["reference"], markersize=3.5)


def _draw_thresholds(ax: Any, errors: Any, pred: np.ndarray, direction: np.ndarray, end: float) -> None:
    """A line per breakpoint; its colour says what changes there."""
    start = errors.v - pred[errors.example]
    stop = start - end * direction[errors.example]
    kinds = {"false positives": (errors.fp != 0, "worse"), "false negatives": (errors.fn != 0, "tie")}
    width = 1.2 if start.size <= 60 else 0.3
    for name, (chosen, colour) in kinds.items():
        lines = ax.plot([0.0, end], np.stack((start, stop))[:, chosen], color=COLOURS[colour], linewidth=width)
        if lines:
            lines[0].set_label(f"changes {name}")
    ax.legend(edgecolor="none", framealpha=0.8, fontsize="small")


def plot_error_roc(curves: dict[str, Any], ax: Any = None) -> Any:
    """Draw ROC curves of error functions, which may have loops; the area is in the legend.

    The points of a single short curve have letters, from a at (0, 0): a loop comes back to where it was.

    Parameters
    ----------
    curves : dict of name to ROC
        What `aucmax.aum.roc_curve` returned.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from aucmax.aum import ErrorFunctions, roc_curve
    >>> curve = roc_curve(ErrorFunctions.from_labels([0, 1]), [0.0, 1.0])
    >>> plot_error_roc({"model": curve}).get_legend_handles_labels()[1]
    ['model: AUC 1']
    """
    ax = new_axes(8) if ax is None else ax
    for width, (name, curve) in zip(np.linspace(3.5, 1.2, len(curves)), curves.items()):
        area = float(np.trapezoid(curve.tpr, curve.fpr))
        marker = "o" if curve.fpr.size <= 60 else None
        ax.plot(curve.fpr, curve.tpr, marker=marker, markersize=4, linewidth=width, label=f"{name}: AUC {area:.4g}")
    if len(curves) == 1 and curve.fpr.size <= 26:
        _name_points(ax, curve)
    ax.set_xlabel("false positive rate")
    ax.set_ylabel("true positive rate")
    ax.set_aspect("equal")
    ax.margins(0.12)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _name_points(ax: Any, curve: Any) -> None:
    names: dict[tuple[float, float], str] = {}
    for letter, *point in zip("abcdefghijklmnopqrstuvwxyz", np.round(curve.fpr, 6), np.round(curve.tpr, 6)):
        place = float(point[0]), float(point[1])
        names[place] = names.get(place, "") + letter
    for place, letters in names.items():
        ax.annotate(letters, place, xytext=(4, 4), textcoords="offset points")
