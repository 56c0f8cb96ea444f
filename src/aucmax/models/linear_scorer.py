"""`LinearScorer`: the score coef.x + intercept, to and from JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucmax.numerics.matrix import linear_scores
from aucmax.numerics.sparse_structure import canonical, check_structure
from aucmax.tables.json_schema import Schema, check_schema, is_finite_number

_SCHEMA: Schema = {"coef": (list,), "intercept": (float,)}


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """A linear score.

    Parameters
    ----------
    coef : array of shape (d,)
        Weights of the features.
    intercept : float
        Added to every score.

    Examples
    --------
    >>> LinearScorer([1.0, -1.0], 0.5)(np.array([[1.0, 0.0], [0.0, 2.0]]))
    array([ 1.5, -1.5])
    """

    coef: np.ndarray | Sequence[float]
    intercept: float

    kind: ClassVar[str] = "linear"

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes."""
        from aucmax.estimators.base import LinearRanker

        return (LinearRanker,)

    @classmethod
    def of(cls, estimator: Any) -> LinearScorer:
        """The weights of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        """
        return cls(estimator.coef_[0], estimator.intercept_[0])

    def __post_init__(self) -> None:
        coef = np.array(self.coef, dtype=float)
        if coef.ndim != 1 or not coef.size:
            raise ValueError(f"coef must be a list of numbers, not of shape {coef.shape}")
        if not np.isfinite(coef).all() or not np.isfinite(self.intercept):
            raise ValueError("coef and intercept must be finite")
        object.__setattr__(self, "coef", coef)
        object.__setattr__(self, "intercept", float(self.intercept))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.coef)

    @property
    def weights(self) -> tuple[np.ndarray, float]:
        """Weights of the features, and the intercept."""
        return np.asarray(self.coef), self.intercept

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row."""
        return linear_scores(canonical(check_structure(X)), np.asarray(self.coef)) + self.intercept

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""
        return {"coef": np.asarray(self.coef).tolist(), "intercept": self.intercept}

    @classmethod
    def from_dict(cls, content: Any) -> LinearScorer:
        """The scorer that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, _SCHEMA, "the scorer")
        if not all(map(is_finite_number, content["coef"])):
            raise ValueError("coef must hold finite numbers")
        return cls(content["coef"], content["intercept"])
