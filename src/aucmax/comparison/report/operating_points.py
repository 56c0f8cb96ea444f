"""Thresholds that one might use, and what each of them finds, misses and costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aucmax.comparison.report.facts import Costs
from aucmax.comparison.report.ranking import Ranking
from aucmax.metrics.thresholds import ROUNDING

__all__ = ["OperatingPoint", "cheapest", "operating_points", "review"]

FALSE_ALARM_RATES = (0.001, 0.005, 0.01, 0.05)
PRECISIONS = (0.5, 0.9)


class OperatingPoint(NamedTuple):
    """A threshold, with numbers of rows; sums of weights if there are weights."""

    rule: str  # how the threshold was chosen
    threshold: float
    alerts: float  # rows with an alert
    found: float  # positives among them
    missed: float  # positives without an alert
    false_alarms: float

    @property
    def precision(self) -> float:
        """Share of the alerts that are positive; NaN without alerts."""
        return self.found / self.alerts if self.alerts else float("nan")

    @property
    def recall(self) -> float:
        """Share of the positives that are found."""
        return self.found / (self.found + self.missed)

    def cost(self, costs: Costs) -> float:
        """What its errors cost."""
        return costs.missed * self.missed + costs.false_alarm * self.false_alarms


def operating_points(ranking: Ranking) -> list[OperatingPoint | str]:
    """The points at some false-alarm rates and precisions; for a precision that is not reached, the rule alone."""
    points: list[OperatingPoint | str] = []
    for rate in FALSE_ALARM_RATES:
        last = np.flatnonzero(ranking.fpr <= rate * (1.0 + ROUNDING))[-1]
        points.append(_point(f"at most {100 * rate:g} % false alarms", ranking, _fewest_alerts(ranking, last)))
    for precision in PRECISIONS:
        rule = f"precision of at least {100 * precision:g} %"
        reached = np.flatnonzero((ranking.precision >= precision * (1.0 - ROUNDING)) & (ranking.counts.tp > 0))
        points.append(_point(rule, ranking, _fewest_alerts(ranking, reached[-1])) if reached.size else rule)
    return points


def cheapest(ranking: Ranking, costs: Costs) -> OperatingPoint:
    """The threshold whose errors cost least."""
    total = costs.missed * (ranking.positives - ranking.counts.tp) + costs.false_alarm * ranking.counts.fp
    return _point("lowest cost", ranking, int(np.argmin(total)))


def review(ranking: Ranking, share: float) -> OperatingPoint:
    """The point at which a share of the rows is reviewed: as many as it takes, and all tied with the last."""
    enough = np.flatnonzero(ranking.alerts >= share * ranking.rows * (1.0 - ROUNDING))[0]
    return _point(f"top {100 * share:g} %", ranking, int(enough))


def _fewest_alerts(ranking: Ranking, index: int) -> int:
    """The highest threshold that finds as many positives as the one at `index`."""
    return int(np.searchsorted(ranking.counts.tp, ranking.counts.tp[index]))


def _point(rule: str, ranking: Ranking, index: int) -> OperatingPoint:
    thresholds, tp, fp = ranking.counts
    found = float(tp[index])
    false_alarms = float(fp[index])
    missed = ranking.positives - found
    return OperatingPoint(rule, float(thresholds[index]), found + false_alarms, found, missed, false_alarms)
