"""`Passes`: a source whose rows are read again and again, with an engine, a memory limit and a progress report."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aucmax.numerics.compiled import run_clock
from aucmax.numerics.threads import one_blas_thread
from aucmax.scale.engines import Engine, LocalEngine
from aucmax.scale.first_pass import ColumnUse, SourceSummary, first_pass
from aucmax.scale.fit_checkpoint import CheckpointedEngine, FitCheckpoint
from aucmax.scale.memory import chunk_rows, row_size, rows_beside
from aucmax.scale.row_reader import NumberedRows, RowPass, RowReader, read_ahead
from aucmax.scale.source import Source, TemporaryFolder
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.read_table import CHUNK_ROWS


@dataclass(frozen=True)
class PassProgress:
    """How far a pass has come."""

    description: str  # what the pass is for
    number: int  # of the pass, from 1
    rows: int  # read so far
    total: int | None  # number of rows, once it is known
    seconds: float  # since the pass began

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
        left = "" if self.seconds_left is None else f", {self.seconds_left:.0f} s left"
        return f"pass {self.number}: {self.description}, {self.rows:,} rows, {self.rows_per_second:,.0f} rows/s{left}"


Progress = Callable[[PassProgress], Any]


@dataclass(eq=False)
class Passes:
    """A source that has been read once, and how it is read again.

    Parameters
    ----------
    source : Source
    summary : SourceSummary
        What the first pass found.
    reader : RowReader
    engine : Engine
    chunk_rows : int
        Rows of a chunk.
    progress : callable, optional
        Called with a `PassProgress` after every chunk.
    checkpoint : FitCheckpoint, optional
        Where the sums are kept.
    memory : int or str, optional
        What the process may use.
    """

    source: Source
    summary: SourceSummary
    reader: RowReader
    engine: Engine
    chunk_rows: int
    progress: Progress | None = None
    checkpoint: FitCheckpoint | None = None
    memory: int | str | None = None
    count: int = 1  # passes so far
    folder: TemporaryFolder = field(default_factory=TemporaryFolder)  # for scores, while they are sorted

    @classmethod
    def start(
        cls,
        source: Any,
        use: ColumnUse,
        seed: int,
        *,
        engine: Engine | None = None,
        memory: int | str | None = None,
        progress: Progress | None = None,
        checkpoint: FitCheckpoint | None = None,
        settings: str = "",
    ) -> Passes:
        """Read a source for the first time; `settings` are those of the fit, which a checkpoint is for."""
        source = Source.of(source)
        engine = LocalEngine() if engine is None else engine
        width = 0 if memory is None else row_size(source)
        rows = CHUNK_ROWS if memory is None else chunk_rows(memory, width, engine)
        reading: Engine = engine
        if checkpoint is not None:
            rows = checkpoint.open(source, f"{settings} {use} {seed}", rows)
            reading = CheckpointedEngine(engine, checkpoint, engine.shared_disk)
        watch = RowCounter(progress, "columns and labels", 1, None)
        source, summary, reader = first_pass(source, use, reading, rows, seed, watch.report)
        pa.default_memory_pool().release_unused()
        if memory is not None:
            of_columns = 1.0 if reader.encoder is None else min(1.0, width / max(reader.n_features, 1))
            rows = rows_beside(reader.n_features, int(rows * of_columns), memory, engine)
        return cls(source, summary, reader, engine, rows, progress, checkpoint, memory)

    def run(
        self, function: Callable[[NumberedRows], Any], description: str, finish: Callable[[Any], Any] | None = None
    ) -> Any:
        """The sum of a function of the rows over all chunks, or what `finish` makes of it."""
        self.count += 1
        watch = RowCounter(self.progress, description, self.count, self.summary.n_rows)
        row_pass = RowPass(self.reader, self.summary.starts, self.chunk_rows, function)
        if self.checkpoint is None or not getattr(function, "resumable", True):
            total = self.engine.map_reduce(self.source, row_pass, watch.report)
            value = total if finish is None else finish(total)
        else:
            value = self.checkpoint.map_reduce(self.engine, self.source, row_pass, watch.report, finish)
        pa.default_memory_pool().release_unused()
        return value

    def fold(self, function: Callable[[Any, NumberedRows], Any], state: Any, description: str) -> Any:
        """What a function of a state and a chunk of rows makes of the state, chunk after chunk in their order."""
        self.count += 1
        watch = RowCounter(self.progress, description, self.count, self.summary.n_rows)
        with one_blas_thread():
            if self.checkpoint is not None:
                return self.checkpoint.fold(self._chunks(watch.report), function, state)
            for rows in self._chunks(watch.report):
                state = function(state, rows)
        return state

    def _chunks(self, report: Callable[[int], None] | None) -> Iterator[NumberedRows]:
        """The rows of all partitions, chunk by chunk; the next one is read while one is used."""
        for partition, start in zip(self.source.partitions, self.summary.starts):
            for rows in read_ahead(self.reader.chunks(partition, int(start), self.chunk_rows)):
                yield rows
                if report is not None:
                    report(rows.numbers.size)

    def start_loop(self, state: Any) -> Any:
        """The state in which a loop of passes begins: the given one, or the one stored in a checkpoint."""
        return state if self.checkpoint is None else self.checkpoint.start_loop(state)

    def keep(self, state: Any) -> None:
        """Store the state of a loop in the checkpoint, in place of the one before and of the passes since."""
        if self.checkpoint is not None:
            self.checkpoint.keep(state)

    @property
    def n_positive(self) -> int:
        """The number of positive rows."""
        positive = str(self.reader.classes[1])
        return sum(count for label, count in self.summary.labels.items() if str(label) == positive)

    @property
    def run_folder(self) -> str | None:
        """Where partitions may write sorted scores."""
        return self.folder.path if self.engine.shared_disk else None


class RowCounter:
    """Counts the rows that threads report."""

    def __init__(self, progress: Progress | None, description: str, number: int, total: int | None):
        self.progress = progress
        self.facts = (description, number)
        self.total = total
        self.rows = 0
        self.start = run_clock()
        self.lock = threading.Lock()

    @property
    def report(self) -> Callable[[int], None] | None:
        """What engines call with the number of rows that were read; None if nobody watches."""
        return None if self.progress is None else self._add

    def _add(self, rows: int) -> None:
        assert self.progress is not None
        with self.lock:
            self.rows += rows
            self.progress(PassProgress(*self.facts, self.rows, self.total, run_clock() - self.start))
