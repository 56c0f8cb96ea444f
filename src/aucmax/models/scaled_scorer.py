"""`ScaledScorer`: another score, of features standardised as scikit-learn's `StandardScaler` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucmax.models.json_arrays import array_from_json
from aucmax.models.scorer import Scorer, probabilities_of, scorer_from_dict, scorer_to_dict, weights_of
from aucmax.numerics.matrix import is_sparse
from aucmax.tables.json_schema import Schema, check_schema

_SCHEMA: Schema = {"mean": (list, None), "scale": (list, None), "scorer": (dict,)}


@dataclass(frozen=True, eq=False)
class ScaledScorer:
    """The score of (X - mean) / scale.

    Parameters
    ----------
    mean, scale : array of shape (d,) or None
        None to leave the step out.
    scorer : Scorer
        The score of the standardised features.

    Examples
    --------
    >>> from aucmax.models import LinearScorer
    >>> ScaledScorer(np.array([1.0]), np.array([2.0]), LinearScorer([3.0], 0.5))(np.array([[5.0]]))
    array([6.5])
    """

    mean: np.ndarray | None
    scale: np.ndarray | None
    scorer: Scorer

    kind: ClassVar[str] = "scaled"

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes: none, made from a pipeline."""
        return ()

    @classmethod
    def of(cls, estimator: Any) -> ScaledScorer:
        """Not available: a pipeline has two steps.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        """
        raise TypeError(f"{type(estimator).__name__} is not a scaled model")

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.scorer.n_features

    @property
    def weights(self) -> tuple[np.ndarray, float] | None:
        """Weights of the features before they are standardised, and the intercept, if the scorer is linear."""
        inner = weights_of(self.scorer)
        if inner is None:
            return None
        coef = inner[0] if self.scale is None else inner[0] / self.scale
        return coef, inner[1] - (0.0 if self.mean is None else float(self.mean @ coef))

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row."""
        return self.scorer(self._scaled(X))

    def probabilities(self, X: Any) -> np.ndarray | None:
        """The probabilities that the scorer knows itself, if it does.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The features.
        """
        return probabilities_of(self.scorer, self._scaled(X))

    def _scaled(self, X: Any) -> Any:
        if is_sparse(X):
            if self.mean is not None:
                raise ValueError("a sparse matrix cannot be centred, as this model does; give a dense one")
            X = X.copy()
            if self.scale is not None:
                from sklearn.utils.sparsefuncs import inplace_column_scale

                inplace_column_scale(X, 1.0 / self.scale)  # as StandardScaler does
            return X
        X = np.array(X)  # as StandardScaler does: a copy, changed in place, of the same precision
        if self.mean is not None:
            X -= self.mean.astype(X.dtype)
        if self.scale is not None:
            X /= self.scale.astype(X.dtype)
        return X

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""
        return {
            "mean": None if self.mean is None else self.mean.tolist(),
            "scale": None if self.scale is None else self.scale.tolist(),
            "scorer": scorer_to_dict(self.scorer),
        }

    @classmethod
    def from_dict(cls, content: Any) -> ScaledScorer:
        """The scorer that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, _SCHEMA, "the scorer")
        scorer = scorer_from_dict(content["scorer"])
        shape = (scorer.n_features,)
        mean = None if content["mean"] is None else array_from_json(content["mean"], "mean", shape)
        scale = None if content["scale"] is None else array_from_json(content["scale"], "scale", shape)
        if scale is not None and not (scale > 0).all():
            raise ValueError("scale must be positive")
        return cls(mean, scale, scorer)
