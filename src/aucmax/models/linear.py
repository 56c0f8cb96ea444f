"""`LinearModel`: a fitted linear model without its estimator, with all that scoring needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import expit

from aucmax import rows
from aucmax.files.columns import Columns
from aucmax.files.json_parts import check_parts, is_number
from aucmax.files.table import Label, Table

_PARTS: dict[str, tuple[type | None, ...]] = {
    "columns": (dict, None),
    "feature_names": (list, None),
    "classes": (list,),
    "coef": (list,),
    "intercept": (float,),
    "threshold": (float, None),
    "calibration": (dict, None),
    "training": (dict,),
}


class Calibration(NamedTuple):
    """The probability of the positive class is expit(slope * score + intercept)."""

    slope: float
    intercept: float


@dataclass(frozen=True, eq=False)
class LinearModel:
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
        names = self.feature_names
        if names is None and self.columns is not None:
            names = self.columns.names
        plain = {
            "coef": np.array(self.coef, dtype=float),
            "intercept": float(self.intercept),
            "classes": tuple(label.item() if isinstance(label, np.generic) else label for label in self.classes),
            "feature_names": None if names is None else tuple(str(name) for name in names),
            "threshold": None if self.threshold is None else float(self.threshold),
            "calibration": None if self.calibration is None else Calibration(*map(float, self.calibration)),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        _check(self)

    def features(self, table: Table) -> Any:
        """The matrix of a table, encoded as in training."""
        return table.matrix(len(self.coef)) if self.columns is None else self.columns.encode(table)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of every row of X: the larger, the more likely positive."""
        if X.shape[1] != len(self.coef):
            raise ValueError(f"X has {X.shape[1]} columns, the model has {len(self.coef)}")
        return rows.dot(X, np.asarray(self.coef)) + self.intercept

    def predict(self, X: Any) -> np.ndarray:
        """The label of every row of X."""
        scores = self.decision_function(X)
        positive = scores > 0 if self.threshold is None else scores >= self.threshold
        return np.array(self.classes)[positive.astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the negative and the positive label; only a calibrated model has them."""
        if self.calibration is None:
            raise ValueError("the model is not calibrated, so it has scores but no probabilities")
        odds = self.calibration.slope * self.decision_function(X) + self.calibration.intercept
        return np.column_stack([expit(-odds), expit(odds)])

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return {
            "columns": None if self.columns is None else self.columns.to_dict(),
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "classes": list(self.classes),
            "coef": np.asarray(self.coef).tolist(),
            "intercept": self.intercept,
            "threshold": self.threshold,
            "calibration": None if self.calibration is None else self.calibration._asdict(),
            "training": dict(self.training),
        }

    @classmethod
    def from_dict(cls, plain: Any) -> LinearModel:
        """What `to_dict` returned, every part of it checked."""
        check_parts(plain, _PARTS, "the model")
        if not all(map(is_number, plain["coef"])):
            raise ValueError("coef must hold finite numbers")
        if not all(isinstance(name, str) for name in plain["feature_names"] or ()):
            raise ValueError("feature_names must hold texts")
        columns, calibration = plain["columns"], plain["calibration"]
        if calibration is not None:
            check_parts(calibration, {"slope": (float,), "intercept": (float,)}, "calibration")
        parts = {
            "columns": None if columns is None else Columns.from_dict(columns),
            "calibration": None if calibration is None else Calibration(**calibration),
        }
        return cls(**plain | parts)


def _check(model: LinearModel) -> None:
    coef, names = np.asarray(model.coef), model.feature_names
    others = [model.intercept, model.threshold or 0.0, *(model.calibration or ())]
    if coef.ndim != 1 or not coef.size:
        raise ValueError(f"coef must be a list of numbers, not of shape {coef.shape}")
    if not np.isfinite(coef).all() or not np.isfinite(others).all():
        raise ValueError("coef, intercept, threshold and calibration must be finite")
    if names is not None and len(names) != coef.size:
        raise ValueError(f"there are {len(names)} feature names, but {coef.size} coefficients")
    if model.columns is not None and len(model.columns.names) != coef.size:
        raise ValueError(f"the columns give {len(model.columns.names)} features, but coef has {coef.size}")
    _check_classes(model.classes)


def _check_classes(classes: tuple[Any, ...]) -> None:
    texts = [isinstance(label, str) for label in classes]
    if not all(isinstance(label, bool | str) or is_number(label) for label in classes):
        raise ValueError(f"classes must be texts, numbers or truth values, not {classes!r}")
    if len(classes) != 2 or classes[0] == classes[1] or texts[0] != texts[1]:
        raise ValueError(f"classes must be two labels of one type that differ, not {classes!r}")
