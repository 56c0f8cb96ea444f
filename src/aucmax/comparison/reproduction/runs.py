"""Runs: a method tuned, trained and tested on the splits of its protocol; finished ones are kept in a journal."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from aucmax.comparison.reproduction.methods import METHODS, Method, Setting, TableSize
from aucmax.comparison.reproduction.plans import Reduction, Task
from aucmax.comparison.reproduction.protocols import RunSplit
from aucmax.metrics import roc_auc
from aucmax.tables.json_journal import JsonJournal

FORMAT = "aucmax-reproduction-1"
Progress = Callable[[int, int | None, str], None]


class Rows(NamedTuple):
    """A table and its labels."""

    X: Any
    y: np.ndarray  # -1 and +1

    def take(self, index: np.ndarray) -> Rows:
        """Some of the rows."""
        return Rows(self.X[index], self.y[index])


class RunJournal:
    """The finished runs, by task and reduction, in a file."""

    def __init__(self, path: Any) -> None:
        header = {"format": FORMAT}
        self._file = JsonJournal(path, header)
        if self._file.header != header:
            raise ValueError(f"{path} is not a journal of runs; give another folder, or move the file away")
        self._lines = {(line["task"], line["reduced"], line["run"]): line for line in self._file.lines}

    def get(self, task: str, reduced: str, run: int) -> dict[str, Any] | None:
        """What is kept of a run; None if it is not finished."""
        return self._lines.get((task, reduced, run))

    def lines(self) -> list[dict[str, Any]]:
        """All finished runs, in the order in which they were done."""
        return list(self._lines.values())

    def runs_of(self, task: str) -> list[dict[str, Any]]:
        """The finished runs of a task, in order; of the reduction with the most runs, or the latest of several."""
        found: dict[str, list[dict[str, Any]]] = {}
        for (name, reduced, _), line in self._lines.items():
            if name == task:
                found.setdefault(reduced, []).append(line)
        most = max(reversed(found.values()), key=len, default=[])
        return sorted(most, key=lambda line: line["run"])

    def add(self, task: str, reduced: str, run: int, **values: Any) -> dict[str, Any]:
        """Keep a run."""
        line = {"task": task, "reduced": reduced, "run": run, **values}
        self._file.append(line)
        self._lines[task, reduced, run] = line
        return line


def reduction_text(task: Task, reduction: Reduction) -> str:
    """What was reduced but the number of runs, which may grow from one day to the next."""
    return reduction.apart_from_runs.describe(task.protocol, METHODS[task.method])


def is_finished(task: Task, reduction: Reduction, journal: RunJournal) -> bool:
    """Whether the journal has all runs of a task that the reduction leaves."""
    reduced = reduction_text(task, reduction)
    return all(journal.get(task.name, reduced, run) is not None for run in range(_n_runs(task, reduction)))


def _n_runs(task: Task, reduction: Reduction) -> int:
    return min(task.protocol.runs, reduction.runs or task.protocol.runs)


def run_task(task: Task, data: Rows, reduction: Reduction, journal: RunJournal) -> list[dict[str, Any]]:
    """All runs of a task that the reduction leaves: finished ones from the journal, others now."""
    method = METHODS[task.method]
    reduced = reduction_text(task, reduction)
    lines: list[dict[str, Any]] = []
    for run in range(_n_runs(task, reduction)):
        line = journal.get(task.name, reduced, run)
        if line is None:
            kept = lines[0]["setting"] if lines and reduction.tuned_once else None
            values = one_run(
                method, data, task.protocol.split(data.y.size, run, reduction.rows), run, reduction, kept
            )
            line = journal.add(task.name, reduced, run, **values)
        lines.append(line)
    return lines


def one_run(
    method: Method, data: Rows, split: RunSplit, run: int, reduction: Reduction, setting: Setting | None
) -> dict[str, Any]:
    """Choose hyperparameters unless they are given, train and test."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if setting is None:
            setting = tune(method, data, split, reduction, run)
        train = data.take(split.train)
        start = time.process_time()
        auc = fitted_auc(method, setting, train, data.take(split.test), run)
    seconds = round(time.process_time() - start, 4)
    return {"auc": auc, "setting": dict(setting), "n_train": split.train.size, "seconds": seconds}


def tune(method: Method, data: Rows, split: RunSplit, reduction: Reduction, run: int) -> Setting:
    """The setting with the best AUC on the validation rows, or by folds of the training rows; the first of equals."""
    rows = split.train[: reduction.tuning_rows]
    if split.validation is None:
        parts = np.array_split(rows, reduction.folds)
        folds = [(np.setdiff1d(rows, part), part) for part in parts]
    else:
        folds = [(rows, split.validation)]
    tables = [(data.take(train), data.take(test)) for train, test in folds]
    settings = method.settings(reduction.stride)
    means = [np.mean([fitted_auc(method, setting, *pair, run) for pair in tables]) for setting in settings]
    return settings[int(np.argmax(means))]


def fitted_auc(method: Method, setting: Setting, train: Rows, test: Rows, seed: int) -> float:
    """Test AUC; 0 if the method diverges."""
    rows = TableSize(train.y.size, train.X.shape[1], float((train.y > 0).mean()))
    model = method.build(setting, rows).set_params(random_state=seed)
    try:
        scores = model.fit(train.X, train.y).decision_function(test.X)
    except ValueError as error:
        if "diverged" not in str(error):
            raise
        return 0.0
    return float(roc_auc(test.y, scores)) if np.isfinite(scores).all() else 0.0
