"""The page: all sections in one HTML file that needs nothing else."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from aucmax.comparison.report.facts import ReportFacts
from aucmax.comparison.report.markup import Markup, element, shorten
from aucmax.comparison.report.overview import answer_section, data_section, difference_section, model_section
from aucmax.comparison.report.subject import Subject, make_subject
from aucmax.comparison.report.use import (
    curve_section,
    footer,
    importance_section,
    next_section,
    stability_section,
    threshold_section,
)
from aucmax.comparison.result import Comparison
from aucmax.tables.atomic_write import atomic_write

__all__ = ["render_report", "write_report"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"  # the page loads nothing


def render_report(comparison: Comparison, facts: ReportFacts | None = None) -> str:
    """The page of a comparison as HTML: one file without outside links, readable without its script.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax.comparison import compare
    >>> result = compare(*load_breast_cancer(return_X_y=True), ["exact", "cg"], cv=2)
    >>> page = render_report(result, ReportFacts(title="tumours", positive="benign"))
    >>> page.startswith("<!DOCTYPE html>"), len(page) < 500_000
    (True, True)
    """
    subject = make_subject(comparison, ReportFacts() if facts is None else facts)
    title = shorten(subject.facts.title, 120)
    sections = [(name, content) for name, content in _sections(subject) if content is not None]
    links = [element("li", element("a", name, href=f"#{_anchor(name)}")) for name, _ in sections[1:]]
    main = [
        element("section", element("h2", name), content, id=_anchor(name), aria_label=name)
        for name, content in sections
    ]
    body = [
        element("header", element("h1", title), element("nav", element("ul", *links), aria_label="Sections")),
        element("main", *main),
        element("footer", element("h2", "How to repeat this"), footer(subject)),
        element("script", Markup(_asset("page.js"))),
    ]
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title}: comparison of models by AUC"),
        element("style", Markup(_asset("page.css"))),
    ]
    return "<!DOCTYPE html>\n" + element("html", element("head", *head), element("body", *body), lang="en") + "\n"


def write_report(comparison: Comparison, path: str | Path, facts: ReportFacts | None = None) -> None:
    """Write the page of a comparison; the file appears complete or not at all."""
    page = render_report(comparison, facts)
    with atomic_write(path) as file:
        file.write(page)


def _sections(subject: Subject) -> list[tuple[str, Markup | None]]:
    return [
        ("In short", answer_section(subject)),
        ("The data", data_section(subject)),
        ("The models" if subject.several else "The model", model_section(subject)),
        ("Differences", difference_section(subject) if subject.several else None),
        ("Curves", curve_section(subject)),
        ("Thresholds", threshold_section(subject)),
        ("What matters", importance_section(subject)),
        ("Stability", stability_section(subject)),
        ("What to do next", next_section(subject)),
    ]


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
