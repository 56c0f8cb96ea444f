"""Messages: warnings that point to the user's line of code, and text of files that is safe to print."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

PACKAGE = str(Path(__file__).parents[1]) + os.sep


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn, with the innermost line outside the package as the origin."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def printable(text: Any) -> str:
    """The text with control characters, invisible characters and invalid Unicode as Python escapes.

    Examples
    --------
    >>> print(printable("caf\\u00e9\\x1b[2J\\n"))
    café\\x1b[2J\\n
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode()
        for character in text
    )
