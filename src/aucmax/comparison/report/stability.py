"""Whether the ranking holds everywhere: the AUC of every fold, and of every group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from aucmax.comparison.result import Comparison, ComparisonRow
from aucmax.metrics.delong import weighted_auc_interval

__all__ = ["PartAUC", "fold_aucs", "group_aucs"]

MOST_GROUPS = 30


class PartAUC(NamedTuple):
    """The AUC on a part of the rows."""

    name: str
    auc: float
    low: float
    high: float
    rows: int | None  # None if they are not known
    positives: int | None


def fold_aucs(row: ComparisonRow, n_folds: int) -> list[PartAUC]:
    """The AUC of the folds of the first repeat."""
    reach = float(ndtri(0.975))
    return [
        PartAUC(f"fold {k}", auc, max(auc - reach * error, 0.0), min(auc + reach * error, 1.0), None, None)
        for k, (auc, error) in enumerate(zip(row.aucs[:n_folds], row.errors[:n_folds]), 1)
    ]


def group_aucs(comparison: Comparison, name: str, groups: ArrayLike) -> list[PartAUC]:
    """The AUC of every group that has two rows of each class, in order of their names; of many, the largest ones."""
    groups = np.asarray(groups).astype(str)
    if groups.shape != (comparison.n_rows,):
        raise ValueError(f"groups has shape {groups.shape} for {comparison.n_rows} rows; pass one group per row")
    pooled = comparison.pooled[name]
    scores = pooled.row_means(pooled.placements, comparison.n_rows)
    tested = ~np.isnan(scores)
    names, counts = np.unique(groups[tested], return_counts=True)
    largest = np.sort(np.argsort(-counts, kind="stable")[:MOST_GROUPS])
    parts = [_part(comparison, scores, str(group), tested & (groups == group)) for group in names[largest]]
    return [part for part in parts if part is not None]


def _part(comparison: Comparison, scores: np.ndarray, group: str, inside: np.ndarray) -> PartAUC | None:
    is_pos = np.asarray(comparison.labels)[inside]
    weight = None if comparison.weight is None else comparison.weight[inside]
    rare = int(np.bincount(is_pos if weight is None else is_pos[weight > 0], minlength=2).min())
    if rare < 2:
        return None
    auc, low, high, _ = weighted_auc_interval(is_pos > 0, scores[inside], weight)
    return PartAUC(group, auc, low, high, int(inside.sum()), int(is_pos.sum()))
