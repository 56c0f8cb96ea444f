"""Rows as they come: a thread reads, so that the command can also act when no rows come, or on Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

from aucmax.tables import Table

AHEAD = 4  # tables that are read before the first of them is used
_END = object()
_WAKE = object()


class RowSource:
    """The tables of an iterator, read in a thread of their own.

    Parameters
    ----------
    tables : iterator of Table
        The rows; an exception that it raises is raised here, after the rows before it.
    seconds : float
        How long to wait for rows.

    Examples
    --------
    >>> [table and len(table) for table in RowSource(iter([Table({"a": [1, 2]})]), seconds=60)]
    [2]
    """

    def __init__(self, tables: Iterator[Table], seconds: float) -> None:
        self.stopped_by: int | None = None  # the signal, if one has arrived
        self._tables = tables
        self._seconds = seconds
        self._queue: SimpleQueue = SimpleQueue()  # whose `put` may be called in a signal handler
        self._free = threading.Semaphore(AHEAD)

    def __iter__(self) -> Iterator[Table | None]:
        """The tables; None if none came for that many seconds. Ends at a signal."""
        threading.Thread(target=self._read, daemon=True).start()
        while self.stopped_by is None:
            try:
                item = self._queue.get(timeout=self._seconds)
            except Empty:
                yield None
                continue
            if item is _END or item is _WAKE:
                return
            self._free.release()
            if isinstance(item, BaseException):
                raise item
            yield item

    def _read(self) -> None:
        try:
            for table in self._tables:
                self._free.acquire()
                self._queue.put(table)
        except Exception as error:  # raised again by the thread that waits for rows
            self._queue.put(error)
        self._queue.put(_END)

    def stop(self, number: int, frame: Any = None) -> None:
        """A signal handler: no more rows."""
        self.stopped_by = number
        self._queue.put(_WAKE)


@contextmanager
def signals_handled_by(handler: Callable[..., Any]) -> Iterator[None]:
    """Have Ctrl-C and SIGTERM call the handler, unless the shell has them ignored."""
    numbers = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN]
    before = [signal.signal(number, handler) for number in numbers]
    try:
        yield
    finally:
        for number, old in zip(numbers, before, strict=True):
            signal.signal(number, old)
