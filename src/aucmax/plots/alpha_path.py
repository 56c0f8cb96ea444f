"""Cross-validated AUC against alpha."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.plots.axes import COLOURS, new_axes
from aucmax.selection.cross_validation import choose_alpha


def plot_path(alphas: np.ndarray, auc: np.ndarray, ax: Any = None) -> Any:
    """Draw cross-validated AUC, of shape (n_alphas, n_folds), against alpha.

    The curve is the mean over the folds, the band one standard error of it; the best alpha and the largest within
    one standard error of the best are marked.
    """
    ax = new_axes() if ax is None else ax
    mean = auc.mean(axis=1)
    error = auc.std(axis=1, ddof=1) / np.sqrt(auc.shape[1]) if auc.shape[1] > 1 else np.zeros(mean.size)
    best, simplest = choose_alpha(auc, "best"), choose_alpha(auc, "one_se")
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
