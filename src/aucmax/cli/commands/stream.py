"""The command `aucmax stream`: its options, and what it prints."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from aucmax.cli.group import aucmax
from aucmax.cli.options import FILE, check_finite, data_argument, decimal_option, reading_options
from aucmax.cli.output import check_output
from aucmax.cli.stream import Progress, StreamRun, stream_format
from aucmax.cli.stream_start import StreamSettings
from aucmax.cli.terminal import echo
from aucmax.solvers import SOLVERS
from aucmax.streaming.drift import Drift

STREAMING = [name for name, solver in SOLVERS.items() if solver.online]


@aucmax.command()
@data_argument
@click.option(
    "--target", metavar="COLUMN", help="Column of labels; that of the checkpoint or the model if not given."
)
@click.option("--checkpoint", type=FILE, required=True, help="Model file to write; resumed if it exists.")
@click.option("--positive", metavar="LABEL", help="Positive class; the rarer one in the first rows if not given.")
@click.option("--model", type=FILE, help="Model whose columns and classes are used, instead of the first rows.")
@click.option("--solver", type=click.Choice(STREAMING), help="Solver; exact if not given.")
@click.option("--alpha", type=click.FloatRange(0), callback=check_finite, help="Strength of the penalty.")
@click.option("--l1-ratio", type=click.FloatRange(0, 1), help="Fraction of the l1 norm in the penalty.")
@click.option(
    "--forgetting",
    type=click.FloatRange(0, 1, min_open=True),
    help="Weight that a row keeps when the next one comes (solver exact).",
)
@click.option("--batch", type=click.IntRange(1), help="Rows that are learned together; 200 if not given.")
@click.option("--window", type=click.IntRange(2), help="Rows of the prequential AUC; 1000 if not given.")
@click.option(
    "--first-rows",
    type=click.IntRange(2),
    default=1000,
    show_default=True,
    help="Rows from which columns and classes are learned.",
)
@click.option(
    "--every-rows", type=click.IntRange(1), default=100_000, show_default=True, help="Rows between checkpoints."
)
@click.option(
    "--every-seconds",
    type=click.FloatRange(0, 86_400, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds between checkpoints.",
)
@click.option("--skip-rows", type=click.IntRange(0), help="Rows of DATA to skip; those read before if not given.")
@click.option("--keep", metavar="COLUMN", multiple=True, help="Use a column although it looks like an id.")
@click.option("--drop", metavar="COLUMN", multiple=True, help="Leave a column out; may be repeated, as --keep.")
@decimal_option
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Random seed.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON after each checkpoint.")
@click.option("--quiet", is_flag=True, help="Print only warnings and errors.")
def stream(data, checkpoint, reading, as_json, quiet, **settings) -> None:
    """Learn from rows as they come, with checkpoints.

    DATA is a CSV or JSON lines file, a pipe, or - for stdin. A rerun continues from the checkpoint.
    """
    check_output(checkpoint, data, settings["model"])
    reading["format"] = stream_format(data, reading["format"])

    def report(progress: Progress) -> None:
        if as_json:
            click.echo(json.dumps(asdict(progress)))
        elif not quiet:
            echo(str(progress))

    def warn(drift: Drift, rows: int) -> None:
        echo(f"warning: {drift} by row {rows:,}", err=True)

    run = StreamRun(data, checkpoint, StreamSettings(**settings), report, warn)
    if (signal := run.run(reading)) is not None:
        echo(f"error: interrupted; {run.saved_message()}", err=True)
        raise click.exceptions.Exit(128 + signal)
