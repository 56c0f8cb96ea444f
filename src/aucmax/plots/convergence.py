"""Objective and AUC of solvers, against passes and time."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import new_axes


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
