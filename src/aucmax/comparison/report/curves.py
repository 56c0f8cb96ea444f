"""The figures of a ranking: ROC, precision-recall, cumulative gains, calibration, histograms of the scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aucmax.comparison.report.figures import figure, legend
from aucmax.comparison.report.markup import Markup, table
from aucmax.comparison.report.ranking import Ranking
from aucmax.comparison.report.subject import Subject
from aucmax.comparison.report.svg import Chart, percent, rate_axis

__all__ = ["gains_figure", "precision_recall_figure", "roc_figure"]

CORNER = 0.1  # false-alarm rate up to which the corner is enlarged
RATES = np.array([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
CORNER_RATES = np.array([0.005, 0.01, 0.02, 0.05])
RECALLS = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
Curve = Callable[[Ranking], tuple[np.ndarray, np.ndarray]]


def roc_figure(subject: Subject) -> Markup:
    """The ROC curve, whole and enlarged where false alarms are few."""
    whole = Chart("ROC curves", rate_axis("false alarms: share of the negatives"), rate_axis("found: recall"))
    whole.line([0, 1], [0, 1], "chance")
    high = rate_axis(f"false alarms up to {percent(CORNER)}, enlarged", CORNER)
    corner = Chart("ROC curves at low rates of false alarms", high, rate_axis("found: recall"))
    corner.line([0, CORNER], [0, CORNER], "chance")
    _draw(whole, subject, Ranking.roc)
    _draw(corner, subject, lambda ranking: ranking.roc(CORNER))
    for chart, rates in ((whole, RATES[4:]), (corner, CORNER_RATES)):
        found = subject.ranking.recall_at_fpr(rates)
        tips = [
            f"{subject.chosen.name}: at {percent(rate)} false alarms, {percent(share)} are found"
            for rate, share in zip(rates, found, strict=True)
        ]
        chart.dots(rates, found, tips, "s0")
    columns = {name: ranking.recall_at_fpr(RATES) for name, ranking in subject.rankings.items()}
    rows = [(percent(rate), *(percent(columns[name][k]) for name in columns)) for k, rate in enumerate(RATES)]
    behind = table("Recall at rates of false alarms", ("false alarms", *columns), rows)
    caption = (
        "Share of the positives found against the share of the negatives with a false alarm, as the threshold falls. "
        "The dashed line is a random order."
    )
    return figure(caption, [whole.render(), corner.render()], behind, key=_key(subject))


def precision_recall_figure(subject: Subject) -> Markup:
    """Precision against recall."""
    chart = Chart("precision-recall curves", rate_axis("found: recall"), rate_axis("precision"))
    rate = subject.ranking.positives / subject.ranking.rows
    chart.line([0, 1], [rate, rate], "chance")
    _draw(chart, subject, Ranking.precision_recall)
    columns = {name: _precision_at(ranking, RECALLS) for name, ranking in subject.rankings.items()}
    own = columns[subject.chosen.name]
    tips = [
        f"{subject.chosen.name}: to find {percent(recall)}, {percent(precision)} of the alerts are real"
        for recall, precision in zip(RECALLS, own, strict=True)
    ]
    chart.dots(RECALLS, own, tips, "s0")
    rows = [(percent(recall), *(percent(columns[name][k]) for name in columns)) for k, recall in enumerate(RECALLS)]
    behind = table("Precision at recalls", ("found", *columns), rows)
    caption = (
        "Share of the alerts that are real against the share of the positives found. Dashed: a random order, as "
        f"{percent(round(rate, 4))} of all rows are positive."
    )
    return figure(caption, [chart.render()], behind, key=_key(subject))


def gains_figure(subject: Subject) -> Markup:
    """Positives found against rows reviewed, and the lift."""
    chart = Chart("cumulative gains", rate_axis("rows reviewed, highest scores first"), rate_axis("found: recall"))
    chart.line([0, 1], [0, 1], "chance")
    _draw(chart, subject, Ranking.gains)
    shares = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
    columns = {name: _found_in(ranking, shares) for name, ranking in subject.rankings.items()}
    own = columns[subject.chosen.name]
    tips = [
        f"{subject.chosen.name}: {percent(found)} are found in the top {percent(share)}, lift {found / share:.3g}"
        for share, found in zip(shares, own, strict=True)
    ]
    chart.dots(shares, own, tips, "s0")
    rows = [
        (percent(share), *(f"{percent(columns[name][k])}, lift {columns[name][k] / share:.3g}" for name in columns))
        for k, share in enumerate(shares)
    ]
    behind = table("Positives found among the rows reviewed", ("reviewed", *columns), rows)
    caption = (
        "Share of the positives found when the rows are reviewed from the highest score on; lift is how many times "
        "more that is than in a random order (dashed)."
    )
    return figure(caption, [chart.render()], behind, key=_key(subject))


def _draw(chart: Chart, subject: Subject, curve: Curve) -> None:
    """The curve of every model, the chosen one on top."""
    for k, ranking in reversed(list(enumerate(subject.rankings.values()))):
        chart.line(*curve(ranking), f"s{k}")


def _key(subject: Subject) -> Markup | None:
    """The legend, if there is more than one curve."""
    names = list(subject.rankings)
    return legend([(f"s{k}", name) for k, name in enumerate(names)]) if len(names) > 1 else None


def _precision_at(ranking: Ranking, recalls: np.ndarray) -> np.ndarray:
    """Precision at the highest threshold that reaches each recall."""
    first = np.searchsorted(ranking.recall, recalls * (1.0 - 1e-12))
    return ranking.precision[first]


def _found_in(ranking: Ranking, shares: np.ndarray) -> np.ndarray:
    """Recall when a share of the rows is reviewed; of tied rows, a part at random."""
    return np.interp(shares, ranking.alerts / ranking.rows, ranking.recall)
