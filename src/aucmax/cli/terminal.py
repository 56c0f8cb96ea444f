"""Printing on a terminal: names and labels of files cannot move the cursor, set colours or end the line."""

from __future__ import annotations

from typing import Any

import click


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


def echo(text: str, *, err: bool = False, start: str = "") -> None:
    """Print one line, escaped; `start` is ours and printed as it is."""
    click.echo(start + printable(text), err=err)
