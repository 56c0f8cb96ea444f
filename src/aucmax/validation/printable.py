"""Names and labels of files made safe to show: they cannot move a cursor, reverse the text or break an encoding."""

from __future__ import annotations

from typing import Any


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
