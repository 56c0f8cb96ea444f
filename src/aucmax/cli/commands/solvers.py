"""The command `aucmax solvers`: its options, and what it prints."""

from __future__ import annotations

from typing import Any

from aucmax.cli.display import show_list
from aucmax.cli.group import aucmax
from aucmax.cli.options import json_option
from aucmax.cli.terminal import print_json
from aucmax.losses import LOSSES
from aucmax.solvers import SOLVERS
from aucmax.solvers.registry import losses_of, solvers_for


@aucmax.command()
@json_option
def solvers(as_json) -> None:
    """List the solvers."""
    items: list[dict[str, Any]] = [
        {
            "name": name,
            "losses": losses_of(solver),
            "default_for": [loss for loss in losses_of(solver) if solvers_for(LOSSES[loss]())[0] == name],
            "streams": solver.online,
            "description": (solver.__doc__ or "").strip().splitlines()[0],
        }
        for name, solver in SOLVERS.items()
    ]
    print_json(items) if as_json else show_list(items)
