"""The command `aucmax datasets`: its options, and what it prints."""

from __future__ import annotations

import click

from aucmax import datasets as data_sets
from aucmax.cli.display import show_list
from aucmax.cli.group import aucmax
from aucmax.cli.options import FILE, json_option
from aucmax.cli.terminal import echo, print_json
from aucmax.comparison.reproduction.sources import tables_needing
from aucmax.datasets.make_folder import make_folder


@aucmax.command()
@click.option("--make", "folder", type=FILE, help="Make files for AUCMAX_DATA from the official ones in this folder.")
@json_option
def datasets(folder, as_json) -> None:
    """List the named data sets.

    Most need files in the folder named by AUCMAX_DATA; --make builds it from official files.
    """
    if folder is not None:
        made = make_folder(folder)
        missing = [
            {"missing": file.file_name, "address": file.address, "needed by": tables_needing(file.name)}
            for file in made.missing
        ]
        if as_json:
            print_json({"made": made.made, "kept": made.kept, "missing": missing})
            return
        if missing:
            show_list(missing)
        echo(f"{len(made.made)} made, {len(made.kept)} kept, {len(missing)} missing: {folder}")
        return
    available = data_sets.names(available=True)
    items = [
        {"name": name, "available": name in available, "source": data_sets.source(name)} for name in data_sets.names()
    ]
    print_json(items) if as_json else show_list(items)
