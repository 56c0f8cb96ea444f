"""A progress bar on stderr, if that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from aucmax.cli.terminal import printable

ProgressCallback = Callable[[int, int | None, str], None]  # steps done, their total if known, a description


@contextmanager
def progress_bar(description: str) -> Iterator[ProgressCallback]:
    """Show a progress bar; gives the function that updates it."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total, description: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(printable(description), total=None)

        def update(done: int, total: int | None, description: str) -> None:
            bar.update(task, completed=done, total=total, description=printable(description))

        yield update
