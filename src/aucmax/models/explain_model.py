"""`explain`: the columns that matter to an estimator, a pipeline or a loaded model."""

from __future__ import annotations

from typing import Any

from aucmax.explanation import Explanation
from aucmax.models.from_estimator import saved_model
from aucmax.models.savedmodel import SavedModel


def explain(model: Any, X: Any, y: Any = None, **settings: Any) -> Explanation:
    """Which columns matter to a model, and what each adds to the score of a row.

    Parameters
    ----------
    model : estimator, Pipeline or SavedModel
        Anything that `aucmax.save` takes.
    X, y, **settings
        As for `AUCClassifier.explain`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import AUCClassifier, explain
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> found = explain(AUCClassifier().fit(X, y), X, y)
    >>> found.columns[0].name
    'radius error'
    >>> rows = found.contributions(X[:2])
    >>> rows.values.shape
    (2, 30)
    """
    known = model if isinstance(model, SavedModel) else saved_model(model, held_out_scores=False)
    return known.explain(X, y, **settings)
