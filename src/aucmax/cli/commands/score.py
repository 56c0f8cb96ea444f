"""The command `aucmax score`: its options, and what it prints."""

from __future__ import annotations

import sys

import click

from aucmax.cli.group import aucmax
from aucmax.cli.options import FILE, data_argument, ignore_option, model_option, reading_options
from aucmax.cli.output import check_output
from aucmax.cli.progress import progress_bar
from aucmax.cli.score import ScoreWriter, write_scores
from aucmax.cli.terminal import echo, print_json, show_findings
from aucmax.models import load
from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.table_writer import open_writer, text_writer


@aucmax.command()
@data_argument
@reading_options
@model_option
@click.option(
    "-o",
    "--output",
    type=FILE,
    help="File to write: .csv, .tsv, .jsonl, .parquet or .arrow; CSV to stdout if not given.",
)
@click.option("--id", "id_column", metavar="COLUMN", help="Column to copy in front of the scores.")
@click.option("--excel-safe", is_flag=True, help="Quote text that a spreadsheet would run as a formula.")
@ignore_option
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON to stdout; requires --output.")
def score(data, reading, model_file, output, id_column, excel_safe, ignore, as_json) -> None:
    """Score the rows of a table with a saved model, chunk by chunk."""
    check_output(output, data, model_file)
    if output is None and as_json:
        raise click.UsageError("--json requires --output, because the scores themselves go to stdout")
    model = load(model_file)
    if output is None:
        stdout = sys.stdout.buffer
        writer = ScoreWriter(text_writer(stdout), id_column, excel_safe, terminal=stdout.isatty())
        rows = write_scores(model, data, writer, lambda *progress: None, reading)
        stdout.flush()
        show_findings(rows.findings(ignore))
        return
    with progress_bar(f"scoring {data}") as update, open_writer(output) as write:
        rows = write_scores(model, data, ScoreWriter(write, id_column, excel_safe), update, reading)
    show_findings(rows.findings(ignore))
    if as_json:
        print_json({"data": str(data), "model": str(model_file), **rows.to_dict(ignore), "output": str(output)})
    else:
        echo(f"{rows.n_rows:,} rows scored: {output}", err=is_pipe_or_device(output))
