"""CumulativeGainsDisplay: the share of positives among the rows of highest score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.metrics.curves import counts_at_thresholds
from aucmax.metrics.inputs import check_scores
from aucmax.plots.display import Display

__all__ = ["CumulativeGainsDisplay"]


@dataclass(eq=False, kw_only=True)
class CumulativeGainsDisplay(Display):
    """Cumulative gains, made by `from_estimator` or `from_predictions`.

    Attributes
    ----------
    contacted : array
        Share of all rows, from the highest score down to each distinct one.
    found : array
        Share of all positives among them; a block of ties is a straight segment.
    positive : float
        Share of positives among all rows.
    name : str
        Label of the curve.
    ax_, figure_, line_
        Axes, figure and curve of the last plot.

    Examples
    --------
    >>> display = CumulativeGainsDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> display.contacted, display.found
    (array([0.  , 0.25, 0.75, 1.  ]), array([0. , 0.5, 1. , 1. ]))
    """

    contacted: np.ndarray
    found: np.ndarray
    positive: float
    name: str = ""

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str = "",
        ax: Any = None,
    ) -> CumulativeGainsDisplay:
        """Draw the cumulative gains of scores.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As for `aucmax.metrics.lift_curve`.
        name : str
            Label of the curve.
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        _, tp, fp = counts_at_thresholds(check_scores(y_true, y_score, sample_weight, pos_label, rates=True))
        rows = tp + fp
        positive = float(tp[-1] / rows[-1])
        return cls(contacted=rows / rows[-1], found=tp / tp[-1], positive=positive, name=name).plot(ax)

    def _draw(self) -> None:
        self._draw_reference("random", [0.0, 1.0], [0.0, 1.0])
        self._draw_reference("perfect", [0.0, self.positive, 1.0], [0.0, 1.0, 1.0], linestyle="--")
        (self.line_,) = self.ax_.plot(self.contacted, self.found, linewidth=1.4, label=self.name or "model")
        self.ax_.set(xlabel="share of rows, by decreasing score", ylabel="share of positives found")
