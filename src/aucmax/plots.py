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
