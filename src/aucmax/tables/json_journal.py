"""JsonJournal: a file of finished pieces of work, one JSON object a line, that survives a kill at any moment.

A line is appended and synchronised to the disk when its piece is done. A line cut off by a kill is removed when the
file is opened again, so that its piece is done again and no other one is.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class JsonJournal:
    """A journal with a header, which says what its lines belong to.

    Parameters
    ----------
    path : str or Path
        The file; created with the header, and its folders too, if it is missing or empty.
    header : dict
        The first line of a new file.

    Attributes
    ----------
    header : dict or None
        The first line found; None if it is not a JSON object.
    lines : list of dict
        The complete lines after the header.

    Examples
    --------
    >>> JsonJournal("runs.jsonl", {"format": "example"}).append({"run": 1})
    >>> with open("runs.jsonl", "a") as file:
    ...     _ = file.write('{"run": 2, "au')
    >>> JsonJournal("runs.jsonl", {"format": "example"}).lines
    [{'run': 1}]
    """

    def __init__(self, path: str | Path, header: dict[str, Any]) -> None:
        self.path = Path(path)
        self.header: dict[str, Any] | None = header
        self.lines: list[dict[str, Any]] = []
        if self.path.exists() and self.path.stat().st_size:
            self._read(header)
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.append(header)
            self.lines.clear()

    def append(self, line: dict[str, Any]) -> None:
        """Add a line; it is on the disk when this returns."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)

    def _read(self, expected: dict[str, Any]) -> None:
        """The header and the complete lines; a file with another header is not changed."""
        content = self.path.read_bytes()
        first, *others = content.split(b"\n")
        self.header = _parse(first)
        complete = content.rfind(b"\n") + 1
        if self.header == expected and complete < len(content):
            os.truncate(self.path, complete)
        self.lines = [line for line in map(_parse, others[:-1]) if line is not None]


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
