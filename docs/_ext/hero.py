"""The figure of the front page and of the README, from out-of-fold scores: `python docs/_ext/hero.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from aucmax import AUCClassifierCV
from aucmax.metrics import roc_auc, roc_curve

BLUE, ORANGE, GREY = "#0b5cad", "#e07b00", "#dfe5ea"


def draw() -> Figure:
    """Rows of the digits in the order of the table and in that of their scores, and the ROC curve."""
    X, y = load_digits(return_X_y=True)
    is_eight = y == 8
    scores = AUCClassifierCV(random_state=0).fit(X, is_eight).oof_scores_
    figure = Figure(figsize=(9.6, 3.1), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(2.6, 1))
    draw_rows(
        figure.add_subplot(grid[0, 0]), is_eight, "1,797 digits in the order of the table; the eights in orange"
    )
    title = "the same rows, ranked by models that had not seen them: highest score first"
    draw_rows(figure.add_subplot(grid[1, 0]), is_eight[np.argsort(-scores)], title)
    fpr, tpr, *_ = roc_curve(is_eight, scores)
    ax = figure.add_subplot(grid[:, 1])
    ax.fill_between(fpr, tpr, color=BLUE, alpha=0.18, linewidth=0)
    ax.plot(fpr, tpr, color=BLUE, linewidth=2.4)
    ax.text(0.55, 0.42, f"AUC {roc_auc(is_eight, scores):.3f}", ha="center", fontsize=13, color=BLUE)
    ax.set(xlim=(0, 1), ylim=(0, 1.01), aspect="equal", xlabel="false positive rate", ylabel="true positive rate")
    ax.set(xticks=[0, 1], yticks=[0, 1])
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def draw_rows(ax, positive: np.ndarray, title: str) -> None:
    """One tick a row."""
    ax.set_facecolor(GREY)
    ax.vlines(np.flatnonzero(positive), 0, 1, color=ORANGE, linewidth=0.9)
    ax.set(xlim=(0, positive.size), ylim=(0, 1), xticks=[], yticks=[])
    ax.set_title(title, fontsize=10, loc="left")
    ax.spines[:].set_visible(False)


if __name__ == "__main__":
    draw().savefig(Path(__file__).parents[1] / "_static" / "hero.png", dpi=140)
