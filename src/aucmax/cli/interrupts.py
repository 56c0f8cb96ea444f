"""Ctrl-C from the first moment to the last: exit code 130 and one line, never a traceback.

While modules are imported, and once the command is done, there is nothing to clean up, and an exception would be lost
in C code or in a callback: the process ends at once. While the command runs, KeyboardInterrupt is raised, so that
temporary files are removed. When the interpreter shuts down at the very end, Ctrl-C is ignored.

Only light modules are imported here, because nothing is handled before this.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import time

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from typing import Any

EXIT_CODE = 130

_received = False  # whether Ctrl-C was pressed while the command ran


def end_at_once() -> None:
    """From now on, Ctrl-C ends the process with one line on stderr."""
    _handle_with(end)


def raise_interrupts() -> None:
    """From now on, Ctrl-C raises KeyboardInterrupt; one that is lost in a callback or destructor is raised again."""
    sys.unraisablehook = _raise_again
    _handle_with(_raise)


def was_interrupted() -> bool:
    """Whether Ctrl-C was pressed while the command ran: compiled code may have made another error of it."""
    return _received


def ignore_at_shutdown() -> None:
    """Ignore Ctrl-C after the functions registered for the exit: Python then resets handlers, which would kill us.

    Call it before others register theirs: the first one registered runs last.
    """
    atexit.register(_handle_with, signal.SIG_IGN)


def _handle_with(handler: Any) -> None:
    """Set the handler, unless the shell has Ctrl-C ignored."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


def end(*signal_and_frame: Any) -> None:
    """End the process with one line on stderr."""
    os.write(2, b"error: interrupted\n")
    os._exit(EXIT_CODE)


def _raise(*signal_and_frame: Any) -> None:
    global _received
    _received = True
    raise KeyboardInterrupt


def _interrupt_soon() -> None:
    time.sleep(0.01)
    _thread.interrupt_main()


def _raise_again(unraisable: Any) -> None:
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(_interrupt_soon, ())  # not here, where it would be lost again
    else:
        sys.__unraisablehook__(unraisable)
