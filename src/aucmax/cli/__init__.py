"""The command line: `group` lists the commands, `commands` has one file for each, `display` prints the results."""

from __future__ import annotations

import sys

from aucmax.cli import interrupts

__all__ = ["main"]


def main() -> None:
    """Run the command line, or say how to install what it needs."""
    interrupts.end_at_once()
    interrupts.ignore_at_shutdown()
    try:
        from aucmax.cli.group import aucmax
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "click":
            raise
        sys.exit("error: the command line needs click; in a clone of aucmax: pip install '.[cli]'")
    try:
        aucmax(prog_name="aucmax")
    except KeyboardInterrupt:  # between the lines of the handler in `errors`
        interrupts.end()
    finally:
        interrupts.end_at_once()
