"""Printing on a terminal: names and labels of files cannot move the cursor, set colours or end the line."""

from __future__ import annotations

import click

from aucmax.validation.printable import printable

__all__ = ["echo", "printable"]


def echo(text: str, *, err: bool = False, start: str = "") -> None:
    """Print one line, escaped; `start` is ours and printed as it is."""
    click.echo(start + printable(text), err=err)
