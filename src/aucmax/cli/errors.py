"""The door of the command line: errors become one line, warnings a note, and both an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import click

USER_ERRORS = (ValueError, OSError, ImportError, EOFError, MemoryError)


class ErrorHandlingGroup(click.Group):
    """A group of commands without tracebacks for what the user can mend.

    Exit codes: 0 fine, 1 the data or the files are wrong, 2 the words are wrong, 130 stopped by Ctrl-C.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and leave with its exit code."""
        with warnings.catch_warnings():
            warnings.showwarning = _note
            try:
                sys.exit(super().main(*args, **extra | {"standalone_mode": False}) or 0)
            except click.ClickException as error:
                _leave(error.format_message() + _help_hint(error), error.exit_code)
            except click.Abort:
                _leave("stopped", 130)
            except BrokenPipeError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at its end
                sys.exit(1)
            except USER_ERRORS as error:
                _leave(one_line(error), 1)


def one_line(error: BaseException) -> str:
    """The message of an error; of a long one, the first line.

    Examples
    --------
    >>> one_line(FileNotFoundError(2, "No such file or directory", "data.csv"))
    'data.csv: No such file or directory'
    >>> one_line(MemoryError())
    'MemoryError'
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fspath(error.filename)}: {error.strerror}"
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _leave(message: str, code: int) -> None:
    click.echo(f"error: {message}", err=True)
    sys.exit(code)


def _help_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f" (see {context.command_path} --help)" if context is not None else ""


def _note(message: Any, *where: Any, **more: Any) -> None:
    click.echo(f"note: {one_line(message)}", err=True)
