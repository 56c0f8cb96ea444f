"""Atomic writes: a file appears under its name complete, or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


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
    path = Path(path).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, mode.replace("w", "x"), **encoding) as file:  # type: ignore[call-overload]
            if path.exists():
                os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_pipe_or_device(path: str | Path) -> bool:
    """Whether the path exists and is neither a file nor a folder.

    Examples
    --------
    >>> is_pipe_or_device(os.devnull), is_pipe_or_device("absent.csv")
    (True, False)
    """
    path = Path(path)
    return path.exists() and not path.is_file() and not path.is_dir()
