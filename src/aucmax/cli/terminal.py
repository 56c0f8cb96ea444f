"""Printing on a terminal: names and labels of files cannot move the cursor, set colours or end the line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from aucmax.tables.findings.finding import Finding
from aucmax.validation.messages import printable

__all__ = ["echo", "print_json", "printable", "show_findings"]


def echo(text: str, *, err: bool = False, start: str = "") -> None:
    """Print one line, escaped; `start` is ours and printed as it is."""
    click.echo(start + printable(text), err=err)


def print_json(value: dict[str, Any] | list[Any]) -> None:
    """JSON on stdout, and nothing else."""
    click.echo(json.dumps(value, indent=2, allow_nan=False))


def show_findings(findings: Iterable[Finding]) -> None:
    """A warning for each finding, on stderr."""
    for finding in findings:
        echo(f"warning: {finding}", err=True)
