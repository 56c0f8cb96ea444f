"""Progress: what the passes over a source report, and what their caller hears of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aucmax.numerics.chunked_matrix import ChunkTask, Runner
from aucmax.numerics.compiled import run_clock

Report = Callable[[int], None]  # called with the number of rows that were read since the last call


@dataclass(frozen=True)
class PassProgress:
    """How far a pass has come."""

    description: str  # what the pass is for
    number: int  # of the pass, from 1
    rows: int  # read so far
    total: int | None  # number of rows, if it is known
    seconds: float  # since the pass began
    ended: bool  # whether this is the last report of the pass

    @property
    def rows_per_second(self) -> float:
        """The speed of this pass."""
        return self.rows / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long this pass will take, if the number of rows is known."""
        if self.total is None or not self.rows:
            return None
        return (self.total - self.rows) * self.seconds / self.rows

    def __str__(self) -> str:
        ended = f" in {self.seconds:.1f} s" if self.ended else ""
        left = "" if self.ended or self.seconds_left is None else f", {self.seconds_left:.0f} s left"
        speed = f"{self.rows_per_second:,.0f} rows/s"
        return f"pass {self.number}: {self.description}, {self.rows:,} rows{ended}, {speed}{left}"


Progress = Callable[[PassProgress], Any]


class PassLog:
    """Counts passes, and reports their progress.

    Parameters
    ----------
    progress : callable, optional
        Called with a `PassProgress` after every chunk and at the end of a pass.
    """

    def __init__(self, progress: Progress | None):
        self.progress = progress
        self.count = 0

    @contextmanager
    def watch(self, description: str, total: int | None = None) -> Iterator[Report]:
        """A pass, whose rows are reported to the function that this gives."""
        self.count += 1
        number = self.count
        start = run_clock()
        lock = threading.Lock()
        done = 0

        def report(rows: int, ended: bool = False) -> None:
            nonlocal done
            with lock:
                done += rows
                if self.progress is not None:
                    self.progress(PassProgress(description, number, done, total, run_clock() - start, ended))

        yield report
        report(0, ended=True)

    def watched(self, run: Runner) -> Runner:
        """A runner that reports the passes over a `ChunkedMatrix`."""

        def watched(tasks: Sequence[ChunkTask], description: str) -> Iterator[list[Any]]:
            with self.watch(description, sum(task.n_rows for task in tasks)) as report:
                for task, results in zip(tasks, run(tasks, description), strict=True):
                    report(task.n_rows)
                    yield results

        return watched
