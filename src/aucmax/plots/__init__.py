"""Plots with matplotlib: `pip install '.[plot]'`."""

from aucmax.plots.alpha_path import plot_path
from aucmax.plots.aum import plot_error_roc, plot_line_search
from aucmax.plots.calibration import CalibrationDisplay
from aucmax.plots.comparison import plot_comparison
from aucmax.plots.convergence import plot_convergence
from aucmax.plots.cumulative_gains import CumulativeGainsDisplay
from aucmax.plots.importance import ImportanceDisplay
from aucmax.plots.lift import LiftDisplay
from aucmax.plots.roc import ROCDisplay

__all__ = [
    "CalibrationDisplay",
    "CumulativeGainsDisplay",
    "ImportanceDisplay",
    "LiftDisplay",
    "ROCDisplay",
    "plot_comparison",
    "plot_convergence",
    "plot_error_roc",
    "plot_line_search",
    "plot_path",
]
