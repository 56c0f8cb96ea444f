"""Findings over all results: which method is best, at what cost, and which numbers contradict each other."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Any

from aucmax.comparison.reproduction.cells import Cell
from aucmax.comparison.reproduction.plans import tasks_of
from aucmax.comparison.reproduction.runs import RunJournal
from aucmax.comparison.reproduction.verdicts import MeanAUC


def rank_table(rows: list[dict[str, Any]]) -> str:
    """Markdown: a sentence, and a row for each data set and table with the methods from best to worst."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        if row["ours"] and row["paper"] != "000":  # whose runs are those of 001
            groups.setdefault((row["paper"], row["table"], row["data"]), []).append(row)
    lines = ["| table | data | methods, best first |", "| --- | --- | --- |"]
    tied: list[bool] = []
    firsts: Counter[str] = Counter()
    for (paper, table, data), mine in groups.items():
        ordered = sorted(mine, key=lambda row: -float(row["ours"]))
        best = _estimate(ordered[0])
        same = [_is_tied(best, row) for row in ordered[1:]]
        tied.append(all(same))
        firsts[ordered[0]["method"]] += 1
        first = f"{ordered[0]['method']} {best.mean:.4f}"
        others = [_behind(row, best, tie) for row, tie in zip(ordered[1:], same)]
        lines.append(f"| {paper}, {table} | {data} | {', '.join([first, *others])} |")
    counts = ", ".join(f"{method} {count}" for method, count in firsts.most_common())
    sentence = f"In {sum(tied)} of {len(tied)} rows all methods are tied. First, by however little: {counts}."
    return sentence + "\n\n" + "\n".join(lines) + "\n"


def _behind(row: dict[str, Any], best: MeanAUC, tie: bool) -> str:
    return f"{row['method']} ({'=' if tie else ''}{float(row['ours']) - best.mean:.4f})"


def _is_tied(best: MeanAUC, row: dict[str, Any]) -> bool:
    return best.agrees_with(_estimate(row))


def _estimate(row: dict[str, Any]) -> MeanAUC:
    return MeanAUC(float(row["ours"]), float(row["our_deviation"]), int(row["our_runs"]), 0.25)


def cost_table(journal: RunJournal) -> str:
    """Markdown: a row for each method, a column for each of a few data sets."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for line in journal.lines():
        if "seconds" in line:
            data, _, _, method, _ = line["task"].split(" / ")
            seconds.setdefault((method, data), []).append(line["seconds"])
    sets = [
        name for name in ("diabetes", "splice", "usps", "a9a", "ijcnn1", "mnist", "sector") if _any(seconds, name)
    ]
    lines = ["| method | " + " | ".join(sets) + " |", "| --- |" + " --- |" * len(sets)]
    for method in dict.fromkeys(method for method, _ in seconds):
        cells = [f"{median(seconds[method, data]):.3f}" if (method, data) in seconds else "" for data in sets]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _any(seconds: dict[tuple[str, str], list[float]], data: str) -> bool:
    return any(name == data for _, name in seconds)


def printed_twice(cells: list[Cell]) -> str:
    """Markdown: cells of one task with different printed means."""
    groups: dict[Any, list[Cell]] = {}
    for cell in cells:
        for task in tasks_of(cell)[:1]:
            groups.setdefault(task, []).append(cell)
    lines = []
    for mine in groups.values():
        means = {(cell.mean, cell.deviation): cell for cell in mine}
        if len(means) > 1:
            numbers = [
                f"{cell.mean:.4f} ± {cell.deviation:.4f} ({cell.paper}, table {cell.table})"
                for cell in means.values()
            ]
            lines.append(f"- {mine[0].method} on {mine[0].data}: {'; '.join(numbers)}")
    return "\n".join(lines) + "\n" if lines else "None.\n"
