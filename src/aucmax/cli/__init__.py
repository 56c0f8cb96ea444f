"""The command line: `commands` parses arguments and calls the library, `display` prints the results."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line, or say how to install what it needs."""
    try:
        from aucmax.cli.commands import aucmax
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(130)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("click", "rich"):
            raise
        sys.exit("error: the command line needs click and rich; install them: pip install 'aucmax[cli]'")
    aucmax(prog_name="aucmax")
