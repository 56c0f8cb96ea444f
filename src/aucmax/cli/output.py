"""Where a command may write."""

from __future__ import annotations

import os
from pathlib import Path

from aucmax.tables.atomic_write import follow_links, is_pipe_or_device


def check_output(path: Path | None, *inputs: Path | None) -> None:
    """Refuse, before any work is done, to overwrite an input or to write where it is not possible.

    Examples
    --------
    >>> check_output(Path("model.json"), Path("model.json"))
    Traceback (most recent call last):
    ValueError: model.json is also an input; write to another file
    """
    if path is None:
        return
    if str(path) == "-":
        raise ValueError("- is not an output file; omit -o to write to stdout, or name a file")
    target = follow_links(path)
    if any(given is not None and follow_links(given) == target for given in inputs):
        raise ValueError(f"{path} is also an input; write to another file")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file")
    if is_pipe_or_device(path):
        return
    folder = next(parent for parent in target.parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"cannot write {path}: {folder} is not a writable folder")
