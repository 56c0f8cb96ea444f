"""`StackScorer`: the blend of a stack, and `MeanScorer`, the mean of the models of folds, to and from JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from aucmax.estimators.cross_fit import CrossFitClassifier
from aucmax.estimators.stacking import AUCStackingClassifier
from aucmax.models.ensemble_scorer import FORESTS, EnsembleScorer
from aucmax.models.json_arrays import array_from_json
from aucmax.models.scorer import Scorer, scorer_from_dict, scorer_of, scorer_to_dict
from aucmax.selection.blending import Blend
from aucmax.tables.json_schema import Schema, check_schema

_SCHEMA: Schema = {"members": (list,), "center": (list,), "scale": (list,), "weights": (list,), "intercept": (float,)}


@dataclass(frozen=True, eq=False)
class StackScorer:
    """The weighted sum of the standardised scores of members, all of positive weight.

    Parameters
    ----------
    members : tuple of Scorer
    blend : Blend
        Means, standard deviations and weights of their scores.
    intercept : float
        Added to every score.

    Examples
    --------
    >>> from aucmax.models import LinearScorer
    >>> members = (LinearScorer([1.0], 0.0), LinearScorer([3.0], 0.0))
    >>> blend = Blend(np.zeros(2), np.array([1.0, 3.0]), np.array([0.5, 0.5]))
    >>> StackScorer(members, blend, 1.0)(np.array([[2.0]]))
    array([3.])
    """

    members: tuple[Scorer, ...]
    blend: Blend
    intercept: float

    kind: ClassVar[str] = "stack"

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes."""
        return (AUCStackingClassifier,)

    @classmethod
    def of(cls, estimator: Any) -> StackScorer:
        """The blend of a fitted stack; members of weight zero are left out.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        """
        used = np.flatnonzero(estimator.weights_)
        names = list(estimator.named_estimators_)
        members = tuple(_member_scorer(names[k], estimator.estimators_[k]) for k in used)
        return cls(members, Blend(*(part[used] for part in estimator.blend_)), float(estimator.intercept_))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.members[0].n_features

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row."""
        return self.blend(np.column_stack([member(X) for member in self.members])) + self.intercept

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""
        blend = {name: part.tolist() for name, part in self.blend._asdict().items()}
        return {"members": [scorer_to_dict(member) for member in self.members], **blend, "intercept": self.intercept}

    @classmethod
    def from_dict(cls, content: Any) -> StackScorer:
        """The scorer that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, _SCHEMA, "the scorer")
        members = _members_from_json(content["members"])
        blend = Blend(*(array_from_json(content[name], name, (len(members),)) for name in Blend._fields))
        if not (blend.scale > 0).all() or not (blend.weights > 0).all():
            raise ValueError("scale and weights of a stack must be positive")
        return cls(members, blend, float(content["intercept"]))


@dataclass(frozen=True, eq=False)
class MeanScorer:
    """The mean of the scores of members.

    Parameters
    ----------
    members : tuple of Scorer

    Examples
    --------
    >>> from aucmax.models import LinearScorer
    >>> MeanScorer((LinearScorer([1.0], 0.0), LinearScorer([3.0], 0.0)))(np.array([[2.0]]))
    array([4.])
    """

    members: tuple[Scorer, ...]

    kind: ClassVar[str] = "mean"

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes."""
        return (CrossFitClassifier,)

    @classmethod
    def of(cls, estimator: Any) -> MeanScorer:
        """The models of the folds.

        Parameters
        ----------
        estimator : estimator
            A fitted one.
        """
        return cls(tuple(_member_scorer("of a fold", model) for model in estimator.estimators_))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.members[0].n_features

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row."""
        return np.mean([member(X) for member in self.members], axis=0)

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""
        return {"members": [scorer_to_dict(member) for member in self.members]}

    @classmethod
    def from_dict(cls, content: Any) -> MeanScorer:
        """The scorer that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, {"members": (list,)}, "the scorer")
        return cls(_members_from_json(content["members"]))


def _member_scorer(name: str, model: Any) -> Scorer:
    """The score of a member, as the stack reads it: probabilities as logits, rankers as they are."""
    if isinstance(model, (*FORESTS, HistGradientBoostingClassifier)):
        return EnsembleScorer.of(model)
    try:
        if hasattr(model, "predict_proba") and not hasattr(model, "oof_scores_"):
            raise TypeError(f"{type(model).__name__} has no scorer")
        return scorer_of(model)
    except TypeError:
        raise TypeError(
            f"member {name!r} of the stack, {type(model).__name__}, cannot be saved as JSON; leave it out, or save "
            "the stack with joblib.dump"
        ) from None


def _members_from_json(content: list[Any]) -> tuple[Scorer, ...]:
    members = tuple(scorer_from_dict(member) for member in content)
    if not members or len({member.n_features for member in members}) > 1:
        raise ValueError("the scorer must have members, all of the same number of features")
    return members
