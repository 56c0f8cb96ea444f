"""The choice of a loss by cross-validated AUC: the squared loss, unless another is better by more than chance.

A loss replaces the squared one if the AUC of its out-of-fold scores, at its best alpha, is larger by more than one
standard error of the paired difference (DeLong); the best of several. Long tables are subsampled for the decision.
"""

from __future__ import annotations

import numpy as np

from aucmax.losses import LOSSES
from aucmax.metrics.auc import roc_auc
from aucmax.metrics.delong import auc_influence
from aucmax.numerics.matrix import is_sparse
from aucmax.selection.cross_validation import CVPath, PathSettings, certified_solver, choose_alpha
from aucmax.selection.splits import Fold, subsample
from aucmax.validation.inputs import LabeledData

AUTO = ("squared", "squared_hinge", "logistic")
MARGIN = 1.0  # standard errors of the difference by which another loss must be better
NUMBERS = 200_000  # stored numbers of a table above which the decision is made on a subsample
FEWEST_ROWS = 500  # rows of the smallest subsample


def compared_losses(X: object, settings: PathSettings) -> list[str]:
    """The losses of "auto" whose default solver supports the penalty."""
    able = []
    for name in AUTO:
        solver = certified_solver(X, LOSSES[name]())
        if name == "squared" or settings.penalty().kind in solver.penalties:
            able.append(name)
    return able


def decision_rows(
    table: LabeledData, folds: list[Fold], rng: np.random.Generator
) -> tuple[LabeledData, list[Fold], np.ndarray]:
    """The rows on which losses are compared, their folds, and their indices: all, or a subsample of a long table."""
    stored = table.X.nnz if is_sparse(table.X) else table.X.size
    rows = int(NUMBERS / max(stored / table.y.size, 1.0))
    return subsample(table, folds, max(rows, FEWEST_ROWS), rng)


def choose_loss(table: LabeledData, paths: list[CVPath]) -> int:
    """The index of the path to use; the first one is preferred."""
    scores = [path.out_of_fold(table.y.size)[choose_alpha(path.auc, "best")] for path in paths]
    tested = ~np.isnan(scores[0])
    y = table.y[tested]
    weight = table.weight[tested]
    aucs = [roc_auc(y, one[tested], sample_weight=weight) for one in scores]
    influence = [auc_influence(y, one[tested], sample_weight=weight) for one in scores]
    better = [0]
    for k in range(1, len(paths)):
        std_error = float(np.linalg.norm(influence[k] - influence[0]))
        if aucs[k] - aucs[0] > MARGIN * std_error:
            better.append(k)
    return max(better, key=lambda k: aucs[k])
