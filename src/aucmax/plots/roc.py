"""ROCDisplay: true against false positive rate, with the AUC and its confidence interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from aucmax.metrics import Interval, auc_interval, partial_auc, roc_auc, roc_curve
from aucmax.plots.display import Display
from aucmax.validation.params import Number, check_param

__all__ = ["ROCDisplay"]


@dataclass(eq=False, kw_only=True)
class ROCDisplay(Display):
    """ROC curve, made by `from_estimator` or `from_predictions`.

    Attributes
    ----------
    fpr, tpr : arrays
        Vertices of the curve, one per distinct score; a block of ties is a diagonal segment.
    auc : float
        Area under the curve.
    interval : Interval or None
        DeLong's confidence interval of the AUC; None with weights, or with a single row of a class.
    name : str
        Label of the curve.
    max_fpr : float or None
        Right end of the axes, to look at the corner of few false alarms.
    partial_auc : float or None
        Standardised AUC up to `max_fpr`: 0.5 for a random ranking, 1 for a perfect one.
    ax_, figure_, line_
        Axes, figure and curve of the last plot.

    Examples
    --------
    >>> display = ROCDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8], name="a model")
    >>> display.tpr, display.line_.get_label()
    (array([0. , 0.5, 1. , 1. ]), 'a model: AUC 0.875 (0.228 to 0.994)')
    """

    fpr: np.ndarray
    tpr: np.ndarray
    auc: float
    interval: Interval | None = None
    name: str = ""
    max_fpr: float | None = None
    partial_auc: float | None = None

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        confidence: float = 0.95,
        max_fpr: float | None = None,
        name: str = "",
        ax: Any = None,
    ) -> ROCDisplay:
        """Draw the ROC curve of scores.

        Parameters
        ----------
        y_true, y_score, sample_weight, pos_label
            As for `aucmax.metrics.roc_auc`.
        confidence : float
            Nominal coverage of the interval of the AUC.
        max_fpr : float, optional
            Show the curve up to this false positive rate, with the AUC of that part.
        name : str
            Label of the curve.
        ax : matplotlib axes, optional
            Where to draw; by default the axes of a new figure.
        """
        check_param("confidence", confidence, Number(0, 1, open="both"))
        options = {"sample_weight": sample_weight, "pos_label": pos_label}
        fpr, tpr, _ = roc_curve(y_true, y_score, **options)
        part = None
        if max_fpr is not None:
            part = partial_auc(y_true, y_score, max_fpr=max_fpr, standardize=True, **options)
        _, counts = np.unique(np.asarray(y_true), return_counts=True)
        interval = None
        if sample_weight is None and counts.min() > 1:
            interval = auc_interval(y_true, y_score, confidence=confidence, pos_label=pos_label)
        auc = roc_auc(y_true, y_score, **options)
        display = cls(fpr=fpr, tpr=tpr, auc=auc, interval=interval, name=name, max_fpr=max_fpr, partial_auc=part)
        return display.plot(ax)

    def _draw(self) -> None:
        self._draw_reference("random", [0.0, 1.0], [0.0, 1.0])
        (self.line_,) = self.ax_.plot(self.fpr, self.tpr, linewidth=1.4, label=self._label())
        if self.max_fpr is None:
            self.ax_.set_aspect("equal")
        else:
            self.ax_.set_xlim(-0.01 * self.max_fpr, self.max_fpr)
        self.ax_.set(xlabel="false positive rate", ylabel="true positive rate")

    def _label(self) -> str:
        label = f"AUC {self.auc:.3f}"
        if self.interval is not None:
            label += f" ({self.interval.low:.3f} to {self.interval.high:.3f})"
        if self.partial_auc is not None:
            label += f"; {self.partial_auc:.3f} up to FPR {self.max_fpr:g}"
        return f"{self.name}: {label}" if self.name else label
