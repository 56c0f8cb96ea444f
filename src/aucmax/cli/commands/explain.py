"""The command `aucmax explain`: its options, and what it prints."""

from __future__ import annotations

import click

from aucmax.cli.compare import write_figure
from aucmax.cli.display import show_explanation
from aucmax.cli.explain import explain_file
from aucmax.cli.group import aucmax
from aucmax.cli.options import (
    FILE,
    check_figure,
    data_argument,
    json_option,
    model_option,
    reading_options,
    weight_option,
)
from aucmax.cli.output import check_output
from aucmax.cli.progress import progress_bar
from aucmax.cli.terminal import echo, print_json
from aucmax.models import load
from aucmax.plots.axes import new_figure


@aucmax.command()
@data_argument
@reading_options
@model_option
@click.option("--target", metavar="COLUMN", help="Column of labels; that of training if not given.")
@weight_option
@click.option("--rows", type=click.IntRange(0), default=0, help="Also explain the scores of the first rows.")
@click.option("--plot", type=FILE, callback=check_figure, help="Figure to write (png, svg or pdf).")
@json_option
def explain(data, reading, model_file, target, weight, rows, plot, as_json) -> None:
    """Show the columns that matter to a saved model, on a table."""
    check_output(plot, data, model_file)
    model = load(model_file)
    if plot is not None:  # before any work: is matplotlib there?
        ax = new_figure(min(20, model.n_features) // 2 + 2, pyplot=False).subplots()
    with progress_bar(f"explaining {model_file}"):
        found = explain_file(model, data, target, weight, rows, reading)
    if as_json:
        print_json({"data": str(data), "model": str(model_file), **found.to_dict()})
    else:
        show_explanation(found)
    if plot is not None:
        write_figure(found.explanation.plot(ax).figure_, plot)
        echo(f"figure: {plot}", err=as_json)
