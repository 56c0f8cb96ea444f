"""The comparison of a single model that is already fitted, from its scores of new rows: it can be reported."""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import ArrayLike

from aucmax.comparison.measures import MeasureIntervals, ScoredFold
from aucmax.comparison.pooled_scores import pool_one_fold
from aucmax.comparison.result import Comparison, ComparisonRow
from aucmax.metrics.delong import weighted_auc_interval

__all__ = ["evaluated_model"]


def evaluated_model(
    name: str,
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    probabilities: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Comparison:
    """A comparison with one row: a model on rows that it was not fitted to.

    Parameters
    ----------
    name : str
        The name of the model.
    labels : array of bool
        Which rows are positive; two of each class at least.
    scores : array
        The score of each row.
    probabilities : array, optional
        The probability of the positive class.
    sample_weight : array, optional
        The weights of the rows.

    Examples
    --------
    >>> result = evaluated_model("mine", [False, False, True, True, True], [0.1, 0.4, 0.3, 0.8, 0.9])
    >>> round(result["mine"].auc, 4), result.n_folds
    (0.8333, 1)
    """
    is_pos = np.asarray(labels, dtype=bool)
    values = np.asarray(scores, dtype=float)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    rows = ScoredFold(np.arange(values.size), is_pos, values, np.ones(values.size) if weight is None else weight)
    return Comparison(
        rows=(_row(name, rows, weight),),
        reference=name,
        rope=0.0,
        n_rows=values.size,
        n_positive=int(is_pos.sum()),
        n_folds=1,
        scores={name: values},
        pooled={name: pool_one_fold(rows)},
        probabilities={} if probabilities is None else {name: np.asarray(probabilities, dtype=float)},
        labels=is_pos,
        weight=weight,
    )


def _row(name: str, rows: ScoredFold, weight: np.ndarray | None) -> ComparisonRow:
    """The AUC with its interval; nothing is known of the fit."""
    rare = int(np.bincount(rows.is_pos[rows.weight > 0], minlength=2).min())
    if rare < 2:
        raise ValueError(f"a class has {rare} rows; a report needs two of each, for its intervals")
    auc, low, high, error = weighted_auc_interval(rows.is_pos, rows.scores, weight)
    return ComparisonRow(
        name=name,
        auc=auc,
        low=low,
        high=high,
        sd=0.0,
        train_auc=nan,
        measures=MeasureIntervals([rows], rows.scores.size),
        fit_seconds=nan,
        score_seconds=nan,
        nonzeros=None,
        tuned="no",
        converged=True,
        edges=(),
        aucs=(auc,),
        errors=(error,),
    )
