"""Files out: there whole, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


def check_output(path: Path | None, *inputs: Path | None) -> None:
    """Refuse, before any work is done, to write over an input or into what is not a folder.

    Examples
    --------
    >>> check_output(Path("model.json"), Path("model.json"))
    Traceback (most recent call last):
    ValueError: model.json is also read; write to another file
    """
    if path is None:
        return
    if any(given is not None and given.resolve() == path.resolve() for given in inputs):
        raise ValueError(f"{path} is also read; write to another file")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file")
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{path} cannot be written: {folder} is not a folder that you may write to")


@contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file that appears under its name only when all was written; its folder is made if need be.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "new", "scores.csv")) as file:
    ...         _ = file.write("score")
    ...     Path(folder, "new", "scores.csv").read_text()
    'score'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with open(temporary, mode.replace("w", "x"), **text) as file:  # type: ignore[call-overload]
            yield file
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
