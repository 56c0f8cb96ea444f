"""A progress bar on stderr, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aucmax.cli.terminal import printable

ProgressCallback = Callable[[int, int | None, str], None]  # steps done, their total if known, a description


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
