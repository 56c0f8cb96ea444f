"""`Passes`: a source whose rows are read again and again, with an engine, a memory limit and a progress report."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.numerics.clock import run_clock
from aucmax.scale.engines import Engine, LocalEngine
from aucmax.scale.first_pass import ColumnUse, SourceSummary, first_pass
from aucmax.scale.fit_checkpoint import CheckpointedEngine, FitCheckpoint
from aucmax.scale.row_reader import NumberedRows, RowPass, RowReader
from aucmax.scale.source import Source, TemporaryFolder
from aucmax.tables.pyarrow_import import pa
from aucmax.tables.read_table import CHUNK_ROWS

_MIN_ROWS = 256  # in a chunk
_CELL_BYTES = 64  # of a cell while its chunk is read, encoded and used
_RESERVE = 400 << 20  # for what a pass adds up, and for what the allocators keep: measured, docs/scale.md
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


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
    """

    source: Source
    summary: SourceSummary
    reader: RowReader
    engine: Engine
    chunk_rows: int
    progress: Progress | None = None
    checkpoint: FitCheckpoint | None = None
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
        rows = CHUNK_ROWS if memory is None else chunk_rows(memory, _width(source), engine)
        reading: Engine = engine
        if checkpoint is not None:
            rows = checkpoint.open(source, f"{settings} {use} {seed}", rows)
            reading = CheckpointedEngine(engine, checkpoint, engine.shared_disk)
        watch = RowCounter(progress, "columns and labels", 1, None)
        source, summary, reader = first_pass(source, use, reading, rows, seed, watch.report)
        pa.default_memory_pool().release_unused()
        if memory is not None:
            extra = max(0, reader.n_features - _width(source)) / max(_width(source), 1)  # features beyond columns
            rows = max(_MIN_ROWS, int(rows / (1.0 + extra)))
        return cls(source, summary, reader, engine, rows, progress, checkpoint)

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


def parse_memory(memory: int | str) -> int:
    """A number of bytes, such as 1_000_000_000 or "1GB" or "512MiB".

    Examples
    --------
    >>> parse_memory("1GB"), parse_memory("1.5 GiB"), parse_memory(10)
    (1000000000, 1610612736, 10)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?I?)B?\s*", str(memory).upper())
    if match is None or match[2] not in _UNITS:
        raise ValueError(f"memory={memory!r}; give a number of bytes, such as '1GB' or '512MiB'")
    return int(float(match[1]) * _UNITS[match[2]])


def chunk_rows(memory: int | str, width: int, engine: Engine) -> int:
    """How many rows a chunk may have, so that the process stays below the limit."""
    threads = getattr(engine, "n_threads", None) or os.cpu_count() or 1
    left = parse_memory(memory) - _resident() - _RESERVE
    rows = left // ((threads + 1) * max(width, 1) * _CELL_BYTES)
    if rows < _MIN_ROWS:
        needed = _resident() + _RESERVE + _MIN_ROWS * (threads + 1) * width * _CELL_BYTES
        raise ValueError(
            f"memory={memory!r} is too little; {width} columns need at least {needed / 1e6:.0f} MB, of which the "
            f"process has {_resident() / 1e6:.0f} MB already"
        )
    return int(min(2 ** int(np.log2(rows)), CHUNK_ROWS))  # a power of two, so that it seldom differs between runs


def _width(source: Source) -> int:
    """The number of columns of the first row."""
    first = next(source.partitions[0].chunks(1))
    return len(first.names) or int(first.X.nnz if hasattr(first.X, "nnz") else first.X.shape[1])


def _resident() -> int:
    """Bytes of memory that this process uses now; a guess where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 300 << 20
