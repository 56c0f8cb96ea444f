"""Tables of benchmarks/results/*.md as rows of cells."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def read_result(name: str) -> list[dict[str, str]]:
    """The first table of a results page: one dict a row, by the names of the columns."""
    return first_table((RESULTS / f"{name}.md").read_text())


def first_table(text: str) -> list[dict[str, str]]:
    """The first table in Markdown text, or nothing."""
    rows: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif rows:
            break
    return [dict(zip(rows[0], row)) for row in rows[2:]]
