"""reproduce: run the tables of a paper again, resumably, and write the verdicts."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from aucmax.comparison.reproduction.ceilings import ceiling_runs
from aucmax.comparison.reproduction.cells import Cell, read_cells
from aucmax.comparison.reproduction.methods import METHODS
from aucmax.comparison.reproduction.plans import Reduction, Task, reduction_for, tasks_of
from aucmax.comparison.reproduction.results import ENCODINGS, Result, needs_grouping, result_of, write_results
from aucmax.comparison.reproduction.runs import Progress, Rows, RunJournal, is_finished, run_task
from aucmax.comparison.reproduction.scalings import scale
from aucmax.comparison.reproduction.sources import SOURCES, is_at_hand, load_rows
from aucmax.datasets import make_toy

PAPERS = {
    "dan_2019": "Dan and Sahoo: VRSPAM, both versions (000, 001)",
    "liu_2018": "Liu et al.: FSAUC (002)",
    "natole_2020": "Natole: regSOLAM, SPAM, SPDAM (003)",
    "fowler_2024": "Fowler and Hocking: line search for AUM (004); figures only",
}
Loader = Callable[[str, str], tuple[Any, Any]]


@dataclass(frozen=True)
class Experiment:
    """Where rows come from, and what is reduced."""

    load: Loader
    reduction: Callable[[Task, int, int], Reduction]
    at_hand: Callable[[str], bool]

    def rows(self, task: Task) -> Rows:
        """The rows of a task before scaling."""
        return Rows(*self.load(task.data, task.grouping))

    def scaled_rows(self, task: Task, kept: dict[tuple[str, str, str], Rows]) -> Rows:
        """The rows of a task; `kept` holds those of the last one, as tasks on the same rows follow each other."""
        key = (task.data, task.grouping, task.scaling)
        if key not in kept:
            kept.clear()
            raw = self.rows(task)
            kept[key] = Rows(scale(raw.X, task.scaling), raw.y)
        return kept[key]


FULL_DATA = Experiment(lru_cache(maxsize=2)(load_rows), reduction_for, is_at_hand)


def small_experiment() -> Experiment:
    """Toy rows under the names of the data sets, two runs, two settings: every step of a reproduction in seconds."""
    return Experiment(
        _toy_rows, lambda task, n, dim: Reduction(runs=2, tuned_once=True, folds=2, stride=20), _is_available
    )


def _is_available(name: str) -> bool:
    return not SOURCES[name].missing


def _toy_rows(name: str, grouping: str) -> tuple[Any, Any]:
    return make_toy(150, 4, positive_rate=0.4, random_state=zlib.crc32(f"{name} {grouping}".encode()))


@dataclass(frozen=True)
class Reproduction:
    """What a reproduction found."""

    name: str
    results: list[Result]
    path: Path  # of results.csv

    def counts(self) -> dict[str, int]:
        """How many cells have each verdict."""
        verdicts = [result.verdict for result in self.results]
        return {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}


def reproduce(
    name: str,
    papers: str | Path = "papers",
    *,
    table: str | None = None,
    small: bool = False,
    output: str | Path | None = None,
    compute: bool = True,
    progress: Progress | None = None,
) -> Reproduction:
    """Run the tables of a paper and write `NAME/results.csv`; runs that `runs.jsonl` holds are not repeated.

    Parameters
    ----------
    name : str
        A name of `PAPERS`.
    papers : str or Path
        The folder with `NAME/expected.csv`.
    table : str, optional
        Run only this table; the verdicts of the others come from the finished runs.
    small : bool
        Use generated rows and two runs, to see that everything works.
    output : str or Path, optional
        The folder to write to; `papers` if not given.
    compute : bool
        Whether to run what is not finished; if not, only the verdicts are computed.
    progress : callable, optional
        Called with the number of tasks done, their total and the present one.
    """
    expected = Path(papers) / name / "expected.csv"
    if not expected.is_file():
        raise FileNotFoundError(f"there is no {expected}; run this in a clone of aucmax, or name its folder `papers`")
    cells = read_cells(expected)
    folder = Path(output or papers)
    journal = RunJournal(folder / "runs.jsonl")
    if compute:
        chosen = read_cells(expected, table)
        _run_all(chosen, small_experiment() if small else FULL_DATA, journal, progress)
    results = [result_of(cell, journal) for cell in cells]
    path = folder / name / "results.csv"
    write_results(results, path)
    return Reproduction(name, results, path)


def _run_all(cells: list[Cell], experiment: Experiment, journal: RunJournal, progress: Progress | None) -> None:
    """Data set by data set, small ones first: the tasks of its cells, then the ceilings that their verdicts need."""
    cells = [cell for cell in cells if all(experiment.at_hand(task.data) for task in tasks_of(cell))]
    cells.sort(key=lambda cell: list(SOURCES).index(cell.data))
    kept: dict[tuple[str, str, str], Rows] = {}
    done = 0
    total = len({task for cell in cells for task in tasks_of(cell)})
    for data in dict.fromkeys(cell.data for cell in cells):
        mine = [cell for cell in cells if cell.data == data]
        for k in range(max(len(tasks_of(cell)) for cell in mine)):
            tasks = {tasks_of(cell)[k] for cell in mine if needs_grouping(cell, k, journal)}
            for task in sorted(tasks, key=lambda task: (task.grouping, task.scaling, task.method)):
                if progress is not None:
                    progress(done, total, task.name)
                reduction = experiment.reduction(task, *experiment.rows(task).X.shape)
                if not is_finished(task, reduction, journal):
                    run_task(task, experiment.scaled_rows(task, kept), reduction, journal)
                done += 1
        for cell in mine:
            _run_ceilings(cell, experiment, journal)


def _run_ceilings(cell: Cell, experiment: Experiment, journal: RunJournal) -> None:
    """The ceiling of the squared loss always, others only if the printed number is above ours; none if the grouping
    of the classes is unknown, as nothing is claimed of such a cell.
    """
    task, *others = tasks_of(cell)
    objective = METHODS[task.method].objective
    is_needed = objective == "l2" or result_of(cell, journal).verdict == "below"
    if SOURCES[cell.data].sample or others or not is_needed:
        return
    data = experiment.rows(task)
    reduction = experiment.reduction(task, *data.X.shape)
    ceiling_runs(task, data, objective, reduction, journal)
    if task.data in ENCODINGS:
        ceiling_runs(task, data, objective, reduction, journal, (ENCODINGS[task.data],))
