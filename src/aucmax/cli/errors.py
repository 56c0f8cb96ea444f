"""Error handling of the command line: one line per error or warning on stderr, and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import click

from aucmax.cli.interrupts import EXIT_CODE, was_interrupted
from aucmax.cli.terminal import echo

USER_ERRORS = (ValueError, OSError, ImportError, EOFError, MemoryError)


class ErrorHandlingGroup(click.Group):
    """A group of commands that shows no traceback for errors that the user can fix.

    Exit codes: 0 success, 1 invalid data or files, 2 usage error, 130 interrupted by Ctrl-C.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and exit with its code."""
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                code = super().main(*args, **extra | {"standalone_mode": False}) or 0
                if code == 0 and was_interrupted():
                    raise click.Abort
                sys.exit(code)
            except click.ClickException as error:
                _exit_with(error.format_message() + _help_hint(error), error.exit_code)
            except click.Abort:
                _exit_with("interrupted", EXIT_CODE)
            except BrokenPipeError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains when it exits
                sys.exit(1)
            except Exception as error:
                if was_interrupted():
                    _exit_with("interrupted", EXIT_CODE)
                if not isinstance(error, USER_ERRORS):
                    raise
                _exit_with(first_line(error), 1)


def first_line(error: BaseException) -> str:
    """The first line of the message of an error.

    Examples
    --------
    >>> first_line(FileNotFoundError(2, "No such file or directory", "data.csv"))
    'data.csv: No such file or directory'
    >>> first_line(MemoryError())
    'MemoryError'
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fspath(error.filename)}: {error.strerror}"
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _exit_with(message: str, code: int) -> None:
    echo(f"error: {message}", err=True)
    sys.exit(code)


def _help_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f" (see {context.command_path} --help)" if context is not None else ""


def _show_warning(message: Any, *where: Any, **more: Any) -> None:
    echo(f"warning: {first_line(message)}", err=True)
