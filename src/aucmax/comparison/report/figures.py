"""Figures: a chart with its caption, its legend and the table behind it; tabs of several."""

from __future__ import annotations

from collections.abc import Sequence

from aucmax.comparison.report.markup import Markup, details, element, shorten

__all__ = ["figure", "legend", "tabs"]


def figure(caption: str, charts: Sequence[Markup], table: Markup, *, key: Markup | None = None) -> Markup:
    """Charts side by side (one above the other on a phone) with a legend, a caption and the table behind them."""
    return element(
        "figure",
        element("div", *charts, class_="charts"),
        key or Markup(""),
        element("figcaption", caption),
        details("Show as a table", table),
    )


def legend(entries: Sequence[tuple[str, str]]) -> Markup:
    """Names with a sample of their line; entries are (CSS class, name)."""
    items = []
    for css, name in entries:
        sample = element("line", x1=1, x2=29, y1=6, y2=6, class_=f"line {css}")
        swatch = element("svg", sample, viewBox="0 0 30 12", class_="swatch", aria_hidden="true")
        items.append(element("li", swatch, shorten(name, 40)))
    return element("ul", *items, class_="legend")


def tabs(label: str, panels: Sequence[tuple[str, Markup]]) -> Markup:
    """Panels with headings; the script turns the headings into tabs, without it all panels are shown."""
    shown = [
        element("section", element("h3", title, id=f"panel-{k}-title"), content, class_="panel", id=f"panel-{k}")
        for k, (title, content) in enumerate(panels)
    ]
    return element("div", *shown, class_="tabs", data_label=label)
