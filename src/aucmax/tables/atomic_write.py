"""Atomic writes: a file appears under its name complete, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def atomic_write(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only once it is complete; parent folders are created.

    A temporary file in the same folder replaces the old one and takes its permissions: a reader sees the old file or
    the new one. Symbolic links are followed. Pipes and devices are written to directly.

    Examples
    --------
    >>> with atomic_write("new/scores.csv") as file:
    ...     _ = file.write("score")
    >>> Path("new/scores.csv").read_text()
    'score'
    """
    encoding = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if is_pipe_or_device(path):
        with open(path, mode, **encoding) as file:  # type: ignore[call-overload]
            yield file
        return
    path = follow_links(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")  # not longer than the longest name that is possible
    try:
        with open(temporary, mode.replace("w", "x"), **encoding) as file:  # type: ignore[call-overload]
            if path.exists():
                os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _NO_SPACE and error.filename is None:
            raise type(error)(error.errno, error.strerror, str(path)) from None  # a failed write names no file
        raise


def follow_links(path: str | Path) -> Path:
    """The absolute path with all symbolic links followed; an OSError if they lead back to themselves.

    Examples
    --------
    >>> os.symlink("loop", "loop")
    >>> follow_links("loop")
    Traceback (most recent call last):
    OSError: [Errno 40] Too many levels of symbolic links: 'loop'
    """
    try:
        resolved = Path(path).resolve()
        if resolved.is_symlink():  # Python 3.13 stops there without an error
            raise RuntimeError
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None
    return resolved


def is_pipe_or_device(path: str | Path) -> bool:
    """Whether the path exists and is neither a file nor a folder.

    Examples
    --------
    >>> is_pipe_or_device(os.devnull), is_pipe_or_device("absent.csv")
    (True, False)
    """
    path = Path(path)
    return path.exists() and not path.is_file() and not path.is_dir()
