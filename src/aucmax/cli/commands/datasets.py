"""The command `aucmax datasets`: its options, and what it prints."""

from __future__ import annotations

from aucmax import datasets as data_sets
from aucmax.cli.display import show_list
from aucmax.cli.group import aucmax
from aucmax.cli.options import json_option
from aucmax.cli.terminal import print_json


@aucmax.command()
@json_option
def datasets(as_json) -> None:
    """List the named data sets.

    Most need files in the folder named by AUCMAX_DATA.
    """
    available = data_sets.names(available=True)
    items = [
        {"name": name, "available": name in available, "source": data_sets.source(name)} for name in data_sets.names()
    ]
    print_json(items) if as_json else show_list(items)
