"""Convergence of solvers: objective and AUC against passes over the data and time."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import new_figure

__all__ = ["plot_convergence"]


def plot_convergence(runs: dict[str, Any], *, optimum: float | None = None) -> Any:
    """Plot suboptimality and AUC of several runs against passes over the data and against time.

    Parameters
    ----------
    runs : dict of name to Trace
        The `trace_` of fitted estimators or the `trace` of solutions.
    optimum : float, optional
        Minimum of the objective; by default the largest certified lower bound of all runs.

    Returns
    -------
    matplotlib figure
        With two columns, passes and seconds, and a row of AUCs if any run was monitored.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> trace = AUCClassifier(solver="sdca", random_state=0).fit(X, y).trace_
    >>> [ax.get_xlabel() for ax in plot_convergence({"sdca": trace}).axes]
    ['passes over the data', 'seconds (without evaluation and compilation)']
    """
    if optimum is None:
        optimum = max((trace["objective"] - trace["gap"]).max() for trace in runs.values())
    monitored = any(np.isfinite(trace["auc"]).any() for trace in runs.values())
    figure = new_figure(7 if monitored else 4)
    grid = figure.subplots(1 + monitored, 2, squeeze=False, sharex="col")
    clocks = {"passes": "passes over the data", "seconds": "seconds (without evaluation and compilation)"}
    for column, (clock, label) in zip(grid.T, clocks.items(), strict=True):
        _draw_suboptimality(column[0], runs, clock, optimum)
        if monitored:
            _draw_aucs(column[1], runs, clock)
        column[-1].set_xlabel(label)
    grid[0, 0].legend(frameon=False, fontsize="small")
    return figure


def _draw_suboptimality(ax: Any, runs: dict[str, Any], clock: str, optimum: float) -> None:
    for name, trace in runs.items():
        relative = (trace["objective"] - optimum) / optimum
        ax.plot(trace[clock], np.where(relative > 0, relative, np.nan), label=name, linewidth=1.4)
    ax.set_yscale("log")
    ax.set_ylabel("(objective - optimum) / optimum")
    ax.spines[["top", "right"]].set_visible(False)


def _draw_aucs(ax: Any, runs: dict[str, Any], clock: str) -> None:
    for trace in runs.values():
        (line,) = ax.plot(trace[clock], trace["auc"], linewidth=1.4)
        ax.plot(trace[clock], trace["validation_auc"], linestyle="--", color=line.get_color())
    ax.set_ylabel("AUC (dashed: validation)")
    ax.spines[["top", "right"]].set_visible(False)
