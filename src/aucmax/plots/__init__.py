"""Plots with matplotlib: `pip install '.[plot]'`."""

from aucmax.plots.alpha_path import plot_path
from aucmax.plots.aum import plot_error_roc, plot_line_search
from aucmax.plots.comparison import plot_comparison
from aucmax.plots.convergence import plot_convergence
from aucmax.plots.importance import ImportanceDisplay

__all__ = [
    "ImportanceDisplay",
    "plot_comparison",
    "plot_convergence",
    "plot_error_roc",
    "plot_line_search",
    "plot_path",
]
