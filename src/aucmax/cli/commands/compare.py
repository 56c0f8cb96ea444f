"""The command `aucmax compare`: its options, and what it prints."""

from __future__ import annotations

import click

from aucmax.cli.compare import compare_models, write_plot
from aucmax.cli.display import show_comparison, show_data
from aucmax.cli.group import aucmax
from aucmax.cli.options import (
    FILE,
    check_figure,
    data_argument,
    fold_options,
    json_option,
    parse_names,
    report_options,
)
from aucmax.cli.output import check_output
from aucmax.cli.progress import progress_bar
from aucmax.cli.report import PageOptions, write_comparison_report
from aucmax.cli.terminal import echo, print_json, show_findings
from aucmax.cli.training_data import find_training_data, is_file
from aucmax.cli.training_options import (
    check_file_options,
    check_reference,
    comparison_options,
    training_options,
)
from aucmax.comparison import DEFAULT_MODELS, STANDARD_MODELS
from aucmax.plots.axes import new_figure
from aucmax.solvers import SOLVERS


@aucmax.command()
@data_argument
@training_options
@click.option(
    "--models",
    callback=parse_names([*STANDARD_MODELS, *SOLVERS]),
    help="Comma-separated names; the standard models if not given.",
)
@click.option("--reference", help="Model to test against; logistic if it is compared, else the first.")
@fold_options
@comparison_options
@click.option("--plot", type=FILE, callback=check_figure, help="Figure to write (png, svg or pdf).")
@report_options
@json_option
def compare(
    data, columns, reading, models, reference, cv, seed, plot, report, group_column, costs, as_json, **settings
) -> None:
    """Compare models on the same folds.

    DATA is a file, or the name of a data set (see `aucmax datasets`).
    """
    for path in (plot, report, settings["resume"]):
        check_output(path, data)
    if not is_file(data):
        others = {"format": reading["format"], "group-column": group_column}
        check_file_options(str(data), [*columns.given, *(name for name, value in others.items() if value)])
    check_reference(reference, models or DEFAULT_MODELS)
    if plot is not None:  # before any work: is matplotlib there?
        ax = new_figure(len(models or DEFAULT_MODELS), pyplot=False).subplots()
    with progress_bar(f"reading {data}") as update:
        rows = find_training_data(data, columns, reading, group_column)
        settings |= {"cv": rows.folds(cv), "random_state": seed, "reference": reference}
        comparison = compare_models(rows, models, update, ignore=columns.ignore, **settings)
    show_findings(rows.findings)
    if as_json:
        found = [finding.to_dict() for finding in (*rows.findings, *comparison.findings)]
        written = {name: None if path is None else str(path) for name, path in (("plot", plot), ("report", report))}
        print_json({**rows.to_dict(), **comparison.to_dict(), "findings": found, **written})
    else:
        show_data(rows, pos_label_given=columns.positive is not None or not is_file(data))
        show_comparison(comparison, comparison.summary)
    if report is not None:  # after the results, so that they are not lost if it cannot be written
        write_comparison_report(comparison, rows, PageOptions(report, group_column, costs), seed=seed)
        echo(f"report: {report}", err=as_json)
    if plot is not None:
        write_plot(comparison, rows, ax, plot)
        echo(f"figure: {plot}", err=as_json)
