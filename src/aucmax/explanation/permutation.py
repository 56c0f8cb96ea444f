"""Permutation importance: how much AUC is lost when the values of a column are shuffled among the rows.

    Breiman. "Random Forests." Machine Learning 2001.

The variance of the mean loss over repeats is DeLong's variance of the mean difference of the two AUCs, over new rows,
plus that of the repeats themselves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aucmax.metrics import auc_influence, roc_auc
from aucmax.validation.inputs import LabeledData


def permutation_losses(
    score: Callable[[np.ndarray], np.ndarray],
    rows: LabeledData,
    columns: dict[str, list[int]],
    n_repeats: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean loss of AUC of every column, and its standard error."""
    X, y, weight = rows
    scores = score(X)
    auc = roc_auc(y, scores, sample_weight=weight)
    influence = auc_influence(y, scores, sample_weight=weight)
    losses = np.empty((len(columns), n_repeats))
    errors = np.empty(len(columns))
    orders = [rng.permutation(y.size) for _ in range(n_repeats)]
    for k, features in enumerate(columns.values()):
        mean_influence = np.zeros(y.size)
        for repeat, order in enumerate(orders):
            shuffled = X.copy()
            shuffled[:, features] = X[order][:, features]
            other = score(shuffled)
            losses[k, repeat] = auc - roc_auc(y, other, sample_weight=weight)
            mean_influence += (influence - auc_influence(y, other, sample_weight=weight)) / n_repeats
        of_repeats = losses[k].var(ddof=1) / n_repeats if n_repeats > 1 else 0.0
        errors[k] = np.sqrt(mean_influence @ mean_influence + of_repeats)
    return losses.mean(axis=1), errors
