"""The choice of alpha by leave-pair-out AUC: the squared loss with an L2 penalty, in closed form.

The columns are scaled once, by all rows. A "fold" is a row of the rarer class: its AUC is the share of the other
class that is ranked correctly against it, by models that have seen neither row; their mean is the leave-pair-out AUC.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucmax.losses import Squared
from aucmax.metrics.leave_pair_out import leave_pair_out
from aucmax.numerics.matrix import is_sparse
from aucmax.selection.cross_validation import CVPath, PathSettings, certified_solver, make_alphas, training_data
from aucmax.validation.inputs import LabeledData

LEAVE_PAIR_OUT = "leave_pair_out"


def leave_pair_out_path(table: LabeledData, settings: PathSettings) -> CVPath:
    """Rank every pair by the model without it, for all alphas."""
    _check_supported(table, settings)
    loss = Squared()
    solver = certified_solver(table.X, loss)
    kept = np.flatnonzero(table.weight > 0)
    rows = table.weighted()
    data = training_data(rows, settings)
    alphas = make_alphas(settings, data)
    if alphas[-1] == 0.0:
        raise ValueError(f"alphas={settings.alphas!r} with cv={LEAVE_PAIR_OUT!r}; give numbers above 0")
    X: Any = data.X.toarray() if is_sparse(data.X) else data.X
    is_pos = rows.y > 0
    results = list(leave_pair_out(X / data.scale, is_pos, alphas))
    rarer = "pos" if 2 * is_pos.sum() <= is_pos.size else "neg"
    auc = np.array([getattr(shares, rarer) for shares in results])
    scores = np.array([shares.scores for shares in results])
    return CVPath(loss, solver, data, alphas, auc, [(kept, kept)], [scores])


def _check_supported(table: LabeledData, settings: PathSettings) -> None:
    """Refuse what has no closed form."""
    if settings.l1_ratio > 0:
        raise ValueError(f"l1_ratio={settings.l1_ratio} with cv={LEAVE_PAIR_OUT!r}, which needs an L2 penalty; use 0")
    weights = table.weight[table.weight > 0]
    if np.ptp(weights) > 0:
        raise ValueError(
            f"sample_weight from {weights.min():g} to {weights.max():g} with cv={LEAVE_PAIR_OUT!r}, which supports "
            "none but 0 and 1; use folds (cv=5), or repeat rows"
        )
