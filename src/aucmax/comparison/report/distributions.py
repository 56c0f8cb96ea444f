"""The figures of scores and probabilities: calibration, and histograms of the two classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from aucmax.comparison.report.figures import figure, legend
from aucmax.comparison.report.markup import Markup, table
from aucmax.comparison.report.subject import Subject
from aucmax.comparison.report.svg import Axis, Chart, percent, rate_axis

__all__ = ["calibration_bins", "calibration_figure", "histogram_figure"]

BINS = 10  # of calibration
BARS = 30  # of a histogram


class CalibrationBin(NamedTuple):
    """Rows with similar probabilities."""

    predicted: float  # mean probability
    observed: float  # share of the positives
    low: float  # Wilson's 95 % interval of the share
    high: float
    rows: float


def calibration_bins(
    is_pos: np.ndarray, probabilities: np.ndarray, weight: np.ndarray | None
) -> list[CalibrationBin]:
    """Rows in ten bins of about equal size, in order of their probabilities; tied rows are in the same bin.

    Examples
    --------
    >>> bins = calibration_bins(np.arange(40) % 4 == 0, np.full(40, 0.3), None)
    >>> [round(number, 3) for number in bins[0]]
    [0.3, 0.25, 0.142, 0.402, 40.0]
    """
    weight = np.ones(is_pos.size) if weight is None else weight
    edges = np.unique(np.quantile(probabilities, np.linspace(0, 1, BINS + 1)[1:-1]))
    place = np.searchsorted(edges, probabilities)
    bins = []
    for k in np.unique(place):
        inside = (place == k) & (weight > 0)
        if inside.any():
            bins.append(_bin(is_pos[inside], probabilities[inside], weight[inside]))
    return bins


def _bin(is_pos: np.ndarray, probabilities: np.ndarray, weight: np.ndarray) -> CalibrationBin:
    observed = float(np.average(is_pos, weights=weight))
    effective = float(np.sum(weight) ** 2 / np.sum(weight**2))  # rows of unequal weight count for fewer
    z2_n = float(ndtri(0.975)) ** 2 / effective
    centre = (observed + z2_n / 2) / (1 + z2_n)
    reach = float(np.sqrt(z2_n * observed * (1 - observed) + z2_n**2 / 4) / (1 + z2_n))
    predicted = float(np.average(probabilities, weights=weight))
    return CalibrationBin(
        predicted, observed, max(centre - reach, 0.0), min(centre + reach, 1.0), float(weight.sum())
    )


def calibration_figure(subject: Subject) -> Markup | None:
    """Observed shares against predicted probabilities; None if no model drawn gives probabilities."""
    comparison = subject.comparison
    found = {}
    for k, name in enumerate(subject.rankings):
        if name in comparison.probabilities:
            probabilities = comparison.probabilities[name]
            tested = ~np.isnan(probabilities)
            weight = None if comparison.weight is None else comparison.weight[tested]
            found[name] = k, calibration_bins(np.asarray(comparison.labels)[tested], probabilities[tested], weight)
    if not found:
        return None
    high = min(1.0, 1.05 * max(max(b.predicted, b.high) for _, bins in found.values() for b in bins))
    chart = Chart("calibration", rate_axis("predicted probability", high), rate_axis("observed share", high))
    chart.line([0, high], [0, high], "chance")
    for name, (k, bins) in reversed(found.items()):
        chart.line([b.predicted for b in bins], [b.observed for b in bins], f"s{k}")
        if name == next(iter(found)):
            for b in bins:
                chart.line([b.predicted, b.predicted], [b.low, b.high], f"whisker s{k}")
            tips = [f"{name}: predicted {percent(b.predicted)}, observed {percent(b.observed)}" for b in bins]
            chart.dots([b.predicted for b in bins], [b.observed for b in bins], tips, f"s{k}")
    rows = [
        (name, percent(b.predicted), percent(b.observed), f"{percent(b.low)} to {percent(b.high)}", f"{b.rows:,.6g}")
        for name, (_, bins) in found.items()
        for b in bins
    ]
    behind = table("Calibration", ("model", "predicted", "observed", "95 % interval", "rows"), rows)
    caption = (
        "Rows in ten bins of about equal size by their probability: on the dashed line, the probabilities are what "
        f"is observed. The bars are 95 % intervals of {next(iter(found))}."
    )
    key = legend([(f"s{k}", name) for name, (k, _) in found.items()])
    return figure(caption, [chart.render()], behind, key=key)


def histogram_figure(subject: Subject) -> Markup:
    """How the scores of the chosen model are distributed in the two classes."""
    comparison = subject.comparison
    pooled = comparison.pooled[subject.chosen.name]
    scores, weight = pooled.standardized, pooled.weight
    is_pos = np.asarray(comparison.labels)[pooled.rows]
    low, high = np.quantile(scores, [0.002, 0.998])
    if high <= low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BARS + 1)
    shares = {}
    for css, name, rows in (("negative", "negatives", ~is_pos), ("positive", "positives", is_pos)):
        counts, _ = np.histogram(np.clip(scores[rows], low, high), edges, weights=weight[rows])
        shares[css] = name, counts / weight[rows].sum()
    axis = "score, standardised in every fold" if subject.is_cross_validated else "score"
    top = 1.05 * max(share.max() for _, share in shares.values())
    chart = Chart("histograms of the scores", Axis(low, high, axis), rate_axis("share of the class", top))
    for css, (_, share) in shares.items():
        chart.area(np.repeat(edges, 2)[1:-1], np.repeat(share, 2), 0.0, css)
    negative, positive = (share for _, share in shares.values())
    rows_behind = [
        (f"{edges[k]:.4g} to {edges[k + 1]:.4g}", percent(negative[k]), percent(positive[k])) for k in range(BARS)
    ]
    behind = table("Scores of the two classes", ("score", "negatives", "positives"), rows_behind)
    caption = (
        f"Scores of {subject.chosen.name}, as shares of each class: the less they overlap, the better the ranking. "
        "Scores beyond the ends are in the outermost bars."
        + (" Zero and unit are the mean and deviation of the negatives of a fold." * subject.is_cross_validated)
    )
    key = legend([(css, name) for css, (name, _) in shares.items()])
    return figure(caption, [chart.render()], behind, key=key)
