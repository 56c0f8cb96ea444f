"""HTML and SVG elements; everything that is not markup already is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from aucmax.validation.messages import printable

__all__ = ["MISSING", "Markup", "details", "element", "join", "shorten", "table"]

MISSING = "\N{EN DASH}"  # shown where there is nothing to show
VOID = {"meta", "br"}  # elements without an end tag


class Markup(str):
    """A string that is HTML; other strings are escaped when they become part of an element."""


def element(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element with its children; None and False leave an attribute out, True gives it no value.

    Examples
    --------
    >>> print(element("p", "a < b & ", element("b", "c"), class_="note", aria_label='"x"', hidden=True))
    <p class="note" aria-label="&quot;x&quot;" hidden>a &lt; b &amp; <b>c</b></p>
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items() if value not in (None, False))
    start = f"<{name}{given}>"
    return Markup(start if name in VOID else f"{start}{join(children)}</{name}>")


def join(parts: Iterable[Any]) -> Markup:
    """Markup and strings one after the other, the strings escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(printable(part)) for part in parts))


def _attribute(key: str, value: Any) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.6g}" if isinstance(value, float) else printable(value)
    return f' {name}="{escape(text)}"'


def table(caption: str, header: Sequence[Any], rows: Iterable[Sequence[Any]], *, text_columns: int = 1) -> Markup:
    """A table whose first column names the rows; columns after the first `text_columns` are aligned right.

    The box around it scrolls by mouse, touch and keyboard where the page is too narrow for it.
    """

    def css(j: int) -> str | None:
        return "number" if j >= text_columns else None

    head = element("tr", *(element("th", cell, scope="col", class_=css(j)) for j, cell in enumerate(header)))
    body = [
        element(
            "tr",
            element("th", cells[0], scope="row"),
            *(element("td", cell, class_=css(j)) for j, cell in enumerate(cells[1:], 1)),
        )
        for cells in rows
    ]
    content = element("table", element("caption", caption), element("thead", head), element("tbody", *body))
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=caption)


def details(summary: str, *children: Any) -> Markup:
    """Something that is shown when its summary is opened."""
    return element("details", element("summary", summary), *children)


def shorten(text: Any, length: int = 60) -> str:
    """A text cut to a length, with control characters escaped first.

    Examples
    --------
    >>> shorten("temperature", 6), shorten("mass", 6)
    ('tempe…', 'mass')
    """
    text = printable(text)
    return text if len(text) <= length else text[: length - 1] + "…"
