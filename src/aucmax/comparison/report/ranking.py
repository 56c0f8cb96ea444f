"""`Ranking`: the tested rows of one model in order of their scores, and the curves and rates that follow from it.

The rows of all folds are ranked together, by their placements (`comparison.pooled_scores`). Curves are downsampled to
points that are evenly spaced along them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aucmax.comparison.result import Comparison
from aucmax.metrics.curves import ThresholdCounts, counts_at_thresholds
from aucmax.metrics.inputs import LabeledScores

__all__ = ["POINTS", "Ranking", "make_ranking"]

POINTS = 200  # of a curve


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows at or above each distinct score, and in total; sums of weights if there are weights."""

    counts: ThresholdCounts
    positives: float
    negatives: float

    @property
    def rows(self) -> float:
        """Number of rows."""
        return self.positives + self.negatives

    @property
    def fpr(self) -> np.ndarray:
        """Share of the negatives with an alert."""
        return self.counts.fp / self.negatives

    @property
    def recall(self) -> np.ndarray:
        """Share of the positives that are found."""
        return self.counts.tp / self.positives

    @property
    def alerts(self) -> np.ndarray:
        """Number of rows with an alert."""
        return self.counts.tp + self.counts.fp

    @property
    def precision(self) -> np.ndarray:
        """Share of the alerts that are positive; that of the highest score where there is no alert."""
        alerts = np.append(self.alerts[1], self.alerts[1:])
        return np.append(self.counts.tp[1], self.counts.tp[1:]) / alerts

    def roc(self, max_fpr: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """False-alarm rates up to `max_fpr`, and recalls."""
        inside = self.fpr <= max_fpr
        end = np.interp(max_fpr, self.fpr, self.recall)
        x = np.append(self.fpr[inside], max_fpr)
        y = np.append(self.recall[inside], max(end, self.recall[inside][-1]))
        return _downsample(x / max_fpr, y, scale=max_fpr)

    def precision_recall(self) -> tuple[np.ndarray, np.ndarray]:
        """Recalls and precisions."""
        return _downsample(self.recall, self.precision)

    def gains(self) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the rows reviewed, from the highest score on, and recalls."""
        return _downsample(self.alerts / self.rows, self.recall)

    def recall_at_fpr(self, rates: np.ndarray) -> np.ndarray:
        """Recall at the lowest threshold whose false-alarm rate is at most each of the rates."""
        last = np.searchsorted(self.fpr, np.asarray(rates) * (1.0 + 1e-12), "right") - 1
        return self.recall[last]


def make_ranking(comparison: Comparison, name: str) -> Ranking:
    """The ranking of the tested rows by one of the models."""
    pooled = comparison.pooled[name]
    labels = np.asarray(comparison.labels)[pooled.rows]
    plain = (pooled.weight == 1.0).all()
    rows = LabeledScores(labels, pooled.placements, None if plain else pooled.weight)
    counts = counts_at_thresholds(rows)
    return Ranking(counts, float(counts.tp[-1]), float(counts.fp[-1]))


def _downsample(x: np.ndarray, y: np.ndarray, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """At most `POINTS` vertices of a polyline in the unit square, evenly spaced along it; x is multiplied at last."""
    if x.size > POINTS:
        length = np.append(0.0, np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y))))
        kept = np.unique(np.searchsorted(length, np.linspace(0.0, length[-1], POINTS)))
        kept = np.minimum(np.append(0, kept), x.size - 1)
        kept = np.unique(np.append(kept[: POINTS - 1], x.size - 1))
        x, y = x[kept], y[kept]
    return x * scale, y
