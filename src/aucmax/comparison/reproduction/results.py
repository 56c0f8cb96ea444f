"""Results: the printed cells beside ours, with verdicts, from the journal alone."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.comparison.reproduction.ceilings import ceiling_name
from aucmax.comparison.reproduction.cells import Cell
from aucmax.comparison.reproduction.methods import METHODS
from aucmax.comparison.reproduction.plans import Task, tasks_of
from aucmax.comparison.reproduction.runs import RunJournal
from aucmax.comparison.reproduction.sources import SOURCES
from aucmax.comparison.reproduction.verdicts import MeanAUC, agreed_verdict, verdict_of
from aucmax.tables.atomic_write import atomic_write

ENCODINGS = {"splice": "one-hot letters"}  # other encodings that were tried
INTERCHANGED = {"usps": "letter", "letter": "usps"}  # rows of 000 and 001 whose numbers belong to each other's data


@dataclass(frozen=True)
class Result:
    """A row of `results.csv`."""

    paper: str
    table: str
    data: str
    method: str
    printed: float
    printed_deviation: float
    printed_runs: int
    ours: str  # mean of our runs; with the first grouping, if there are several
    our_deviation: str
    our_runs: str
    ceiling: str  # of the exact minimiser of the method's objective, tuned on the test rows
    ceiling_deviation: str
    reduced: str  # exactly what was done less often or with fewer rows
    verdict: str
    note: str


def result_of(cell: Cell, journal: RunJournal) -> Result:
    """A cell, ours and the verdict."""
    source = SOURCES[cell.data]
    tasks = tasks_of(cell)
    if len(done := decisive_runs(cell, journal)) == 0:
        why = f"the data are not available: {source.missing}" if source.missing else "not run yet"
        return _row(cell, "not run", why)
    verdicts = [verdict_of(_printed(cell, task), ours, ceiling_of(task, journal)) for task, ours in done]
    verdict = verdicts[0] if len(tasks) == 1 else agreed_verdict(verdicts)
    notes = [
        cell.note,
        _grouping_note(done, verdicts) if len(tasks) > 1 else "",
        *_encoding_notes(done[0][0], journal),
    ]
    if source.part and verdict == "not reachable":  # careful: the rows, or their encoding, are not the published ones
        verdict = "below"
        notes.append(f"not even the exact minimiser reaches it, but the data are not the same: {source.part}")
    if cell.paper in ("000", "001") and cell.data in INTERCHANGED:
        notes.append(_interchanged_note(cell, journal))
    if source.sample:
        verdict = "not run"
        notes.append(f"the data are not available, only {source.part}: ours are of these")
    return _row(cell, verdict, "; ".join(filter(None, notes)), done[0][0], done[0][1], journal)


def decisive_runs(cell: Cell, journal: RunJournal) -> list[tuple[Task, MeanAUC]]:
    """The tasks that decide on a cell, and our means; none if one of them was not run.

    Another grouping of classes counts only if the ones before it reproduce the number: if one does not, the task of
    the paper is unknown.
    """
    found: list[tuple[Task, MeanAUC]] = []
    for task in tasks_of(cell):
        ours = estimate_of(task, journal)
        if ours is None:
            return []
        found.append((task, ours))
        if not ours.agrees_with(_printed(cell, task)):
            break
    return found


def needs_grouping(cell: Cell, k: int, journal: RunJournal) -> bool:
    """Whether the verdict on a cell depends on its k-th grouping of classes."""
    tasks = tasks_of(cell)
    before = [(task, estimate_of(task, journal)) for task in tasks[:k]]
    return k < len(tasks) and all(
        ours is not None and ours.agrees_with(_printed(cell, task)) for task, ours in before
    )


def estimate_of(task: Task, journal: RunJournal) -> MeanAUC | None:
    """Our mean of test AUC; None with fewer than two finished runs."""
    aucs = [line["auc"] for line in journal.runs_of(task.name)]
    return MeanAUC.of(aucs, task.protocol.ratio) if len(aucs) > 1 else None


def ceiling_of(task: Task, journal: RunJournal, encoding: str = "") -> MeanAUC | None:
    """The ceiling of a task; None if it was not computed."""
    name = ceiling_name(task, METHODS[task.method].objective, encoding)
    aucs = [line["auc"] for line in journal.runs_of(name)]
    return MeanAUC.of(aucs, task.protocol.ratio) if len(aucs) > 1 else None


def _printed(cell: Cell, task: Task) -> MeanAUC:
    return MeanAUC(cell.mean, cell.deviation, cell.runs, task.protocol.ratio)


def _grouping_note(done: list[tuple[Task, MeanAUC]], verdicts: list[str]) -> str:
    parts = [
        f"{task.grouping}: {ours.mean:.4f} ± {ours.deviation:.4f}, {verdict}"
        for (task, ours), verdict in zip(done, verdicts)
    ]
    return "the grouping of the classes is not printed; " + "; ".join(parts)


def _interchanged_note(cell: Cell, journal: RunJournal) -> str:
    """How the printed number compares with our runs on the data of the other row."""
    other = INTERCHANGED[cell.data]
    (task,) = tasks_of(replace(cell, data=other))
    ours = estimate_of(task, journal)
    if ours is None:
        return ""
    verdict = verdict_of(_printed(cell, task), ours, ceiling_of(task, journal))
    return f"as if the row were that of {other}: ours {ours.mean:.4f} ± {ours.deviation:.4f}, {verdict}"


def _encoding_notes(task: Task, journal: RunJournal) -> list[str]:
    """The ceilings by scaling, and those of other encodings: what was tried."""
    means = ceilings_by_scaling(task, journal)
    notes = []
    if means:
        tried = ", ".join(f"{name} {mean:.4f}" for name, mean in means.items())
        notes.append(f"exact minimiser, tuned on the test rows: {tried}")
    encoding = ENCODINGS.get(task.data)
    ceiling = ceiling_of(task, journal, encoding) if encoding else None
    if ceiling is not None:
        notes.append(f"with {encoding} the exact minimiser reaches {ceiling.mean:.4f} ± {ceiling.deviation:.4f}")
    return notes


def ceilings_by_scaling(task: Task, journal: RunJournal) -> dict[str, float]:
    """The mean ceiling of each scaling; empty if none was computed."""
    lines = journal.runs_of(ceiling_name(task, METHODS[task.method].objective))
    scalings = lines[0]["by_scaling"] if lines else {}
    return {name: float(np.mean([line["by_scaling"][name] for line in lines])) for name in scalings}


def _row(
    cell: Cell,
    verdict: str,
    note: str,
    task: Task | None = None,
    ours: MeanAUC | None = None,
    journal: RunJournal | None = None,
) -> Result:
    ceiling = ceiling_of(task, journal) if task is not None and journal is not None else None
    return Result(
        *cell.key,
        cell.mean,
        cell.deviation,
        cell.runs,
        *_numbers(ours),
        "" if ours is None else str(ours.runs),
        *_numbers(ceiling),
        _reduced(task, ours, journal) if task and ours and journal else "",
        verdict,
        note,
    )


def _numbers(estimate: MeanAUC | None) -> tuple[str, str]:
    return ("", "") if estimate is None else (f"{estimate.mean:.6f}", f"{estimate.deviation:.6f}")


def _reduced(task: Task, ours: MeanAUC, journal: RunJournal) -> str:
    runs = f"{ours.runs} of {task.protocol.runs} runs" if ours.runs < task.protocol.runs else ""
    return "; ".join(filter(None, (runs, journal.runs_of(task.name)[0]["reduced"], SOURCES[task.data].part)))


def write_results(results: list[Result], path: Path) -> None:
    """Write `results.csv` atomically."""
    names = [field.name for field in fields(Result)]
    with atomic_write(path) as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows([{name: getattr(result, name) for name in names} for result in results])


def read_results(path: Path) -> list[dict[str, Any]]:
    """The rows of a `results.csv`."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
