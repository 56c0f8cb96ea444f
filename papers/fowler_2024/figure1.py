"""Figure 1 of Fowler and Hocking (2024): ROC curves of four models, and min(FPR, FNR) against an added constant.

aucmax reproduce fowler_2024 --figure 1
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from aucmax.aum import ErrorFunctions, aum, error_auc, error_roc_curve
from aucmax.comparison.reproduction.curves import write_figure

FOLDER = Path(__file__).parent
Y = np.array([1, 1, 1, 1, -1, -1, -1, -1])
MODELS = {  # predictions for four positives, then four negatives
    "best": np.array([2.0, 3.0, 4.0, 5.0, -5.0, -4.0, -3.0, -2.0]),
    "good": np.array([-0.5, 2.0, 3.0, 4.0, -4.0, -3.0, -2.0, 0.5]),
    "weak": np.array([-3.0, -1.0, 1.5, 3.5, -3.5, -1.5, 1.0, 3.0]),
    "bad": np.array([-4.0, -3.0, -2.0, 0.5, -0.5, 2.0, 3.0, 4.0]),
}


def errors() -> ErrorFunctions:
    """Rates: each positive is a fourth of the FNR, each negative a fourth of the FPR."""
    return ErrorFunctions.from_labels(Y, np.full(Y.size, 0.25))


def rates(pred: np.ndarray, constants: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """FPR and FNR when a constant is added to all predictions."""
    positive = pred[:, None] + constants > 0
    return positive[Y < 0].mean(axis=0), 1.0 - positive[Y > 0].mean(axis=0)


def draw(roc: Any, below: Any, name: str, pred: np.ndarray) -> None:
    """A column: the ROC curve above, the error rates below."""
    curve = error_roc_curve(errors(), pred)
    roc.plot(curve.fpr, curve.tpr, "o-", color="#3465a4", markersize=4)
    value = aum(errors(), pred).value
    smallest = np.minimum(curve.fpr, 1.0 - curve.tpr)
    roc.set_title(f"{name}: AUC {error_auc(errors(), pred):.2f}\nsum(min) {smallest.sum():.2f}, AUM {value:.2f}")
    for x, y, low in zip(curve.fpr, curve.tpr, smallest):
        roc.annotate(f"{low:.2f}", (x, y), fontsize=7, xytext=(3, -8), textcoords="offset points")
    grid = np.linspace(-6.0, 6.0, 2401)
    fpr, fnr = rates(pred, grid)
    below.plot(grid, fpr, color="#b3261e", label="FPR")
    below.plot(grid, fnr, color="#1a7f37", label="FNR")
    below.fill_between(grid, np.minimum(fpr, fnr), color="0.7", label="AUM", step="mid")
    roc.set(xlabel="FPR", ylabel="TPR")
    below.set(xlabel="constant added to predictions", ylabel="error rate")


def main(folder: Path = FOLDER, small: bool = False) -> dict[str, tuple[float, float]]:
    """Write the figure; gives AUC and AUM of every model."""
    figure = Figure(figsize=(12.0, 6.0), layout="constrained")
    axes = figure.subplots(2, len(MODELS))
    for column, (name, pred) in zip(axes.T, MODELS.items()):
        draw(*column, name, pred)
    axes[1, 0].legend(frameon=False, fontsize="small")
    found = {name: (error_auc(errors(), pred), aum(errors(), pred).value) for name, pred in MODELS.items()}
    write_figure(folder, "figure1", figure, text(found))
    return found


def text(found: dict[str, tuple[float, float]]) -> str:
    """What the paper shows, and whether ours agrees."""
    agrees = all((auc == 1.0) == (value == 0.0) for auc, value in found.values())
    order = sorted(found, key=lambda name: found[name][1])
    numbers = "; ".join(f"{name}: AUC {auc:.2f}, AUM {value:.2f}" for name, (auc, value) in found.items())
    return f"""# Figure 1 of Fowler and Hocking: AUC and AUM of four models

The paper shows four models for which AUM, the area under min(FPR, FNR), is 0 where AUC is 1 and grows as AUC falls.
Ours {"agrees" if agrees and order == list(found) else "does not agree"}: {numbers}.

The predictions are ours, as those of the paper are not printed.
"""


if __name__ == "__main__":
    main()
