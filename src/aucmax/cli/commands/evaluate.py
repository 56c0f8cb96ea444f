"""The command `aucmax evaluate`: its options, and what it prints."""

from __future__ import annotations

import click

from aucmax.cli.display import show_evaluation
from aucmax.cli.evaluate import (
    LabelColumns,
    evaluate_rows,
    evaluated_comparison,
    labeled_source,
    score_labeled_rows,
)
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
from aucmax.cli.progress import pass_progress
from aucmax.cli.report import PageOptions, write_evaluation_report
from aucmax.cli.terminal import echo, print_json, show_findings
from aucmax.cli.training_options import memory_option
from aucmax.models import load
from aucmax.scale.source import is_glob


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
    needs_features = report is not None or group_column is not None
    if needs_features and (memory is not None or is_glob(data)):
        raise click.UsageError(
            "--report and --group-column need all rows in memory; evaluate one file without --memory"
        )
    source = labeled_source(data, reading, memory)
    with pass_progress(f"scoring {data}") as progress:
        rows = score_labeled_rows(
            model, source, columns, memory=memory, progress=progress, keep_features=needs_features
        )
        evaluation = evaluate_rows(rows)
    show_findings(rows.new.findings(ignore))
    if as_json:
        new = rows.new.to_dict(ignore)
        print_json({"data": str(data), "model": str(model_file), **evaluation.to_dict(), **new})
    else:
        show_evaluation(evaluation, model.metadata.classes)
    if needs_features:
        comparison = evaluated_comparison(rows, ignore)
        show_findings(comparison.findings)
    if report is not None:  # after the results, so that they are not lost if it cannot be written
        write_evaluation_report(comparison, rows, data, PageOptions(report, group_column, costs), ignore=ignore)
        echo(f"report: {report}", err=as_json)
