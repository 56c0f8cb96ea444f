"""`HeldOutScores`: scores of training rows by models that had not seen them, from which thresholds are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.models.json_arrays import array_from_json
from aucmax.tables.json_schema import Schema, check_schema

_SCHEMA: Schema = {"scores": (list,), "positive": (list,), "weight": (list, None)}


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Out-of-fold scores or, for a stream, scores that rows had before they were learned.

    Parameters
    ----------
    scores : array of shape (n,)
        On the scale of the model.
    y : array of -1.0 and +1.0
        The classes of the rows.
    weight : array of positive numbers
        Their weights.

    Examples
    --------
    >>> scores = HeldOutScores.of(np.array([0.0, 1.0, 2.0, np.nan]), np.array([-1.0, 1.0, -1.0, 1.0]), np.ones(4))
    >>> scores.scores
    array([0., 1., 2.])
    """

    scores: np.ndarray
    y: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> HeldOutScores:
        """The rows that have a score and a weight.

        Parameters
        ----------
        scores : array of shape (n,)
            The scores; NaN where a row has none.
        y : array of shape (n,)
            The labels, 1 and -1.
        weight : array of shape (n,)
            The weights of the rows.
        """
        seen = ~np.isnan(scores) & (weight > 0)
        return cls(scores[seen], y[seen], weight[seen])

    def to_dict(self) -> dict[str, Any]:
        """The rows as JSON values; weights only if they differ from 1."""
        return {
            "scores": self.scores.tolist(),
            "positive": (self.y > 0).astype(int).tolist(),
            "weight": None if (self.weight == 1.0).all() else self.weight.tolist(),
        }

    @classmethod
    def from_dict(cls, content: Any) -> HeldOutScores:
        """The rows that `to_dict` described, every field validated.

        Parameters
        ----------
        content : dict
            What `to_dict` returned, as read from a file: not trusted.
        """
        check_schema(content, _SCHEMA, "held_out_scores")
        scores = array_from_json(content["scores"], "scores of held_out_scores", (None,))
        positive = array_from_json(content["positive"], "positive of held_out_scores", scores.shape)
        if not np.isin(positive, (0.0, 1.0)).all() or np.unique(positive).size < 2:
            raise ValueError("positive of held_out_scores must hold 0 and 1, and both of them")
        weight = np.ones(scores.size)
        if content["weight"] is not None:
            weight = array_from_json(content["weight"], "weight of held_out_scores", scores.shape)
        if not (weight > 0).all():
            raise ValueError("weight of held_out_scores must be positive")
        return cls(scores, np.where(positive > 0, 1.0, -1.0), weight)
