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

    def l1_lower_bound(self, data: Any, w: np.ndarray, value: float, slope: float, tau: float) -> float:
        """A lower bound on min_v loss(v) + l1 |v|_1, by default from a multiple of a plane below the loss.

        Parameters
        ----------
        data : Data
            The rows of both classes, with their labels, weights and moments.
        w : array of shape (d,)
            The weights.
        value : float
            The height of the plane at w: the loss or, for the planes of `near_subgradients`, less.
        slope : float
            The product of w and the gradient of the plane, or an upper bound on it.
        tau : float
            The largest factor of the gradient with which it is feasible, |tau gradient|_inf <= l1.
        """
        return max(value - slope, 0.0) * min(tau, 1.0)

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


def quadratic_l1_bound(value: float, slope: float, tau: float) -> float:
    """`Loss.l1_lower_bound` for losses that are quadratic in the amount by which a pair falls short of margin 1."""
    if value > 0:
        tau = min(tau, 1.0 - 0.5 * slope / value)
    tau = max(0.0, min(tau, 1.0))
    return tau * (2.0 * value - slope) - tau**2 * value


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
