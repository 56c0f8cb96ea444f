"""`LinearModel`: a fitted linear model without its estimator, with all that scoring needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from aucmax.models.model import (
    SHARED,
    Calibration,
    Model,
    check_shared,
    make_plain,
    shared_from_dict,
    shared_to_dict,
)
from aucmax.numerics import matrix
from aucmax.tables.columns import Columns
from aucmax.tables.json_parts import check_parts, is_number
from aucmax.tables.table import Label

_PARTS = SHARED | {"coef": (list,), "intercept": (float,)}


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """A linear score, and how to get from a table to it and from it to a label.

    Parameters
    ----------
    coef : array of shape (d,)
        Weights of the encoded columns.
    intercept : float
        Added to every score.
    classes : (negative, positive)
        The two labels.
    columns : Columns, optional
        How a table is encoded; None for a model of a matrix.
    feature_names : sequence of str, optional
        Names of the d weights; those of `columns` if not given.
    threshold : float, optional
        The positive label is predicted at scores of at least this; above 0 if not given.
    calibration : Calibration, optional
        From scores to probabilities.
    training : dict
        Plain facts about the fit: rows, positives, alpha, auc, date, ...

    Examples
    --------
    >>> model = LinearModel([1.0, -1.0], 0.5, ("no", "yes"), calibration=Calibration(2.0, 0.0))
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> model.decision_function(X)
    array([ 1.5, -1.5])
    >>> model.predict(X).tolist()
    ['yes', 'no']
    >>> model.predict_proba(X).round(3)
    array([[0.047, 0.953],
           [0.953, 0.047]])
    """

    coef: np.ndarray | Sequence[float]
    intercept: float
    classes: tuple[Label, Label]
    columns: Columns | None = None
    feature_names: Sequence[str] | None = None
    threshold: float | None = None
    calibration: Calibration | None = None
    training: dict[str, Any] = field(default_factory=dict)

    kind: ClassVar[str] = "linear"

    def __post_init__(self) -> None:
        make_plain(self, coef=np.array(self.coef, dtype=float), intercept=float(self.intercept))
        _check(self)

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return len(self.coef)

    def _scores(self, X: Any) -> np.ndarray:
        return matrix.dot(X, np.asarray(self.coef)) + self.intercept

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return shared_to_dict(self) | {"coef": np.asarray(self.coef).tolist(), "intercept": self.intercept}

    @classmethod
    def from_dict(cls, plain: Any) -> LinearModel:
        """What `to_dict` returned, every part of it checked."""
        check_parts(plain, _PARTS, "the model")
        if not all(map(is_number, plain["coef"])):
            raise ValueError("coef must hold finite numbers")
        return cls(plain["coef"], plain["intercept"], **shared_from_dict(plain))


def _check(model: LinearModel) -> None:
    coef = np.asarray(model.coef)
    if coef.ndim != 1 or not coef.size:
        raise ValueError(f"coef must be a list of numbers, not of shape {coef.shape}")
    if not np.isfinite(coef).all() or not np.isfinite(model.intercept):
        raise ValueError("coef, intercept, threshold and calibration must be finite")
    check_shared(model)
