"""The command `aucmax export`: its options, and what it prints."""

from __future__ import annotations

from typing import Any

import click

from aucmax.cli.export import check_agreement, check_file
from aucmax.cli.group import aucmax
from aucmax.cli.options import FILE, check_finite, json_option, reading_options
from aucmax.cli.output import check_output
from aucmax.cli.progress import progress_bar
from aucmax.cli.terminal import echo, print_json
from aucmax.models import export as export_model
from aucmax.models import load
from aucmax.models.exports import FORMATS as EXPORT_FORMATS
from aucmax.models.exports import check_installed
from aucmax.tables.atomic_write import is_pipe_or_device


@aucmax.command()
@click.argument("model_file", metavar="MODEL", type=FILE)
@click.option("--to", type=click.Choice(EXPORT_FORMATS), required=True, help="Format to write.")
@click.option("-o", "--output", type=FILE, required=True, help="File to write; parent folders are created.")
@click.option("--table", default="data", show_default=True, help="Table that the SELECT reads (SQL).")
@click.option(
    "--check",
    "data",
    metavar="DATA",
    type=FILE,
    help="Score this table with the model and with the file written, and compare the scores.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    callback=check_finite,
    default=1e-9,
    show_default=True,
    help="Largest difference of scores that --check accepts.",
)
@reading_options
@json_option
def export(model_file, to, output, table, data, tolerance, reading, as_json) -> None:
    """Write a saved model as SQL or ONNX."""
    check_output(output, model_file, data)
    if data is not None:
        if is_pipe_or_device(output):
            raise click.UsageError("--check requires an output file that can be read again")
        check_installed(to)
    model = load(model_file)
    export_model(model, output, to=to, table=table)
    result: dict[str, Any] = {"model": str(model_file), "to": to, "output": str(output)}
    if data is None:
        print_json(result) if as_json else echo(f"written: {output}", err=is_pipe_or_device(output))
        return
    with progress_bar(f"checking {output}"):
        agreement = check_file(model, output, to, table, data, reading)
    if as_json:
        finite = agreement.difference if agreement.difference < float("inf") else None
        print_json(result | agreement._asdict() | {"difference": finite, "tolerance": tolerance})
    else:
        echo(f"written: {output}")
        echo(f"{agreement.rows:,} rows scored by both: largest difference {agreement.difference:.3g}")
        echo(f"largest score: {agreement.largest_score:.3g}")
    check_agreement(agreement, tolerance, output)
