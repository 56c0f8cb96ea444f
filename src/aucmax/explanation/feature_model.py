"""`FeatureModel`: what an explanation needs to know of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Weights, and the objective that they minimise if it is the squared loss.

    Parameters
    ----------
    coef : array of shape (d,)
        Weights in the units of the features.
    intercept : float
    l1, l2 : float or None
        The penalty (docs/mathematics.md, section 1); None for another loss, of which standard errors are unknown.
    standardize : bool
        Whether the penalty is that of standardised columns.
    """

    coef: np.ndarray
    intercept: float
    l1: float | None = None
    l2: float | None = None
    standardize: bool = True

    @classmethod
    def of(cls, coef: np.ndarray, intercept: float, facts: Mapping[str, Any]) -> LinearFit:
        """From the facts about a fit: its loss, alpha, l1_ratio and standardize, if they are known."""
        alpha, ratio = facts.get("alpha"), facts.get("l1_ratio")
        if facts.get("loss") != "squared" or alpha is None or ratio is None:
            return cls(coef, intercept)
        return cls(coef, intercept, alpha * ratio, alpha * (1.0 - ratio), bool(facts.get("standardize", True)))


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
