"""`explain_features`: the importance of the columns of a model on labelled or unlabelled rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from aucmax.explanation.contributions import linear_contributions, sampled_contributions
from aucmax.explanation.correlated_groups import correlated_groups
from aucmax.explanation.feature_model import FeatureModel
from aucmax.explanation.permutation import permutation_losses
from aucmax.explanation.result import ColumnImportance, Contributions, Explanation
from aucmax.explanation.weight_errors import column_deviations, column_errors
from aucmax.numerics.matrix import dense
from aucmax.validation.inputs import LabeledData

NORMAL = 1.959963984540054  # two-sided 5 % point of the normal distribution
LARGEST = 10**8  # numbers in a table that is made dense
MOST_FEATURES = 2000  # for which standard errors and correlations are computed
BACKGROUND = 50  # rows that the contributions to a nonlinear score are measured from


def explain_features(
    model: FeatureModel,
    X: Any,
    y: np.ndarray | None,
    weight: np.ndarray,
    *,
    n_repeats: int = 10,
    max_rows: int = 5000,
    seed: int = 0,
) -> Explanation:
    """The columns of a model by importance, on rows of features with labels -1/+1, or without labels.

    A linear model is explained by its weights, with standard errors if there are labels and its loss is
    squared, squared hinge or logistic.
    Other models are explained by permutation importance, which needs labels, on at most `max_rows` rows.

    Parameters
    ----------
    model : FeatureModel
        What scores the features.
    X : array or sparse matrix of shape (n, d)
    y : array of -1 and +1, or None
    weight : array of shape (n,)
    n_repeats : int
        How often each column is shuffled, in models that are not linear.
    max_rows : int
        Most rows on which columns are shuffled.
    seed : int
        Random seed.
    """
    rng = np.random.default_rng(seed)
    if model.linear is None:
        X, y, weight = _subsample(X, y, weight, max_rows, rng)
    if X.shape[0] * X.shape[1] > LARGEST:
        raise ValueError(f"a table of shape {X.shape} is too large to explain; pass fewer rows")
    X = np.ascontiguousarray(dense(X), dtype=float)
    if model.linear is not None:
        found = _by_weight(model, X, y, weight)
        kind = "weight"
    else:
        found = _by_permutation(model, X, y, weight, n_repeats, rng)
        kind = "permutation"
    columns = tuple(sorted(found, key=lambda column: -column.importance))
    groups = correlated_groups(X, model.columns, model.names) if X.shape[1] <= MOST_FEATURES else ()
    names = tuple(column.name for column in columns)
    explain_rows = partial(_contributions, model, _background(model, X, weight, rng), names, seed)
    return Explanation(columns, kind, groups, X.shape[0], explain_rows, _note(model, X, y))


def _subsample(X: Any, y: Any, weight: np.ndarray, max_rows: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """At most that many rows, with at least two of each class that has them."""
    if y is None:
        raise ValueError("the importance of a column in a model that is not linear is a loss of AUC; it needs labels")
    if y.size <= max_rows:
        return X, y, weight
    order = rng.permutation(y.size)
    chosen = np.concatenate([order[:max_rows], *(order[y[order] == side][: max_rows // 10] for side in (1.0, -1.0))])
    rows = np.unique(chosen)
    return X[rows], y[rows], weight[rows]


def _by_weight(model: FeatureModel, X: np.ndarray, y: Any, weight: np.ndarray) -> list[ColumnImportance]:
    fit = model.linear
    assert fit is not None
    share = weight / weight.sum()
    deviations = column_deviations(X, share, fit.coef, model.columns)
    errors: list[float | None] = [None] * deviations.size
    if y is not None and fit.l2 is not None and X.shape[1] <= MOST_FEATURES:
        errors = column_errors(X, y, weight, fit, model.columns).tolist()
    signs = [np.sign(fit.coef[features[0]]) if len(features) == 1 else None for features in model.columns.values()]
    return [_importance(*cells) for cells in zip(model.columns, deviations.tolist(), errors, signs)]


def _note(model: FeatureModel, X: np.ndarray, y: np.ndarray | None) -> str:
    """Why the weights of a linear model have no standard errors; empty if they do."""
    if model.linear is None:
        return ""
    if X.shape[1] > MOST_FEATURES:
        return f"no standard errors: {X.shape[1]} features are more than {MOST_FEATURES}"
    return "no standard errors: they need labels" if y is None else model.linear.no_errors


def _by_permutation(
    model: FeatureModel, X: np.ndarray, y: Any, weight: np.ndarray, n_repeats: int, rng: np.random.Generator
) -> list[ColumnImportance]:
    losses, errors = permutation_losses(model.score, LabeledData(X, y, weight), model.columns, n_repeats, rng)
    return [
        _importance(name, float(loss), float(error), None, lowest=-np.inf)
        for name, loss, error in zip(model.columns, losses, errors)
    ]


def _importance(
    name: str, value: float, error: float | None, sign: float | None, *, lowest: float = 0.0
) -> ColumnImportance:
    direction = None if sign is None else float(sign * value)
    if error is None:
        return ColumnImportance(name, value, direction=direction)
    low = max(value - NORMAL * error, lowest)
    return ColumnImportance(name, value, error, low, value + NORMAL * error, direction)


def _background(model: FeatureModel, X: np.ndarray, weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What contributions are measured from: the mean row for a linear model, else some rows."""
    if model.linear is not None:
        return (weight / weight.sum() @ X)[None, :]
    return X[rng.permutation(X.shape[0])[:BACKGROUND]]


def _contributions(
    model: FeatureModel, background: np.ndarray, names: tuple[str, ...], seed: int, rows: Any
) -> Contributions:
    """The contributions of the named columns to the scores of rows."""
    X = np.ascontiguousarray(dense(model.encode(rows)), dtype=float)
    columns = [model.columns[name] for name in names]
    if model.linear is not None:
        fit = model.linear
        values = linear_contributions(X, background[0], fit.coef, columns)
        return Contributions(names, values, float(background[0] @ fit.coef + fit.intercept))
    values = sampled_contributions(model.score, X, background, columns, np.random.default_rng(seed))
    return Contributions(names, values, float(model.score(background).mean()))
