"""CalibrationDisplay: the share of positives against their predicted probability, in bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.metrics.reliability import Reliability, reliability_curve
from aucmax.plots.display import Display, probabilities

__all__ = ["CalibrationDisplay"]


@dataclass(eq=False, kw_only=True)
class CalibrationDisplay(Display):
    """Reliability of probabilities, made by `from_estimator` or `from_predictions`.

    The bars are confidence intervals of the share of positives in each bin: a model is calibrated if about that many
    of them meet the diagonal.

    Attributes
    ----------
    reliability : Reliability
        Mean probability, share of positives with its limits, and share of the rows, of each bin.
    name : str
        Label of the curve.
    ax_, figure_, line_
        Axes, figure and curve of the last plot.

    Examples
    --------
    >>> y_true, y_prob = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.2, 0.7, 0.8, 0.9]
    >>> display = CalibrationDisplay.from_predictions(y_true, y_prob, n_bins=2)
    >>> display.reliability.predicted.round(2), display.reliability.observed.round(2)
    (array([0.17, 0.8 ]), array([0.33, 0.67]))
    """

    reliability: Reliability
    name: str = ""

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        n_bins: int = 10,
        strategy: str = "quantile",
        confidence: float = 0.95,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str = "",
        ax: Any = None,
    ) -> CalibrationDisplay:
        """Draw the reliability of probabilities.

        Parameters
        ----------
        y_true, y_prob, n_bins, strategy, confidence, sample_weight, pos_label
            As for `aucmax.metrics.reliability_curve`.
        name : str
            Label of the curve.
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        found = reliability_curve(
            y_true,
            y_prob,
            n_bins=n_bins,
            strategy=strategy,
            confidence=confidence,
            sample_weight=sample_weight,
            pos_label=pos_label,
        )
        return cls(reliability=found, name=name).plot(ax)

    @classmethod
    def _predictions(cls, estimator: Any, X: Any, pos_label: Any) -> np.ndarray:
        return probabilities(estimator, X, pos_label)

    def _draw(self) -> None:
        self._draw_reference("calibrated", [0.0, 1.0], [0.0, 1.0])
        predicted, observed, low, high, _ = self.reliability
        self.line_, _, _ = self.ax_.errorbar(
            predicted,
            observed,
            yerr=np.maximum([observed - low, high - observed], 0.0),  # rounding
            marker="o",
            markersize=4,
            linewidth=1.4,
            elinewidth=0.9,
            capsize=2.5,
            label=self.name or "model",
        )
        self.ax_.set_aspect("equal")
        self.ax_.set(xlabel="predicted probability", ylabel="share of positives")
