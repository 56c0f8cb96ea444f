"""`Scorer`: a score of the features, to and from JSON, and the registry of the kinds of scorers.

To add a kind, write a class with the members of `Scorer` and list it in `SCORERS`.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar, Protocol

import numpy as np


class Scorer(Protocol):
    """A score of the features, to and from JSON."""

    kind: ClassVar[str]

    @staticmethod
    def estimators() -> tuple[type, ...]:
        """The estimators that `of` takes; a method, since scoring should not import them."""

    @classmethod
    def of(cls, estimator: Any) -> Scorer:
        """The score of a fitted estimator."""

    @property
    def n_features(self) -> int:
        """Number of features."""

    # Optional are `weights`, (coef, intercept) of a linear score, and `probabilities(X)` that do not follow from it.

    def __call__(self, X: Any) -> np.ndarray:
        """The score of every row of a dense or CSR matrix."""

    def to_dict(self) -> dict[str, Any]:
        """The scorer as JSON values."""

    @classmethod
    def from_dict(cls, content: Any) -> Scorer:
        """The scorer that `to_dict` described, every field validated."""


SCORERS = {
    "linear": "linear_scorer.LinearScorer",
    "kernel": "kernel_scorer.KernelScorer",
    "tree": "tree_scorer.TreeScorer",
    "scaled": "scaled_scorer.ScaledScorer",
    "ensemble": "ensemble_scorer.EnsembleScorer",
    "stack": "stack_scorer.StackScorer",
    "mean": "stack_scorer.MeanScorer",
}  # by kind: the file of `models` and the class, which is imported when it is needed


def scorer_class(kind: str) -> type[Scorer]:
    """The class of a kind of scorer.

    Examples
    --------
    >>> scorer_class("linear").kind
    'linear'
    """
    module, name = SCORERS[kind].split(".")
    return getattr(importlib.import_module(f"aucmax.models.{module}"), name)


def scorer_of(estimator: Any) -> Scorer:
    """The score of a fitted estimator, of whatever kind."""
    from sklearn.utils.validation import check_is_fitted

    for scorer in map(scorer_class, SCORERS):
        if isinstance(estimator, scorer.estimators()):
            check_is_fitted(estimator)
            return scorer.of(estimator)
    raise TypeError(
        f"{type(estimator).__name__} cannot be saved as JSON; aucmax.save takes {_savable()}, and pipelines of "
        "TableEncoder or StandardScaler with one of them; for other models use pickle"
    )


def _savable() -> list[str]:
    """The names of the estimators that have a scorer."""
    kinds = [kind for scorer in map(scorer_class, SCORERS) for kind in scorer.estimators()]
    return sorted(each.__name__ for kind in kinds for each in (kind.__subclasses__() or [kind]))


def probabilities_of(scorer: Scorer, X: Any) -> np.ndarray | None:
    """Probabilities that a scorer knows itself, as that of a tree does; None if they follow from the score."""
    own = getattr(scorer, "probabilities", None)
    return None if own is None else own(X)


def weights_of(scorer: Scorer) -> tuple[np.ndarray, float] | None:
    """Weights and intercept of a scorer that is linear in the features; None if it is not."""
    return getattr(scorer, "weights", None)


def scorer_to_dict(scorer: Scorer) -> dict[str, Any]:
    """A scorer with its kind, as JSON values."""
    return {"kind": scorer.kind, **scorer.to_dict()}


def scorer_from_dict(content: Any) -> Scorer:
    """The scorer that `scorer_to_dict` described, every field validated."""
    if not isinstance(content, dict):
        raise ValueError("the scorer must be an object")
    fields = dict(content)
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in SCORERS:
        raise ValueError(f"unknown kind of scorer {kind!r}; this version of aucmax has {list(SCORERS)}")
    return scorer_class(kind).from_dict(fields)
