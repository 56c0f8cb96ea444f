"""Progress on stderr: a bar if that is a terminal; of a long fit in passes, otherwise, a line for each pass."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aucmax.cli.terminal import echo, printable

if TYPE_CHECKING:  # `aucmax score` should not import it
    from aucmax.scale.progress import PassProgress, Progress

ProgressCallback = Callable[[int, int | None, str], None]  # steps done, their total if known, a description

LINE_SECONDS = 1.0  # between two lines, so that a short fit prints none


@contextmanager
def progress_bar(description: str) -> Iterator[ProgressCallback]:
    """Show a progress bar; gives the function that updates it."""
    if not sys.stderr.isatty():
        yield lambda done, total, description: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(printable(description), total=None)

        def update(done: int, total: int | None, description: str) -> None:
            bar.update(task, completed=done, total=total, description=printable(description))

        yield update


@contextmanager
def pass_progress(description: str, quiet: bool = False) -> Iterator[Progress]:
    """Show the passes over a source: a bar on a terminal; elsewhere a line when a pass ends, at most one a second."""
    if quiet:
        yield lambda step: None
    elif sys.stderr.isatty():
        with progress_bar(description) as update:
            yield lambda step: update(step.rows, step.total, str(step))
    else:
        yield _line_printer()


def _line_printer() -> Progress:
    last = time.monotonic()

    def show(step: PassProgress) -> None:
        nonlocal last
        if step.ended and time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            echo(str(step), err=True)

    return show
