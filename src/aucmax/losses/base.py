"""Loss: the interface of all pairwise losses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np


class Plane(NamedTuple):
    """loss(v) >= loss(w) - slack + g.(v - w) for all v, up to the error of g."""

    slack: float
    gradient: np.ndarray  # g
    error: np.ndarray | float  # a bound on the rounding error of every entry of g


class Loss(ABC):
    """A mean over all pairs of a positive and a negative row: non-negative, and convex unless declared otherwise.

    No loss is computed pair by pair. `data` is a `Data` (aucmax.problem.data); its columns are already divided by
    `data.scale`, and a pair of rows i, j has weight r_i r_j. Bounds on rounding errors stand in rounding.py.
    """

    name: ClassVar[str]
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = True  # if False, `near_subgradients` give a tighter certificate than the gradient

    @abstractmethod
    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient, or a subgradient.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        w : array of shape (d,)
            The weights.
        """

    def l1_lower_bound(self, data: Any, w: np.ndarray, l1: float, error: np.ndarray | float = 0.0) -> float:
        """A lower bound on min_w loss(w) + l1 |w|_1: zero, since no loss is negative.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        w : array of shape (d,)
            The weights.
        l1 : float
            The strength of the l1 penalty.
        error : array of shape (d,) or float
            Bounds on the errors of the gradient at w.
        """
        return 0.0

    def unpenalised_excess(self, data: Any, w: np.ndarray) -> float:
        """An upper bound on loss(w) - min loss: the loss itself, since no loss is negative.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        w : array of shape (d,)
            The weights.
        """
        return self.value_and_gradient(data, w)[0]

    def near_subgradients(self, data: Any, w: np.ndarray) -> Iterable[Plane]:
        """Planes below a loss with kinks, for a certificate tighter than that of the subgradient.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        w : array of shape (d,)
            The weights.
        """
        return ()


class SmoothLoss(Loss):
    """A loss with two derivatives, which `newton` can minimise; subclasses implement `at`."""

    @abstractmethod
    def at(self, data: Any, scores: np.ndarray) -> SmoothEvaluation:
        """The loss and its derivatives at given scores of the rows.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        scores : array of shape (n,)
            The scores of the rows.
        """

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w and its gradient.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        w : array of shape (d,)
            The weights.
        """
        evaluation = self.at(data, data.scores(w))
        return evaluation.value, data.combine(evaluation.coefficients())


class SmoothEvaluation(Protocol):
    """A smooth loss at given scores of the rows, with the derivatives that Newton's method needs."""

    @property
    def scores(self) -> np.ndarray:
        """The scores of the rows."""

    @property
    def value(self) -> float:
        """The loss."""

    @property
    def curvature(self) -> float:
        """Mean of the second derivative over all pairs."""

    def coefficients(self) -> np.ndarray:
        """c such that gradient = sum_i c_i x_i."""

    def product(self, u: np.ndarray) -> np.ndarray:
        """h such that Hessian v = sum_i h_i x_i, for u = Xv."""
