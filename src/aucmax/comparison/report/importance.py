"""What matters to a linear model: its largest weights with intervals, and what makes the scores of some rows.

A ranking does not depend on the length of its weights, which tuned penalties change from fold to fold: first they are
scaled to the same length. The folds leave out a K-th of the rows each, so that their weights w_k are those of the
delete-a-group jackknife:

    var(w) = (K - 1) / K sum_k (w_k - mean w)^2,        averaged over the repeats; t with K - 1 degrees of freedom
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from aucmax.comparison.report.choice import choose_model
from aucmax.comparison.report.facts import ExplainedRow, Importance, ReportFacts
from aucmax.comparison.result import Comparison
from aucmax.comparison.weights import column_statistics
from aucmax.numerics.matrix import is_sparse

__all__ = [
    "column_importances",
    "explain_rows",
    "explained_model",
    "explained_row",
    "telling_rows",
    "with_importances",
]

SHOWN = 10  # columns
PARTS = 5  # columns of an explained row


def with_importances(
    comparison: Comparison, facts: ReportFacts | None, X: Any = None, columns: Sequence[str] = ()
) -> ReportFacts:
    """The facts, with the weights of a linear model if they contain no importances and there is such a model.

    With X, three rows are explained as well.
    """
    facts = ReportFacts() if facts is None else facts
    name = explained_model(comparison)
    if facts.importances or name is None:
        return facts
    chosen = choose_model(comparison).row.name
    instead = "" if name == chosen else f", since {chosen} has no weights"
    return replace(
        facts,
        importances=column_importances(comparison, name, columns),
        importance_of=(
            f"The largest weights of {name}{instead}: what one standard deviation of a column adds to its score, "
            "mean of the folds, with 95 % intervals (jackknife of the weights, scaled to the same length)."
        ),
        explained=() if X is None else explain_rows(comparison, name, X, columns),
    )


def explained_model(comparison: Comparison) -> str | None:
    """The chosen model if its weights are known, else the best model whose weights are; None if none are."""
    chosen = choose_model(comparison).row.name
    names = [chosen, *(row.name for row in comparison.rows)]
    return next((name for name in names if name in comparison.weights), None)


def column_importances(comparison: Comparison, name: str, columns: Sequence[str] = ()) -> tuple[Importance, ...]:
    """The ten columns with the largest weights in units of deviations, with intervals by the jackknife.

    Parameters
    ----------
    comparison : Comparison
    name : str
        A model in `comparison.weights`.
    columns : sequence of str
        Names of the columns; numbers from 1 if not given.
    """
    weights = _of_equal_length(comparison.weights[name])
    names = _names(columns, weights.shape[1])
    mean = weights.mean(axis=0)
    n_folds = comparison.n_folds
    repeats = weights.reshape(-1, n_folds, weights.shape[1])
    squares = ((repeats - repeats.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).mean(axis=0)
    reach = stdtrit(n_folds - 1, 0.975) * np.sqrt((n_folds - 1) / n_folds * squares)
    order = np.argsort(-np.abs(mean), kind="stable")[:SHOWN]
    return tuple(
        Importance(names[j], float(mean[j]), float(mean[j] - reach[j]), float(mean[j] + reach[j])) for j in order
    )


def explain_rows(comparison: Comparison, name: str, X: Any, columns: Sequence[str] = ()) -> tuple[ExplainedRow, ...]:
    """Three rows: the positive with the highest score, the negative with the highest, the positive with the lowest.

    A column adds its weight times its distance from the mean, in units of deviations, to the score of a row.
    """
    weights = _of_equal_length(comparison.weights[name]).mean(axis=0)
    names = _names(columns, weights.size)
    mean, deviation = column_statistics(X)
    scale = np.divide(weights, deviation, out=np.zeros(weights.size), where=deviation > 0)
    rows = []
    for what, i in telling_rows(comparison, name):
        values = X[[i]].toarray()[0] if is_sparse(X) else np.asarray(X)[i]
        rows.append(explained_row(i, what, names, scale * (values - mean)))
    return tuple(rows)


def explained_row(index: int, what: str, names: Sequence[str], added: np.ndarray) -> ExplainedRow:
    """A row with the largest of what the columns add to its score."""
    order = np.argsort(-np.abs(added), kind="stable")
    parts = tuple((names[j], float(added[j])) for j in order[:PARTS])
    return ExplainedRow(index + 1, what, parts, float(added[order[PARTS:]].sum()))


def _of_equal_length(weights: np.ndarray) -> np.ndarray:
    """The weights of every fold, scaled to their mean length."""
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    return np.divide(weights, lengths, out=np.zeros_like(weights), where=lengths > 0) * lengths.mean()


def telling_rows(comparison: Comparison, name: str) -> list[tuple[str, int]]:
    """Three rows worth explaining: what they are, and their indices."""
    pooled = comparison.pooled[name]
    scores = pooled.row_means(pooled.standardized, comparison.n_rows)
    is_pos = np.asarray(comparison.labels)
    found = np.flatnonzero(is_pos & ~np.isnan(scores))
    others = np.flatnonzero(~is_pos & ~np.isnan(scores))
    return [
        ("the positive with the highest score", int(found[np.argmax(scores[found])])),
        ("the negative with the highest score, a false alarm", int(others[np.argmax(scores[others])])),
        ("the positive with the lowest score, the hardest to find", int(found[np.argmin(scores[found])])),
    ]


def _names(columns: Sequence[str], n_columns: int) -> list[str]:
    return [str(name) for name in columns] or [f"column {j + 1}" for j in range(n_columns)]
