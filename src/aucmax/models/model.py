"""What all kinds of models share: how to get from a table to scores and from scores to labels, and their JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from aucmax.tables.columns import Columns
from aucmax.tables.json_parts import check_parts, is_number
from aucmax.tables.table import Label, Table

SHARED: dict[str, tuple[type | None, ...]] = {
    "columns": (dict, None),
    "feature_names": (list, None),
    "classes": (list,),
    "threshold": (float, None),
    "calibration": (dict, None),
    "training": (dict,),
}
# What `training` may hold that is used again: the target of a table, and where the indices of a libsvm file start.
_USED: dict[str, tuple[type | None, ...]] = {"target": (str, None), "zero_based": (bool, None)}


class Calibration(NamedTuple):
    """The probability of the positive class is expit(slope * score + intercept)."""

    slope: float
    intercept: float


class Model(ABC):
    """A score of encoded columns; a kind is a frozen dataclass with these fields, a score and its JSON."""

    kind: ClassVar[str]

    classes: tuple[Label, Label]
    columns: Columns | None
    feature_names: Sequence[str] | None
    threshold: float | None
    calibration: Calibration | None
    training: dict[str, Any]

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of encoded columns."""

    @abstractmethod
    def _scores(self, X: Any) -> np.ndarray:
        """The score of every row, the width of X being right."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""

    @classmethod
    @abstractmethod
    def from_dict(cls, plain: Any) -> Model:
        """What `to_dict` returned, every part of it checked."""

    def features(self, table: Table) -> Any:
        """The matrix of a table, encoded as in training."""
        return table.matrix(self.n_features) if self.columns is None else self.columns.encode(table)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of every row of X: the larger, the more likely positive.

        Columns are found by name if X and the model have names, else by place.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # told below
            scores = self._scores(self._checked(X))
        finite = np.isfinite(scores)
        if not finite.all():
            row = int(finite.argmin()) + 1
            raise ValueError(f"the score of row {row} is not finite; are there NaN, infinite or huge values in it?")
        return scores

    def _checked(self, X: Any) -> Any:
        """X as dense or CSR rows of numbers, its columns those of the model."""
        if type(X) is np.ndarray and X.shape[1:] == (self.n_features,) and X.dtype in (np.float64, np.float32):
            return X  # without the time that checks take, which for one row is most of it
        table = BaseEstimator()  # takes the names of any kind of table
        settings = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_min_samples": 0}
        X = validate_data(table, X, ensure_all_finite=False, **settings)
        names = getattr(table, "feature_names_in_", None)
        if names is not None and self.feature_names is not None:
            place = {name: j for j, name in enumerate(names)}
            absent = [name for name in self.feature_names if name not in place]
            if absent:
                raise ValueError(f"X lacks the columns {absent[:20]}; it has {list(place)[:20]}")
            X = X[:, [place[name] for name in self.feature_names]]
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} columns, the model has {self.n_features}")
        return X

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


def make_plain(model: Model, **more: Any) -> None:
    """Turn what estimators hold into plain values, in a frozen dataclass that is being made."""
    names = model.feature_names
    if names is None and model.columns is not None:
        names = model.columns.names
    plain = {
        "classes": tuple(label.item() if isinstance(label, np.generic) else label for label in model.classes),
        "feature_names": None if names is None else tuple(str(name) for name in names),
        "threshold": None if model.threshold is None else float(model.threshold),
        "calibration": None if model.calibration is None else Calibration(*map(float, model.calibration)),
    }
    for name, value in (plain | more).items():
        object.__setattr__(model, name, value)


def check_shared(model: Model) -> None:
    """Refuse numbers that are not finite, names that do not fit, and labels that are not two."""
    names, width = model.feature_names, model.n_features
    if not np.isfinite([model.threshold or 0.0, *(model.calibration or ())]).all():
        raise ValueError("coef, intercept, threshold and calibration must be finite")
    if names is not None and len(names) != width:
        raise ValueError(f"there are {len(names)} feature names, but {width} coefficients")
    if model.columns is not None and len(model.columns.names) != width:
        raise ValueError(f"the columns give {len(model.columns.names)} features, but coef has {width}")
    _check_classes(model.classes)
    _check_training(model.training)


def shared_to_dict(model: Model) -> dict[str, Any]:
    """The shared parts as plain JSON values."""
    return {
        "columns": None if model.columns is None else model.columns.to_dict(),
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "classes": list(model.classes),
        "threshold": model.threshold,
        "calibration": None if model.calibration is None else model.calibration._asdict(),
        "training": dict(model.training),
    }


def shared_from_dict(plain: dict[str, Any]) -> dict[str, Any]:
    """What `shared_to_dict` returned, checked, as arguments of a kind of model."""
    if not all(isinstance(name, str) for name in plain["feature_names"] or ()):
        raise ValueError("feature_names must hold texts")
    _check_training(plain["training"])
    columns, calibration = plain["columns"], plain["calibration"]
    if calibration is not None:
        check_parts(calibration, {"slope": (float,), "intercept": (float,)}, "calibration")
    return {name: plain[name] for name in SHARED} | {
        "columns": None if columns is None else Columns.from_dict(columns),
        "calibration": None if calibration is None else Calibration(**calibration),
    }


def _check_training(training: dict[str, Any]) -> None:
    """Refuse facts of a kind that cannot be used again."""
    check_parts({name: training.get(name) for name in _USED}, _USED, "training")


def _check_classes(classes: tuple[Any, ...]) -> None:
    texts = [isinstance(label, str) for label in classes]
    if not all(isinstance(label, bool | str) or is_number(label) for label in classes):
        raise ValueError(f"classes must be texts, numbers or truth values, not {classes!r}")
    if len(classes) != 2 or classes[0] == classes[1] or texts[0] != texts[1]:
        raise ValueError(f"classes must be two labels of one type that differ, not {classes!r}")
