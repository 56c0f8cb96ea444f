"""Cross-validated AUC against alpha."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import COLOURS, new_axes
from aucmax.selection.choice import choose_alpha

__all__ = ["plot_path"]


def plot_path(alphas: np.ndarray, auc: np.ndarray, ax: Any = None) -> Any:
    """Plot cross-validated AUC against alpha.

    The line is the mean over the folds, the band one standard error on either side; the best alpha and the largest
    one within one standard error of the best are marked.

    Parameters
    ----------
    alphas : array of shape (n_alphas,)
    auc : array of shape (n_alphas, n_folds)
    ax : matplotlib axes, optional
        Where to draw; by default the axes of a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> ax = plot_path(np.array([1.0, 0.1, 0.01]), np.array([[0.8, 0.82], [0.85, 0.87], [0.84, 0.85]]))
    >>> ax.get_legend_handles_labels()[1]
    ['mean of 2 folds', 'best: 0.8600 at 0.1', 'one standard error: 0.8600 at 0.1']
    """
    ax = new_axes() if ax is None else ax
    mean = auc.mean(axis=1)
    error = auc.std(axis=1, ddof=1) / np.sqrt(auc.shape[1]) if auc.shape[1] > 1 else np.zeros(mean.size)
    best = choose_alpha(auc, "best")
    simplest = choose_alpha(auc, "one_se")
    ax.plot(
        alphas, mean, marker="o", markersize=4, color=COLOURS["equivalent"], label=f"mean of {auc.shape[1]} folds"
    )
    ax.fill_between(alphas, mean - error, mean + error, color=COLOURS["equivalent"], alpha=0.2, linewidth=0)
    ax.plot(alphas, auc, color=COLOURS["reference"], alpha=0.25, linewidth=0.7)
    ax.axvline(alphas[best], color=COLOURS["better"], label=f"best: {mean[best]:.4f} at {alphas[best]:.3g}")
    label = f"one standard error: {mean[simplest]:.4f} at {alphas[simplest]:.3g}"
    ax.axvline(alphas[simplest], color=COLOURS["better"], linestyle="--", label=label)
    ax.set_xscale("log" if alphas.min() > 0 else "linear")
    ax.set_xlabel("alpha, strength of the penalty")
    ax.set_ylabel("cross-validated AUC")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return ax
