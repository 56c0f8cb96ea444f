"""LiftDisplay: how many times more positives the rows of highest score have than rows at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucmax.plots.cumulative_gains import CumulativeGainsDisplay

__all__ = ["LiftDisplay"]

POINTS = 1001  # at which the lift is drawn besides its vertices, between which it is curved


@dataclass(eq=False, kw_only=True)
class LiftDisplay(CumulativeGainsDisplay):
    """Lift, made by `from_estimator` or `from_predictions`: the cumulative gains over those of a random ranking.

    Attributes
    ----------
    contacted, found, positive, name
        As for `CumulativeGainsDisplay`.
    ax_, figure_, line_
        Axes, figure and curve of the last plot.

    Examples
    --------
    >>> display = LiftDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> display.contacted, display.lift.round(3)
    (array([0.  , 0.25, 0.75, 1.  ]), array([2.   , 1.333, 1.   ]))
    """

    @property
    def lift(self) -> np.ndarray:
        """Found / contacted, without the first vertex, where both are zero."""
        return self.found[1:] / self.contacted[1:]

    def _draw(self) -> None:
        self._draw_reference("random", [0.0, 1.0], [1.0, 1.0])
        shares = np.linspace(0.0, 1.0, POINTS)[1:]
        shares = np.union1d(shares[shares > self.contacted[1]], self.contacted[1:])
        lift = np.interp(shares, self.contacted, self.found) / shares
        (self.line_,) = self.ax_.plot(shares, lift, linewidth=1.4, label=self.name or "model")
        self.ax_.set_ylim(bottom=0.0)
        self.ax_.set(xlabel="share of rows, by decreasing score", ylabel="lift")
