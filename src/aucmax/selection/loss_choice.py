"""The choice of a loss by cross-validated AUC: the squared loss, unless another is better by more than chance.

A loss replaces the squared one if the AUC of its out-of-fold scores, at its best alpha, is larger by more than one
standard error of the paired difference (DeLong); the best of several. Long tables are subsampled for the decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.losses import LOSSES
from aucmax.metrics.auc import auc_of_classes
from aucmax.metrics.delong import std_error_of_counts
from aucmax.numerics.matrix import nonzeros
from aucmax.selection.cross_validation import ROUNDING, CVPath, PathSettings, certified_solver, choose_alpha
from aucmax.selection.splits import Fold, subsample
from aucmax.validation.inputs import LabeledData

AUTO = ("squared", "squared_hinge", "logistic")
MARGIN = 1.0  # standard errors of the difference by which another loss must be better
NUMBERS = 200_000  # stored numbers of a table above which the decision is made on a subsample
FEWEST_ROWS = 500  # rows of the smallest subsample


def compared_losses(X: Any, settings: PathSettings) -> list[str]:
    """The losses of "auto" whose default solver supports the penalties."""
    smallest = 1.0 if np.ndim(settings.alphas) == 0 else min(settings.alphas, default=1.0)
    kinds = {settings.penalty().kind, settings.penalty(smallest).kind}
    able = [AUTO[0]]
    for name in AUTO[1:]:
        if kinds <= set(certified_solver(X, LOSSES[name]()).penalties):
            able.append(name)
    return able


def decision_rows(
    table: LabeledData, folds: list[Fold], rng: np.random.Generator
) -> tuple[LabeledData, list[Fold], np.ndarray]:
    """The rows on which losses are compared, their folds, and their indices: all, or a subsample of a long table."""
    return subsample(table, folds, decision_size(nonzeros(table.X) / table.y.size), rng)


def decision_size(stored: float) -> int:
    """How many rows the comparison takes at most, if a row has so many stored numbers."""
    return max(int(NUMBERS / max(stored, 1.0)), FEWEST_ROWS)


def choose_loss(table: LabeledData, paths: list[CVPath]) -> int:
    """The index of the path to use; the first one is preferred."""
    scores = [path.out_of_fold(table.y.size, choose_alpha(path.auc, "best")) for path in paths]
    tested = ~np.isnan(scores[0])
    pos = table.y[tested] > 0
    weight = table.weight[tested]
    aucs = []
    for one in scores:
        aucs.append(auc_of_classes(one[tested][pos], one[tested][~pos], weight[pos], weight[~pos]))
    chosen = 0
    for k in range(1, len(paths)):
        std_error = std_error_of_counts(pos, weight, scores[k][tested], scores[0][tested])
        if aucs[k] - aucs[0] > MARGIN * std_error + ROUNDING and aucs[k] > aucs[chosen]:
            chosen = k
    return chosen
