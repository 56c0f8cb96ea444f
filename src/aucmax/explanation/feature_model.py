"""`FeatureModel`: what an explanation needs to know of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SMOOTH_LOSSES = ("squared", "squared_hinge", "logistic")  # whose weights have a sandwich estimate of their errors


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Weights, and the objective that they minimise if its standard errors are known.

    Parameters
    ----------
    coef : array of shape (d,)
        Weights in the units of the features.
    intercept : float
    l1, l2 : float or None
        The penalty (docs/mathematics.md, section 1); None if it is not known, or for other losses.
    standardize : bool
        Whether the penalty is that of standardised columns.
    loss : str or None
        The pairwise loss, if it is known.
    """

    coef: np.ndarray
    intercept: float
    l1: float | None = None
    l2: float | None = None
    standardize: bool = True
    loss: str | None = None

    @classmethod
    def of(cls, coef: np.ndarray, intercept: float, facts: Mapping[str, Any]) -> LinearFit:
        """From the facts about a fit: its loss, alpha, l1_ratio and standardize, if they are known.

        Parameters
        ----------
        coef : array of shape (d,)
            The weights.
        intercept : float
            The constant of the score.
        facts : mapping
            What is known of the fit.
        """
        alpha, ratio = facts.get("alpha"), facts.get("l1_ratio")
        loss = facts.get("loss")
        if loss not in SMOOTH_LOSSES or alpha is None or ratio is None:
            return cls(coef, intercept, loss=loss if isinstance(loss, str) else None)
        return cls(coef, intercept, alpha * ratio, alpha * (1.0 - ratio), bool(facts.get("standardize", True)), loss)

    @property
    def no_errors(self) -> str:
        """Why there are no standard errors of the weights; empty if there are."""
        if self.l2 is not None:
            return ""
        if self.loss is None or self.loss in SMOOTH_LOSSES:
            return "no standard errors: the loss and the penalty of this model are not known"
        return f"no standard errors: they are known for the losses {', '.join(SMOOTH_LOSSES)}, not for {self.loss}"


@dataclass(frozen=True, eq=False)
class FeatureModel:
    """A model of features, which belong to columns.

    Parameters
    ----------
    score : callable
        The scores of the rows of an array of features.
    encode : callable
        The features, dense or CSR, of rows in the form that the user passes.
    columns : dict of str to list of int
        The features of every column: one, or several if it was one-hot encoded.
    names : sequence of str
        The names of the features.
    linear : LinearFit, optional
        The weights of a linear model.
    """

    score: Callable[[np.ndarray], np.ndarray]
    encode: Callable[[Any], Any]
    columns: dict[str, list[int]]
    names: Sequence[str]
    linear: LinearFit | None = None
