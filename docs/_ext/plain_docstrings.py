"""Docstrings are plain text with a few conventions of numpydoc: `|w|` is a norm there, not a substitution."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

QUOTED = re.compile(r"(``.*?``|`[^`]*`)")


def setup(app: Sphinx) -> dict[str, bool]:
    """Escape after numpydoc has made sections of the docstring."""
    app.connect("autodoc-process-docstring", escape_bars, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def escape_bars(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Escape vertical bars outside of quotes and examples."""
    for number, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith((">>>", "...")):
            parts = QUOTED.split(line)
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[number] = "".join(parts)
