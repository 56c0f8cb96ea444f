"""Hinges: the pairwise squared hinge, the hinge, and the Huberised hinge between them.

With z = 1 - w.(x - x') the amount by which a pair falls short of the margin 1, and z_+ = max(z, 0),

    squared hinge     E[z_+^2]
    hinge             E[z_+]
    Huberised hinge   E[h(z)],  h = 0 | z^2/(2 width) for 0 < z < width | z - width/2 beyond
                      = E[z_+^2 - (z - width)_+^2] / (2 width)

so that the smooth ones combine squared hinges at one or two margins: a `HingeEvaluation`. Its coefficients c, namely
-2 p_i Z_i and 2 q_j Y_j of `ActivePairs`, give the gradient X'c; its Hessian is X'LX with L a graph Laplacian.

    alpha = min(1, z_+ / width) gives   E[z_+](v) >= E[alpha (1 - v.(x - x'))] = mass + v.gradient     for every v

a cutting plane of the hinge itself, which lies below it at w by slack = E[z_+ - alpha z].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, NamedTuple

import numpy as np

from aucmax.losses.base import Loss, Plane, SmoothLoss, quadratic_l1_bound
from aucmax.losses.pairwise_sums import ActivePairs, SortedScores
from aucmax.losses.rounding import ROOT2, plane_error, slack_error

# widths of the smoothings among which a certificate of the hinge is sought
WIDTHS = 0.2 * 10.0 ** np.arange(0.0, -5.5, -0.5)


class HingeEvaluation(NamedTuple):
    """sum_k factor_k E[(z - 1 + margin_k)_+^2] at given scores; see `SmoothEvaluation`."""

    order: SortedScores
    terms: list[tuple[float, ActivePairs]]  # (factor_k, pairs active at margin_k), for one or two margins

    @property
    def scores(self) -> np.ndarray:
        """The scores of the rows."""
        return self.order.scores

    @property
    def value(self) -> float:
        """The loss."""
        return sum(factor * active.square for factor, active in self.terms)

    def coefficients(self) -> np.ndarray:
        """c such that gradient = sum_i c_i x_i."""
        return self.order.spread(
            reduce(np.add, [-2.0 * factor * active.Z for factor, active in self.terms]),
            reduce(np.add, [2.0 * factor * active.Y for factor, active in self.terms]),
        )

    def product(self, u: np.ndarray) -> np.ndarray:
        """h such that Hessian v = sum_i h_i x_i, for u = Xv; takes no new sort."""
        return reduce(np.add, [2.0 * factor * self.order.laplacian(active, u) for factor, active in self.terms])

    @property
    def curvature(self) -> float:
        """Mean of the second derivative over all pairs."""
        return sum(2.0 * factor * active.weight for factor, active in self.terms)


class SquaredHinge(SmoothLoss):
    """E[(1 - w.(x - x'))_+^2]."""

    name = "squared_hinge"

    def at(self, data: Any, scores: np.ndarray) -> HingeEvaluation:
        """The loss at given scores of the rows."""
        order = SortedScores.of(data, scores)
        return HingeEvaluation(order, [(1.0, order.active(1.0))])

    def l1_lower_bound(self, data: Any, w: np.ndarray, value: float, slope: float, tau: float) -> float:
        """The dual at 2 z_+ times the best factor up to tau (docs/mathematics.md, section 5)."""
        return quadratic_l1_bound(value, slope, tau)


@dataclass(frozen=True)
class HuberisedHinge(SmoothLoss):
    """The hinge with its kink rounded over a width: a smooth lower bound, never more than width/2 below it.

    Its gradients also give cutting planes of the hinge.
    """

    width: float

    name: ClassVar[str] = "huberised_hinge"

    def at(self, data: Any, scores: np.ndarray) -> HuberEvaluation:
        """The loss at given scores of the rows."""
        return self.of(SortedScores.of(data, scores))

    def of(self, order: SortedScores) -> HuberEvaluation:
        """The loss at scores that are already sorted."""
        factor = 0.5 / self.width
        return HuberEvaluation(order, [(factor, order.active(1.0)), (-factor, order.active(1.0 - self.width))])


class HuberEvaluation(HingeEvaluation):
    """The Huberised hinge at given scores, with the hinge itself and a cutting plane of it."""

    @property
    def hinge(self) -> float:
        """E[z_+]."""
        return self.terms[0][1].short

    @property
    def mass(self) -> float:
        """E[alpha], the height at v = 0 of the plane mass + v.gradient."""
        (factor, outer), (_, inner) = self.terms
        return 2.0 * factor * (outer.short - inner.short)

    @property
    def slack(self) -> float:
        """E[z_+ - alpha z], by which the plane lies below the hinge at w."""
        (factor, outer), (_, inner) = self.terms
        return max(outer.short + inner.short - 2.0 * factor * (outer.square - inner.square), 0.0)  # NaN stays NaN


class Hinge(Loss):
    """E[(1 - w.(x - x'))_+], the loss of ranking support vector machines."""

    name = "hinge"

    def value_and_gradient(self, data: Any, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at w, and the subgradient that counts the pairs strictly inside the margin."""
        order = SortedScores.of(data, data.scores(w))
        active = order.active(1.0)
        return active.short, data.combine(order.spread(-active.Q, active.P))

    def near_subgradients(self, data: Any, w: np.ndarray) -> Iterator[Plane]:
        """The planes of several smoothings: near the optimum most are far tighter than the subgradient."""
        order = SortedScores.of(data, data.scores(w))
        for width in WIDTHS:
            smooth = HuberisedHinge(width).of(order)
            error = ROOT2 * plane_error(smooth) * data.root_mean_squares
            yield Plane(smooth.slack + slack_error(smooth), data.combine(smooth.coefficients()), error)
