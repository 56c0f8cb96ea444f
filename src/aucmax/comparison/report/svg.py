"""A chart as inline SVG: two axes, and lines, bands, dots and bars between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

import numpy as np

from aucmax.comparison.report.markup import Markup, element, shorten

__all__ = ["Axis", "Chart", "names_axis", "percent", "rate_axis"]

WIDTH = 440
RIGHT = 14
TOP = 12
BOTTOM = 46
LINE_HEIGHT = 30  # of a chart with one line per name


def percent(value: float) -> str:
    """A share as shown on an axis.

    Examples
    --------
    >>> percent(0.5), percent(0.005)
    ('50 %', '0.5 %')
    """
    return f"{100 * value:.4g} %"


@dataclass(frozen=True)
class Axis:
    """Limits, ticks and label of an axis.

    Parameters
    ----------
    low, high : float
        The limits.
    label : str
    write : callable
        How a tick is written.
    names : sequence of str
        Names at 0, 1, 2, ... instead of ticks.
    """

    low: float
    high: float
    label: str = ""
    write: Callable[[float], str] = "{:g}".format
    names: Sequence[str] = ()

    def ticks(self) -> list[float]:
        """About five round numbers between the limits.

        Examples
        --------
        >>> Axis(0.0, 0.9).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8]
        """
        if self.names:
            return [float(k) for k in range(len(self.names))]
        rough = (self.high - self.low) / 5
        power = 10.0 ** floor(log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= 0.7 * rough)
        first = int(np.ceil(self.low / step - 1e-9))
        last = int(np.floor(self.high / step + 1e-9))
        return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]

    def written(self, tick: float) -> str:
        """The text of a tick."""
        return shorten(self.names[int(tick)], 18) if self.names else self.write(tick)


def rate_axis(label: str, high: float = 1.0) -> Axis:
    """An axis of shares from 0 to `high`."""
    return Axis(0.0, high, label, percent)


def names_axis(names: Sequence[str]) -> Axis:
    """A vertical axis with one line per name, the first on top."""
    return Axis(len(names) - 0.4, -0.6, names=names)


@dataclass
class Chart:
    """Shapes between two axes.

    Parameters
    ----------
    label : str
        What the chart shows, for readers who cannot see it.
    x, y : Axis
    height : int
        In pixels of the drawing, which is 440 wide and scales with the page.
    """

    label: str
    x: Axis
    y: Axis
    height: int = 330
    shapes: list[Markup] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Width of what stands to the left of the vertical axis."""
        return 152 if self.y.names else 62

    @property
    def bottom(self) -> float:
        """Vertical place of the horizontal axis."""
        return self.height - BOTTOM

    def px(self, x: Any) -> Any:
        """Horizontal place of a number."""
        share = (np.asarray(x, dtype=float) - self.x.low) / (self.x.high - self.x.low)
        return self.left + np.clip(share, -0.01, 1.01) * (WIDTH - RIGHT - self.left)

    def py(self, y: Any) -> Any:
        """Vertical place of a number."""
        share = (np.asarray(y, dtype=float) - self.y.low) / (self.y.high - self.y.low)
        return self.bottom - np.clip(share, -0.01, 1.01) * (self.bottom - TOP)

    def line(self, x: Any, y: Any, css: str) -> None:
        """A polyline."""
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(self.px(x), self.py(y), strict=True))
        self.shapes.append(element("polyline", points=points, class_=f"line {css}"))

    def area(self, x: Any, y: Any, base: float, css: str) -> None:
        """The area between a polyline and a horizontal line."""
        x = np.concatenate([x[:1], x, x[-1:]])
        y = np.concatenate([[base], y, [base]])
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(self.px(x), self.py(y), strict=True))
        self.shapes.append(element("polygon", points=points, class_=f"area {css}"))

    def band(self, low: float, high: float, css: str) -> None:
        """A vertical band between two numbers."""
        start, end = self.px([low, high])
        self.shapes.append(
            element("rect", x=f"{start:.1f}", y=TOP, width=f"{end - start:.1f}", height=self.bottom - TOP, class_=css)
        )

    def vertical(self, x: float, css: str) -> None:
        """A vertical line across the chart."""
        self.line([x, x], [self.y.low, self.y.high], css)

    def dots(self, x: Iterable[float], y: Iterable[float], tips: Iterable[str], css: str, radius: float = 4) -> None:
        """Dots that say something when they are pointed at or reached with the keyboard."""
        for a, b, tip in zip(self.px(list(x)), self.py(list(y)), tips, strict=True):
            shape = element("circle", element("title", tip), cx=f"{a:.1f}", cy=f"{b:.1f}", r=radius)
            self.shapes.append(element("g", shape, class_=f"dot {css}", tabindex=0, role="img", aria_label=tip))

    def render(self) -> Markup:
        """The SVG element; its dots can be reached one by one, so that it is a group and not an image."""
        parts = [*self._x_ticks(), *self._y_ticks(), *self.shapes]
        return element(
            "svg",
            *parts,
            viewBox=f"0 0 {WIDTH} {self.height}",
            role="group",
            aria_label=self.label,
            class_="chart",
        )

    def _x_ticks(self) -> Iterable[Markup]:
        for tick in self.x.ticks():
            x = f"{self.px(tick):.1f}"
            yield element("line", x1=x, x2=x, y1=TOP, y2=self.bottom, class_="grid")
            yield _text(self.x.written(tick), x, self.bottom + 17, "middle")
        yield _text(self.x.label, (self.left + WIDTH - RIGHT) / 2, self.height - 8, "middle", class_="axis")

    def _y_ticks(self) -> Iterable[Markup]:
        for tick in self.y.ticks():
            y = float(self.py(tick))
            yield element("line", x1=self.left, x2=WIDTH - RIGHT, y1=f"{y:.1f}", y2=f"{y:.1f}", class_="grid")
            yield _text(self.y.written(tick), self.left - 7, f"{y + 4:.1f}", "end")
        if self.y.label:
            middle = (TOP + self.bottom) / 2
            turned = {"transform": f"rotate(-90 13 {middle:.1f})"}
            yield _text(self.y.label, 13, f"{middle:.1f}", "middle", class_="axis", **turned)


def _text(content: str, x: Any, y: Any, anchor: str, **attributes: Any) -> Markup:
    return element("text", content, x=x, y=y, text_anchor=anchor, aria_hidden="true", **attributes)
