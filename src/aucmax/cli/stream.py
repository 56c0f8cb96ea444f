"""The work of `aucmax stream`: rows in, a model and its checkpoints out."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aucmax.cli.row_source import RowSource, signals_handled_by
from aucmax.cli.stream_start import StreamSettings, continued_stream, learned_stream, stream_of_model
from aucmax.models.live_stream import LiveStream
from aucmax.models.model_file import save_checkpoint
from aucmax.streaming.drift import Drift
from aucmax.tables import Table
from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.read_table import infer_format, read_as_they_come
from aucmax.tables.stream_rows import encode_rows
from aucmax.tables.table import concatenate

SLICE = 5000  # rows, or fewer, after which a signal is noticed and a checkpoint may be due


@dataclass(frozen=True)
class Progress:
    """How far a stream is."""

    rows: int  # in all runs
    rows_per_second: float  # of this run
    auc: float | None  # prequential, over the window
    window: int

    def __str__(self) -> str:
        auc = "no AUC yet" if self.auc is None else f"AUC {self.auc:.4f} over the latest {self.window:,} rows"
        return f"{self.rows:,} rows, {self.rows_per_second:,.0f} rows/s, {auc}"


class StreamRun:
    """One run of the command.

    Parameters
    ----------
    path : Path
        The file or pipe of rows.
    checkpoint : Path
        The file that is written, and read if it exists.
    settings : StreamSettings
        The options of the command.
    report : callable
        Called with a `Progress` after each checkpoint.
    warn : callable
        Called with a `Drift` and the number of rows.
    """

    def __init__(
        self,
        path: Path,
        checkpoint: Path,
        settings: StreamSettings,
        report: Callable[[Progress], None],
        warn: Callable[[Drift, int], None],
    ) -> None:
        self.path = path
        self.checkpoint = checkpoint
        self.settings = settings
        self.report = report
        self.warn = warn
        self.keys_may_lack = False  # whether a column may be absent from some rows, as in JSON lines
        self.source: str | None = None  # the file, if it is one
        self.live: LiveStream | None = None
        self.first: list[Table] = []  # rows from which the columns will be learned
        self.position = 0  # rows of the source that were read, skipped ones included
        self.skip = settings.skip_rows or 0
        self.n_run = 0  # rows learned in this run
        self.start = self.saved_at = time.monotonic()
        self.reported_rows = -1
        self.saved_rows = -1  # number of rows in the checkpoint; -1 if there is none

    def run(self, reading: dict[str, Any]) -> int | None:
        """Learn until the rows end or a signal arrives, which is returned."""
        source = None if is_pipe_or_device(self.path) else str(self.path.resolve())
        self._begin(source)
        self.keys_may_lack = reading["format"] == "jsonl"
        tables = read_as_they_come(self.path, **reading)
        rows = RowSource(tables, self.settings.every_seconds)
        try:
            with signals_handled_by(rows.stop):
                for table in rows:
                    if table is not None:
                        self._take(table, rows)
                    self._save_if_due()
                self._end(rows.stopped_by)
        except Exception:
            self._save_quietly()
            raise
        return rows.stopped_by

    def _begin(self, source: str | None) -> None:
        """Continue a checkpoint, or start with the encoder of a model."""
        if self.checkpoint.exists():
            self.live = continued_stream(self.checkpoint, self.settings)
            self.saved_rows = self.live.n_rows
            same = source is not None and self.live.source == source
            if self.settings.skip_rows is None:
                self.skip = self.live.source_rows if same else 0
            self.live.source_rows = self.skip
        elif self.settings.model is not None:
            self.live = stream_of_model(self.settings)
        if self.live is not None:
            self.live.source = source
        self.source = source

    def _take(self, table: Table, rows: RowSource) -> None:
        """Learn the rows of a table that were not skipped, slice by slice."""
        skipped = min(max(self.skip - self.position, 0), len(table))
        self.position += skipped
        table = table.slice(skipped, len(table))
        if self.live is None:
            self.first.append(table)
            if sum(map(len, self.first)) < self.settings.first_rows:
                return
            table = self._learn_columns()
        size = min(SLICE, self.settings.every_rows)
        for start in range(0, len(table), size):
            if rows.stopped_by is not None:
                return
            self._learn(table.slice(start, size))
            self._save_if_due()

    def _learn_columns(self) -> Table:
        """Start the stream with columns learned from the first rows; returns all rows that were read."""
        table = concatenate(self.first)
        try:
            self.live = learned_stream(table.slice(0, self.settings.first_rows), self.settings)
        except ValueError as error:
            raise ValueError(f"{self.path}, rows 1 to {min(len(table), self.settings.first_rows)}: {error}") from None
        self.live.source = self.source
        self.live.source_rows = self.skip
        self.first = []
        return table

    def _learn(self, table: Table) -> None:
        live = self.live
        assert live is not None
        facts = live.metadata.training
        settings = (live.encoder, facts["target"], live.metadata.classes, facts.get("rest") or ())
        rows = encode_rows(table, *settings, keys_may_lack=self.keys_may_lack)
        before = live.n_rows
        try:
            drifts = live.learn(rows.X, rows.y)
        except ValueError as error:
            last = self.position + len(rows.y)
            raise ValueError(f"{self.path}, rows {self.position + 1} to {last}: {error}") from None
        self.position += len(rows.y)
        self.n_run += live.n_rows - before
        for drift in drifts:
            self.warn(drift, live.n_rows)
        if rows.error:
            raise ValueError(f"{self.path}, row {self.position + 1}: {rows.error}")

    def _end(self, stopped_by: int | None) -> None:
        """Learn the remaining rows, and save."""
        if stopped_by is None and self.position < self.skip:
            raise ValueError(
                f"{self.path} has {self.position} rows, but {self.skip} were read from it before; if its rows are "
                "new ones, give --skip-rows 0"
            )
        if self.first and (stopped_by is None or self._would_be_lost()):
            self._learn(self._learn_columns())
        if self.live is not None:
            self._save()

    def _would_be_lost(self) -> bool:
        """Whether the first rows came from a pipe, and the columns can be learned from them although they are few."""
        if self.source is not None:
            return False
        try:
            learned_stream(concatenate(self.first), self.settings)
        except ValueError:
            return False
        return True

    def _save_if_due(self) -> None:
        live = self.live
        if live is None or live.n_rows == self.saved_rows:
            return
        seconds = time.monotonic() - self.saved_at
        rows = live.n_rows - max(self.saved_rows, 0)
        if seconds >= self.settings.every_seconds or rows >= self.settings.every_rows:
            self._save()

    def _save(self) -> None:
        """Write a checkpoint if there are new rows, and report."""
        live = self.live
        assert live is not None
        if live.n_rows != self.saved_rows:
            try:
                save_checkpoint(live, self.checkpoint)
            except OSError as error:
                kept = f"; the checkpoint of row {self.saved_rows:,} is intact" if self.saved_rows >= 0 else ""
                message = f"{error.strerror} at row {live.n_rows:,}{kept}"
                raise OSError(error.errno, message, str(self.checkpoint)) from None
            self.saved_rows = live.n_rows
        self.saved_at = time.monotonic()
        if live.n_rows == self.reported_rows:
            return
        self.reported_rows = live.n_rows
        auc = float(live.auc) if np.isfinite(live.auc) else None
        rate = self.n_run / max(self.saved_at - self.start, 1e-9)
        self.report(Progress(live.n_rows, rate, auc, live.window))

    def saved_message(self) -> str:
        """What the checkpoint holds."""
        if self.saved_rows < 0:
            return "nothing was learned yet, and nothing is saved"
        return f"{self.saved_rows:,} rows are in {self.checkpoint}: the same command continues from there"

    def _save_quietly(self) -> None:
        """Save what was learned before an error; that the disk is full may be the error."""
        live = self.live
        if live is not None and live.n_rows > max(self.saved_rows, 0):
            with suppress(OSError):
                save_checkpoint(live, self.checkpoint)


def stream_format(path: Path, format: str | None) -> str:
    """The format of the rows: that given or that of the file extension, else CSV; others do not come row by row.

    Examples
    --------
    >>> stream_format(Path("/dev/stdin"), None), stream_format(Path("a.jsonl.gz"), None)
    ('csv', 'jsonl')
    """
    found = format or infer_format(path) or "csv"
    if found not in ("csv", "jsonl"):
        raise ValueError(f"a stream is CSV or JSON lines, not {found}; use aucmax fit for {path}")
    return found
