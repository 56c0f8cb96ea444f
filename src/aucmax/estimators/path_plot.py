"""PathPlotMixin: the plot of a cross-validated path."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted


class PathPlotMixin:
    """`plot_path` for estimators that cross-validate a path of alphas."""

    alphas_: np.ndarray
    cv_auc_: np.ndarray

    def plot_path(self, ax: Any = None) -> Any:
        """Plot the cross-validated AUC against alpha; needs matplotlib (`pip install '.[plot]'`).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        from aucmax.plots.alpha_path import plot_path

        check_is_fitted(self, "cv_auc_")
        return plot_path(self.alphas_, self.cv_auc_, ax)
