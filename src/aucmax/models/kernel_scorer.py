"""`KernelScorer`: a kernel score with its landmarks, to and from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.kernels.functions import KERNELS, Coordinates
from aucmax.kernels.nystroem import KernelScore, Term
from aucmax.models.json_arrays import array_from_json, matrix_from_json, matrix_to_json
from aucmax.numerics.matrix import alike
from aucmax.numerics.sparse_structure import canonical, check_structure
from aucmax.tables.json_schema import Schema, check_schema

_SCHEMA: Schema = {"landmarks": (dict,), "terms": (list,), "intercept": (float,)}
_TERM: Schema = {
    "kernel": (str,),
    "weights": (list,),
    "gamma": (float, None),
    "scale": (list, None),
    "ranks": (dict, None),
}
_RANKS: Schema = {"values": (list,), "levels": (list,)}


@dataclass(frozen=True, eq=False)
class KernelScorer:
    """A kernel score.

    Parameters
    ----------
    score : KernelScore
        Landmarks in the units of the features, terms and intercept.

    Examples
    --------
    >>> term = Term("rbf", np.array([2.0]), gamma=1.0, coordinates=Coordinates(np.ones(1)))
    >>> scorer = KernelScorer(KernelScore(np.array([[0.0]]), (term,), -1.0))
    >>> KernelScorer.from_dict(scorer.to_dict())(np.array([[0.0]])).tolist()
    [1.0]
    """

    score: KernelScore

    kind: ClassVar[str] = "kernel"

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes."""
        return (KernelAUCClassifier,)

    @classmethod
    def of(cls, estimator: Any) -> KernelScorer:
        """The score of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        """
        return cls(estimator.score_)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.score.landmarks.shape[1]

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row."""
        return self.score(alike(canonical(check_structure(X)), self.score.landmarks))

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""
        return {
            "landmarks": matrix_to_json(self.score.landmarks),
            "terms": [_term_to_dict(term) for term in self.score.terms],
            "intercept": float(self.score.intercept),
        }

    @classmethod
    def from_dict(cls, content: Any) -> KernelScorer:
        """The scorer that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, _SCHEMA, "the scorer")
        landmarks = matrix_from_json(content["landmarks"], "landmarks")
        if not content["terms"]:
            raise ValueError("the scorer has no terms")
        terms = tuple(_term_from_dict(term, landmarks.shape) for term in content["terms"])
        return cls(KernelScore(landmarks, terms, float(content["intercept"])))


def _term_to_dict(term: Term) -> dict[str, Any]:
    coordinates = term.coordinates
    ranks = None
    if coordinates is not None and coordinates.values is not None and coordinates.levels is not None:
        ranks = {"values": coordinates.values.tolist(), "levels": coordinates.levels.tolist()}
    return {
        "kernel": term.kernel,
        "weights": term.weights.tolist(),
        "gamma": None if coordinates is None else float(term.gamma),
        "scale": None if coordinates is None else coordinates.scale.tolist(),
        "ranks": ranks,
    }


def _term_from_dict(content: Any, shape: tuple[int, int]) -> Term:
    """A term of a score with landmarks of that shape."""
    check_schema(content, _TERM, "a term")
    n_landmarks, n_features = shape
    kernel = content["kernel"]
    if kernel == "linear":
        return Term("linear", array_from_json(content["weights"], "weights of a term", (n_features,)))
    _check_kernel_term(content)
    weights = array_from_json(content["weights"], "weights of a term", (n_landmarks,))
    scale = array_from_json(content["scale"], "scale of a term", (n_features,))
    if not (scale > 0).all():
        raise ValueError("scale of a term must be positive")
    ranks = () if content["ranks"] is None else _ranks_from_dict(content["ranks"], n_features)
    return Term(kernel, weights, float(content["gamma"]), Coordinates(scale, *ranks))


def _check_kernel_term(content: dict[str, Any]) -> None:
    """Refuse unknown kernels, and terms without what their kernel needs."""
    kernel = content["kernel"]
    if kernel not in KERNELS:
        raise ValueError(f"unknown kernel {kernel!r}; this version of aucmax has {['linear', *KERNELS]}")
    if content["gamma"] is None or content["scale"] is None:
        raise ValueError(f"a term of kernel {kernel!r} lacks gamma or scale")
    if KERNELS[kernel].ranked != (content["ranks"] is not None):
        raise ValueError(f"a term of kernel {kernel!r} lacks ranks, or has ranks that it does not use")
    if content["gamma"] <= 0:
        raise ValueError(f"gamma of a term must be positive, not {content['gamma']!r}")


def _ranks_from_dict(content: Any, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """The values and levels of ranks, validated."""
    check_schema(content, _RANKS, "ranks")
    values = array_from_json(content["values"], "values of ranks", (n_features, None))
    levels = array_from_json(content["levels"], "levels of ranks", (n_features, None))
    if values.shape != levels.shape or (np.diff(values) < 0).any() or (np.diff(levels) < 0).any():
        raise ValueError("values and levels of ranks must have the same shape and be ascending")
    return values, levels
