"""Figures with one line per name: a value, its interval, and a line to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aucmax.comparison.report.svg import LINE_HEIGHT, Axis, Chart, names_axis

__all__ = ["NamedInterval", "interval_chart"]


class NamedInterval(NamedTuple):
    """A value with its interval."""

    name: str
    value: float
    low: float
    high: float
    tip: str  # what it says when it is pointed at
    css: str = "s0"


def interval_chart(
    label: str,
    axis_label: str,
    lines: Sequence[NamedInterval],
    *,
    zero: float,
    rope: float = 0.0,
    within: tuple[float, float] | None = None,
) -> Chart:
    """A dot and a line for every name, a vertical line at `zero`, and a band of +-rope around it.

    The limits of the axis leave a margin, inside `within`.
    """
    ends = [zero - rope, zero + rope, *(line.low for line in lines), *(line.high for line in lines)]
    padding = 0.06 * (max(ends) - min(ends)) or 0.01
    low = min(ends) - padding
    high = max(ends) + padding
    if within is not None:
        low = max(low, within[0])
        high = min(high, within[1])
    height = 62 + LINE_HEIGHT * len(lines)
    chart = Chart(label, Axis(low, high, axis_label), names_axis([line.name for line in lines]), height)
    if rope > 0:
        chart.band(zero - rope, zero + rope, "rope")
    chart.vertical(zero, "zero")
    for k, line in enumerate(lines):
        chart.line([line.low, line.high], [k, k], f"interval {line.css}")
        chart.dots([line.value], [k], [line.tip], line.css, radius=5)
    return chart
