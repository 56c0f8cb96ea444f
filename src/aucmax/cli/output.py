"""Where a command may write."""

from __future__ import annotations

import os
from pathlib import Path

from aucmax.tables.writing import is_special


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
    if str(path) == "-":
        raise ValueError("- is no file to write; leave -o out for stdout, or name a file")
    if any(given is not None and given.resolve() == path.resolve() for given in inputs):
        raise ValueError(f"{path} is also read; write to another file")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file")
    if is_special(path):
        return
    folder = next(parent for parent in path.resolve().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{path} cannot be written: {folder} is not a folder that you may write to")
