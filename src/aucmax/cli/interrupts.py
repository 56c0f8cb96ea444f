"""Ctrl-C from the first moment to the last: exit code 130 and one line, never a traceback.

While modules are imported, and once the command is done, there is nothing to clean up, and an exception would be lost
in C code or in a callback: the process ends at once. While the command runs, KeyboardInterrupt is raised, so that
temporary files are removed; if the command is importing a module, it is raised after that, because the modules of
Cython drop exceptions that are raised while they are initialised. When the interpreter shuts down at the very end,
Ctrl-C is ignored.

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
    from types import FrameType
    from typing import Any

EXIT_CODE = 130
_IMPORT = "<frozen importlib._bootstrap>"  # the file of the functions that import

_received = False  # whether Ctrl-C was pressed while the command ran


def end_at_once() -> None:
    """From now on, Ctrl-C ends the process with one line on stderr."""
    _handle_with(end)


def raise_interrupts() -> None:
    """From now on, Ctrl-C raises KeyboardInterrupt, unless others than `main` handle it.

    One that is lost in a callback or destructor is raised again.
    """
    if signal.getsignal(signal.SIGINT) == end:
        sys.unraisablehook = _raise_again
        _handle_with(_raise)


def was_interrupted() -> bool:
    """Whether Ctrl-C was pressed while the command ran: compiled code may have dropped it or raised another error."""
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


def _raise(number: int, frame: FrameType | None) -> None:
    global _received
    _received = True
    if not _is_importing(frame):
        raise KeyboardInterrupt
    _interrupt_soon()


def _is_importing(frame: FrameType | None) -> bool:
    """Whether `main`, or what it called, is importing a module at that frame."""
    while frame is not None and frame.f_globals.get("__name__") != __package__:
        if frame.f_code.co_filename == _IMPORT:
            return True
        frame = frame.f_back
    return False


def _interrupt_soon() -> None:
    _thread.start_new_thread(_interrupt, (_thread.get_ident(),))


def _interrupt(thread: int) -> None:
    time.sleep(0.01)
    signal.pthread_kill(thread, signal.SIGINT)  # ends waiting too, unlike _thread.interrupt_main


def _raise_again(unraisable: Any) -> None:
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _interrupt_soon()  # not here, where it would be lost again
    else:
        sys.__unraisablehook__(unraisable)
