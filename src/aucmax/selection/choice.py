"""The choice of alpha and of a loss by cross-validated AUC, and the table of all candidates.

With `loss="auto"` another loss replaces the squared one if the AUC of its out-of-fold scores, at its best alpha, is
larger by more than one standard error of the paired difference (DeLong); the best, if there are several. Long tables
are subsampled for this decision.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

import numpy as np
from scipy.stats import rankdata

from aucmax.losses import LOSSES
from aucmax.metrics.delong import std_error_of_counts
from aucmax.numerics.matrix import nonzeros
from aucmax.selection.cross_validation import CVPath, PathSettings, aucs_of, certified_solver
from aucmax.validation.inputs import LabeledData

CHOICES = ("best", "one_se")
ROUNDING = 1e-12  # difference up to which mean AUCs count as equal
AUTO = ("squared", "squared_hinge", "logistic")
MARGIN = 1.0  # standard errors of the difference by which another loss must be better
NUMBERS = 200_000  # stored numbers of a table above which the decision is made on a subsample
FEWEST_ROWS = 500  # rows of the smallest subsample


def choose_alpha(auc: np.ndarray, choice: str) -> int:
    """Index of the best mean AUC (the larger alpha if equal), or of the largest alpha within one standard error."""
    mean = auc.mean(axis=1)
    best = int(np.flatnonzero(mean >= mean.max() - ROUNDING)[0])
    if choice == "best" or auc.shape[1] < 2:
        return best
    error = auc[best].std(ddof=1) / np.sqrt(auc.shape[1])
    return int(np.flatnonzero(mean >= mean[best] - error)[0])


def compared_losses(X: Any, settings: PathSettings) -> list[str]:
    """The losses of "auto" whose default solver supports the penalties."""
    smallest = 1.0 if np.ndim(settings.alphas) == 0 else min(settings.alphas, default=1.0)
    kinds = {settings.penalty().kind, settings.penalty(smallest).kind}
    return [AUTO[0], *(name for name in AUTO[1:] if kinds <= set(certified_solver(X, LOSSES[name]()).penalties))]


def decision_size(X: Any) -> int:
    """The maximum number of rows on which losses are compared, for rows with as many stored numbers as those of X."""
    return max(int(NUMBERS / max(nonzeros(X) / max(X.shape[0], 1), 1.0)), FEWEST_ROWS)


def choose_loss(table: LabeledData, paths: list[CVPath]) -> int:
    """The index of the path to use; the first one is preferred."""
    scores = np.array([path.out_of_fold(table.y.size, choose_alpha(path.auc, "best")) for path in paths])
    tested = np.flatnonzero(~np.isnan(scores[0]))
    scores = scores[:, tested]
    y = table.y[tested]
    weight = table.weight[tested]
    aucs = aucs_of(scores, y, weight)
    chosen = 0
    for k in range(1, len(paths)):
        std_error = std_error_of_counts(y > 0, weight, scores[k], scores[0])
        if aucs[k] - aucs[0] > MARGIN * std_error + ROUNDING and aucs[k] > aucs[chosen]:
            chosen = k
    return chosen


def cv_results(candidates: Iterable[tuple[dict[str, Any], CVPath]]) -> dict[str, Any]:
    """All candidates in the shape of scikit-learn's `cv_results_`: a dict of arrays, one entry per candidate."""
    params = []
    aucs = []
    for names, path in candidates:
        aucs.append(path.auc)
        for alpha in path.alphas:
            params.append({**names, "alpha": float(alpha)})
    auc = np.vstack(aucs)
    mean = auc.mean(axis=1)
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        results[f"param_{name}"] = np.array(list(map(itemgetter(name), params)))
    for k, column in enumerate(auc.T):
        results[f"split{k}_test_score"] = column
    results["mean_test_score"] = mean
    results["std_test_score"] = auc.std(axis=1)
    results["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return results
