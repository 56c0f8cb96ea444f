"""The command `aucmax evaluate`: its options, and what it prints."""

from __future__ import annotations

import click

from aucmax.cli.display import show_evaluation
from aucmax.cli.evaluate import LabelColumns, evaluate_rows, evaluated_comparison, score_labeled_rows
from aucmax.cli.evaluate_in_passes import evaluate_in_passes
from aucmax.cli.fit_in_passes import is_glob
from aucmax.cli.group import aucmax
from aucmax.cli.options import (
    data_argument,
    ignore_option,
    json_option,
    model_option,
    reading_options,
    report_options,
    weight_option,
)
from aucmax.cli.output import check_output
from aucmax.cli.progress import progress_bar
from aucmax.cli.report import PageOptions, write_evaluation_report
from aucmax.cli.terminal import echo, print_json, show_findings
from aucmax.cli.training_options import memory_option
from aucmax.models import load


@aucmax.command()
@data_argument
@reading_options
@model_option
@click.option("--target", metavar="COLUMN", help="Column of labels; that of training if not given.")
@weight_option
@ignore_option
@report_options
@memory_option
@json_option
def evaluate(data, reading, model_file, target, weight, ignore, report, group_column, costs, memory, as_json) -> None:
    """Evaluate a saved model on a table with labels."""
    check_output(report, data, model_file)
    model = load(model_file)
    columns = LabelColumns(target, weight, group_column)
    if memory is not None or is_glob(data):
        if report is not None or group_column is not None:
            raise click.UsageError(
                "--report and --group-column need all rows in memory; evaluate one file without --memory"
            )
        with progress_bar(f"scoring {data}") as update:
            evaluation, seen = evaluate_in_passes(model, str(data), columns, reading, memory, update)
        show_findings(seen.findings(ignore))
        if as_json:
            print_json({"data": str(data), "model": str(model_file), **evaluation.to_dict(), **seen.to_dict(ignore)})
        else:
            show_evaluation(evaluation, model.metadata.classes)
        return
    with progress_bar(f"scoring {data}"):
        rows = score_labeled_rows(model, data, columns, reading)
        evaluation = evaluate_rows(rows)
    show_findings(rows.new.findings(ignore))
    if as_json:
        new = rows.new.to_dict(ignore)
        print_json({"data": str(data), "model": str(model_file), **evaluation.to_dict(), **new})
    else:
        show_evaluation(evaluation, model.metadata.classes)
    if report is not None or group_column is not None:
        comparison = evaluated_comparison(rows, ignore)
        show_findings(comparison.findings)
    if report is not None:  # after the results, so that they are not lost if it cannot be written
        write_evaluation_report(comparison, rows, data, PageOptions(report, group_column, costs), ignore=ignore)
        echo(f"report: {report}", err=as_json)
