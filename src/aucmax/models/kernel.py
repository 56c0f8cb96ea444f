"""`KernelModel`: a fitted kernel model without its estimator, its landmarks and maps included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from aucmax.kernels import KERNELS
from aucmax.kernels.coordinates import Coordinates, Ranks
from aucmax.kernels.score import KernelScore, Term
from aucmax.models.arrays import numbers, table_from_dict, table_to_dict
from aucmax.models.model import (
    SHARED,
    Calibration,
    Model,
    check_shared,
    make_plain,
    shared_from_dict,
    shared_to_dict,
)
from aucmax.numerics.matrix import alike
from aucmax.tables.columns import Columns
from aucmax.tables.json_parts import check_parts
from aucmax.tables.table import Label

_PARTS = SHARED | {"landmarks": (dict,), "terms": (list,), "intercept": (float,)}
_TERM: dict[str, tuple[type | None, ...]] = {
    "kernel": (str,),
    "weights": (list,),
    "gamma": (float, None),
    "scale": (list, None),
    "ranks": (dict, None),
}


@dataclass(frozen=True, eq=False)
class KernelModel(Model):
    """A kernel score, and how to get from a table to it and from it to a label.

    Parameters
    ----------
    score : KernelScore
        Landmarks in the units of the encoded columns, terms and intercept.
    classes, columns, feature_names, threshold, calibration, training
        As in `LinearModel`.

    Examples
    --------
    >>> term = Term("rbf", np.array([2.0]), gamma=1.0, coordinates=Coordinates(np.ones(1)))
    >>> model = KernelModel(KernelScore(np.array([[0.0]]), (term,), -1.0), ("no", "yes"))
    >>> model.predict(np.array([[0.0], [3.0]])).tolist()
    ['yes', 'no']
    >>> KernelModel.from_dict(model.to_dict()).decision_function(np.array([[0.0]])).tolist()
    [1.0]
    """

    score: KernelScore
    classes: tuple[Label, Label]
    columns: Columns | None = None
    feature_names: Sequence[str] | None = None
    threshold: float | None = None
    calibration: Calibration | None = None
    training: dict[str, Any] = field(default_factory=dict)

    kind: ClassVar[str] = "kernel"

    def __post_init__(self) -> None:
        make_plain(self)
        check_shared(self)

    @property
    def n_features(self) -> int:
        """Number of columns of the landmarks."""
        return self.score.landmarks.shape[1]

    def _scores(self, X: Any) -> np.ndarray:
        return self.score(alike(X, self.score.landmarks))

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return shared_to_dict(self) | {
            "landmarks": table_to_dict(self.score.landmarks),
            "terms": [_term_to_dict(term) for term in self.score.terms],
            "intercept": float(self.score.intercept),
        }

    @classmethod
    def from_dict(cls, plain: Any) -> KernelModel:
        """What `to_dict` returned, every part of it checked."""
        check_parts(plain, _PARTS, "the model")
        landmarks = table_from_dict(plain["landmarks"], "landmarks")
        if not plain["terms"]:
            raise ValueError("the model has no terms")
        terms = tuple(_term_from_dict(term, landmarks.shape) for term in plain["terms"])
        return cls(KernelScore(landmarks, terms, float(plain["intercept"])), **shared_from_dict(plain))


def _term_to_dict(term: Term) -> dict[str, Any]:
    place = term.coordinates
    ranks = None if place is None else place.ranks
    return {
        "kernel": term.kernel,
        "weights": term.weights.tolist(),
        "gamma": None if place is None else float(term.gamma),
        "scale": None if place is None else place.scale.tolist(),
        "ranks": None if ranks is None else {"values": ranks.values.tolist(), "levels": ranks.levels.tolist()},
    }


def _term_from_dict(plain: Any, shape: tuple[int, int]) -> Term:
    check_parts(plain, _TERM, "a term")
    kernel = plain["kernel"]
    if kernel == "linear":
        return Term("linear", numbers(plain["weights"], "weights of a term", (shape[1],)))
    if kernel not in KERNELS:
        raise ValueError(f"unknown kernel {kernel!r}; this aucmax knows {['linear', *KERNELS]}")
    if plain["gamma"] is None or plain["scale"] is None or KERNELS[kernel].ranked != (plain["ranks"] is not None):
        raise ValueError(f"a term of kernel {kernel!r} lacks gamma, scale or ranks, or has ranks for nothing")
    if plain["gamma"] <= 0:
        raise ValueError(f"gamma of a term must be above zero, not {plain['gamma']!r}")
    weights = numbers(plain["weights"], "weights of a term", (shape[0],))
    scale = numbers(plain["scale"], "scale of a term", (shape[1],))
    if not (scale > 0).all():
        raise ValueError("scale of a term must be above zero")
    return Term(kernel, weights, float(plain["gamma"]), Coordinates(scale, _ranks(plain["ranks"], shape[1])))


def _ranks(plain: Any, width: int) -> Ranks | None:
    if plain is None:
        return None
    check_parts(plain, {"values": (list,), "levels": (list,)}, "ranks")
    values, levels = (numbers(plain[name], f"{name} of ranks", (width, None)) for name in ("values", "levels"))
    if values.shape != levels.shape or (np.diff(values) < 0).any() or (np.diff(levels) < 0).any():
        raise ValueError("values and levels of ranks must be of one shape and ascending")
    return Ranks(values, levels)
