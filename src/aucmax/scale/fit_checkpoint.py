"""`FitCheckpoint`: what the passes of a fit have added up so far, in a file from which the fit can be resumed.

The sums of finished passes are stored, and of the pass under way that of its first partitions. Since partitions are
added in their order, a fit that is resumed gives the weights of one without interruption, to the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from aucmax.scale.engines import Engine, Map, Report
from aucmax.scale.partitions import Partition
from aucmax.scale.row_reader import NumberedRows
from aucmax.scale.source import Source
from aucmax.scale.stored_sums import from_bytes, write_sums
from aucmax.tables.atomic_write import atomic_write

SECONDS = 10.0  # between two writes
_UNKNOWN = object()


@dataclass(frozen=True)
class _Numbered:
    """A map of partitions that are some of a source's; their results are collected rather than added."""

    map: Map
    first: int  # number of the first of them

    def __call__(self, number: int, partition: Partition) -> list[Any]:
        return [self.map(self.first + number, partition)]


class FitCheckpoint:
    """The file, and what it holds.

    Parameters
    ----------
    path : str or Path
        It is written every few seconds, atomically.
    seconds : float
        Least time between two writes within a pass.
    """

    def __init__(self, path: str | Path, seconds: float = SECONDS):
        self.path = Path(path)
        self.seconds = seconds
        self.number = 0  # of the pass
        self.loop = 0  # number of the passes before the loop under way
        self.content: dict[str, Any] = {}
        self.written = monotonic()

    def open(self, source: Source, settings: str, chunk_rows: int) -> int:
        """Read the file if it exists, and refuse it if it is of another fit; returns the rows of a chunk."""
        facts: dict[str, Any] = {"settings": settings, "files": file_facts(source)}
        if not self.path.exists():
            self.content = facts | {"chunk_rows": chunk_rows, "results": (), "partial": None}
            return chunk_rows
        try:
            self.content = from_bytes(self.path.read_bytes())
        except ValueError as error:
            raise ValueError(f"{self.path} cannot be used: {error}; delete it to start from scratch") from None
        if self.content["settings"] != settings:
            raise ValueError(
                f"{self.path} belongs to a fit with other settings; repeat them, or delete it to start from scratch"
            )
        before, now = self.content["files"], facts["files"]
        changed = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if changed:
            raise ValueError(
                f"{self.path} belongs to other data: {changed[0]} has changed, appeared or vanished since; delete "
                "the checkpoint to start from scratch"
            )
        return self.content["chunk_rows"]

    def map_reduce(
        self, engine: Engine, source: Source, map: Map, report: Report | None, finish: Callable | None = None
    ) -> Any:
        """As that of the engine, but from where the file stops; `finish` makes of the sum what is stored of it."""
        results = self.content["results"]
        self.number += 1
        if self.number <= len(results):
            return results[self.number - 1]
        total = self._total(engine, source, map, report)
        value = total if finish is None else finish(total)
        self._write(results=(*results, value), partial=None)
        return value

    def fold(self, chunks: Iterator[NumberedRows], function: Callable[[Any, NumberedRows], Any], state: Any) -> Any:
        """What the function makes of the state, chunk after chunk, from where the file stops."""
        results = self.content["results"]
        self.number += 1
        if self.number <= len(results):
            return results[self.number - 1]
        done, state = self.content["partial"] or (0, state)
        for number, rows in enumerate(chunks, 1):
            if number <= done:
                continue
            state = function(state, rows)
            if monotonic() - self.written >= self.seconds:
                self._write(partial=(number, state))
        self._write(results=(*results, state), partial=None)
        return state

    def start_loop(self, state: Any) -> Any:
        """The state in which a loop of passes continues: that of the file, or else the given one, which is stored."""
        results = self.content["results"]
        self.loop = self.number
        self.number += 1
        if self.number <= len(results):
            return results[self.loop]
        self._write(results=(*results, state))
        return state

    def keep(self, state: Any) -> None:
        """Store the state of the loop in place of the one before and of the passes since, which it makes useless."""
        self._write(results=(*self.content["results"][: self.loop], state), partial=None)
        self.number = self.loop + 1

    def _total(self, engine: Engine, source: Source, map: Map, report: Report | None) -> Any:
        """The sum over all partitions, a few at a time."""
        done, rows, total = self.content["partial"] or (0, 0, _UNKNOWN)
        counted = _Counter(report, rows)
        step = 2 * (getattr(engine, "n_threads", None) or os.cpu_count() or 1)
        while done < len(source):
            some = Source(source.partitions[done : done + step], source.name, source.folder)
            for value in engine.map_reduce(some, _Numbered(map, done), counted):
                total = value if total is _UNKNOWN else total + value
            done += len(some)
            if done < len(source) and monotonic() - self.written >= self.seconds:
                self._write(partial=(done, counted.rows, total))
        if total is _UNKNOWN:
            raise ValueError("the source has no partitions, so there are no rows")
        return total

    def _write(self, **changes: Any) -> None:
        self.content |= changes
        with atomic_write(self.path, "wb") as file:
            write_sums(file, self.content)
        self.written = monotonic()


class _Counter:
    """Counts the rows that are reported, beginning with those of the file."""

    def __init__(self, report: Report | None, rows: int):
        self.rows = 0
        self.report = report
        if rows:
            self(rows)

    def __call__(self, rows: int) -> None:
        self.rows += rows
        if self.report is not None:
            self.report(rows)


@dataclass
class CheckpointedEngine:
    """An engine whose sums are kept in a checkpoint."""

    engine: Engine
    checkpoint: FitCheckpoint
    shared_disk: bool

    def map_reduce(self, source: Source, map: Map, report: Report | None = None) -> Any:
        """The sum over the partitions."""
        return self.checkpoint.map_reduce(self.engine, source, map, report)


def file_facts(source: Source) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file of a source."""
    paths = {getattr(part, "path", None) for part in source.partitions}
    if None in paths:
        raise ValueError(f"a checkpoint needs files, which can be read again after a stop; this is a {source.name}")
    return {path: (os.stat(path).st_size, os.stat(path).st_mtime_ns) for path in sorted(map(str, paths))}
