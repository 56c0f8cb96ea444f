"""Files out: there whole, or not at all."""

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
    """A file that appears under its name only when all was written; its folder is made if need be.

    It is written beside the old one, whose place and permissions it takes: a reader sees the old file or the new one.
    A link is followed. A pipe or a device has no whole, and is written to as it is.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder, "new", "scores.csv")) as file:
    ...         _ = file.write("score")
    ...     Path(folder, "new", "scores.csv").read_text()
    'score'
    """
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if is_special(path):
        with open(path, mode, **text) as file:  # type: ignore[call-overload]
            yield file
        return
    path = Path(path).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, mode.replace("w", "x"), **text) as file:  # type: ignore[call-overload]
            if path.exists():
                os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_special(path: str | Path) -> bool:
    """Whether there is something that is neither a file nor a folder: a pipe or a device.

    Examples
    --------
    >>> is_special(os.devnull), is_special("nothing.csv")
    (True, False)
    """
    path = Path(path)
    return path.exists() and not path.is_file() and not path.is_dir()
