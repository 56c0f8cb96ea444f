"""Pages generated from the results: one for each paper, their summary, and "What the numbers say"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aucmax.comparison.reproduction.cells import read_cells
from aucmax.comparison.reproduction.figures import figure_names
from aucmax.comparison.reproduction.findings import cost_table, printed_twice, rank_table
from aucmax.comparison.reproduction.reproduce import PAPERS
from aucmax.comparison.reproduction.results import read_results
from aucmax.comparison.reproduction.runs import RunJournal
from aucmax.comparison.reproduction.verdicts import VERDICTS
from aucmax.tables.atomic_write import atomic_write

GENERATED = "<!-- written by `aucmax reproduce --pages` -->"
RULE = """With se = sd sqrt(1/R + n_test / n_train) for either side, R runs:

| verdict | when |
|---|---|
| reproduced | the means differ by at most 2 sqrt(se² + se'²) |
| above, below | our mean is above or below the printed one by more |
| not reachable | below, and so is the exact minimiser, its penalty and scaling chosen on the test rows |
| other task | the paper does not say how classes were grouped, and not every grouping tried reproduces the number |
| not run | the data are not available (or, if it says so, the cell was not run yet) |
"""


def write_pages(papers: str | Path) -> list[Path]:
    """Write `README.md` of every paper and of the folder, and `what_the_numbers_say.md`; gives their paths."""
    folder = Path(papers)
    results = {name: _results(folder, name) for name in PAPERS}
    pages = {folder / name / "README.md": paper_page(folder, name, rows) for name, rows in results.items()}
    pages[folder / "README.md"] = summary_page(results)
    cells = [cell for name, rows in results.items() if rows for cell in read_cells(folder / name / "expected.csv")]
    all_rows = [row for rows in results.values() for row in rows]
    errata = folder / "errata.md"
    parts = (rank_table(all_rows), cost_table(RunJournal(folder / "runs.jsonl")), printed_twice(cells))
    pages[folder / "what_the_numbers_say.md"] = numbers_page(*parts, errata.read_text() if errata.is_file() else "")
    for path, text in pages.items():
        with atomic_write(path) as file:
            file.write(text)
    return list(pages)


def summary_page(results: dict[str, list[dict[str, Any]]]) -> str:
    """Counts by verdict and paper."""
    tables: list[tuple[str, ...]] = [("paper", "cells", *VERDICTS)]
    for name, rows in results.items():
        for paper in dict.fromkeys(row["paper"] for row in rows):
            mine = [row for row in rows if row["paper"] == paper]
            tables.append((f"[{name}]({name}/README.md) ({paper})", str(len(mine)), *_counts(mine)))
    every = [row for rows in results.values() for row in rows]
    tables.append(("all", str(len(every)), *_counts(every)))
    pending = sum(row["note"] == "not run yet" for row in every)
    waiting = f"{pending} of the cells that were not run only wait for computing time.\n" if pending else ""
    return f"""# Printed numbers of five papers, run again

{GENERATED}

`aucmax reproduce NAME` runs the tables of a paper again; `expected.csv` holds what is printed, `results.csv` ours,
what was reduced, and a verdict; `runs.jsonl` every single run. [What the numbers say](what_the_numbers_say.md)
sums up.

{markdown(tables)}
{waiting}
{RULE}"""


def paper_page(folder: Path, name: str, rows: list[dict[str, Any]]) -> str:
    """One page: what holds, what does not, what nobody could know, and the figures."""
    parts = [f"# {PAPERS[name]}\n\n{GENERATED}\n"]
    if rows:
        counts: list[tuple[str, ...]] = [("table", "cells", *VERDICTS)]
        for key in dict.fromkeys((row["paper"], row["table"]) for row in rows):
            mine = [row for row in rows if (row["paper"], row["table"]) == key]
            counts.append((f"{key[0]}, table {key[1]}", str(len(mine)), *_counts(mine)))
        parts.append(markdown(counts))
        parts.append(f"## What holds\n\n{_listed(rows, 'reproduced')}")
        parts.append(f"## What does not\n\n{_differences(rows)}")
        parts.append(f"## What nobody could know\n\n{_unknown(rows)}")
    parts.extend(_figures(folder, name))
    return "\n".join(parts)


def _counts(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    counts = Counter(row["verdict"] for row in rows)
    return tuple(str(counts[verdict]) for verdict in VERDICTS)


def _listed(rows: list[dict[str, Any]], verdict: str) -> str:
    """The methods with that verdict in some table, data set by data set."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["verdict"] == verdict:
            found.setdefault(row["data"], []).append(row["method"])
    lines = [f"- {data}: {', '.join(dict.fromkeys(methods))}" for data, methods in found.items()]
    return "\n".join(lines) + "\n" if lines else "Nothing yet.\n"


def _differences(rows: list[dict[str, Any]]) -> str:
    """What differs; the notes, with all that was tried, are in results.csv."""
    table = [("table", "data", "method", "printed", "ours", "ceiling", "verdict")]
    for row in rows:
        if row["verdict"] in ("above", "below", "not reachable"):
            printed = f"{float(row['printed']):.4f} ± {float(row['printed_deviation']):.4f}"
            ours = f"{float(row['ours']):.4f} ± {float(row['our_deviation']):.4f}"
            ceiling = f"{float(row['ceiling']):.4f}" if row["ceiling"] else ""
            where = f"{row['paper']}, {row['table']}"
            table.append((where, row["data"], row["method"], printed, ours, ceiling, row["verdict"]))
    tried = "What was tried is in the notes of results.csv; see also [errata.md](../errata.md).\n"
    return f"{tried}\n{markdown(table)}" if len(table) > 1 else "Nothing.\n"


def _unknown(rows: list[dict[str, Any]]) -> str:
    tasks = sorted({row["data"] for row in rows if row["verdict"] == "other task"})
    missing = {
        row["data"]: row["note"] for row in rows if row["verdict"] == "not run" and row["note"] != "not run yet"
    }
    waiting = Counter(row["data"] for row in rows if row["note"] == "not run yet")
    lines = [f"- {data}: which classes were grouped together; see the notes in results.csv" for data in tasks]
    lines += [f"- {data}: {note}" for data, note in missing.items()]
    lines += [f"- {data}: {count} cells not run yet" for data, count in waiting.items()]
    return "\n".join(lines) + "\n"


def _figures(folder: Path, name: str) -> list[str]:
    """The figures, each with the text beside it."""
    parts = []
    for figure in figure_names(folder, name):
        stem = f"figure{figure.replace('.', '_')}"
        text = folder / name / f"{stem}.md"
        if text.is_file():
            parts.append(
                f"## Figure {figure}\n\n![figure {figure}]({stem}.png)\n\n[{stem}.md]({stem}.md): {_first(text)}\n"
            )
    return parts


def _first(path: Path) -> str:
    """The first paragraph after the title."""
    paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    return " ".join(paragraphs[1].split()) if len(paragraphs) > 1 else ""


def numbers_page(ranks: str, costs: str, twice: str, errata: str) -> str:
    """Which algorithm wins when, at what cost, and the errata."""
    return f"""# What the numbers say

{GENERATED}

## Which method is best where

Our mean test AUC of the best method of a row, and in brackets how far the others are behind; = marks differences of
at most two standard errors.

{ranks}
## At what cost

Median CPU seconds of one fit on one core, hyperparameters given.

{costs}
## Printed twice

The same method on the same data under the same protocol, with different numbers.

{twice}
{errata}"""


def _results(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / name / "results.csv"
    return read_results(path) if path.is_file() else []


def markdown(rows: Sequence[tuple[str, ...]]) -> str:
    """A table; the first row is its head."""
    lines = [rows[0], ("---",) * len(rows[0]), *rows[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
