"""The commands: each parses its arguments, calls the library and prints the result."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from aucmax import datasets as data_sets
from aucmax.cli.compare import compare_models, write_figure, write_plot
from aucmax.cli.display import (
    print_json,
    show_comparison,
    show_data,
    show_evaluation,
    show_explanation,
    show_findings,
    show_fit,
    show_list,
    show_pass_fit,
)
from aucmax.cli.evaluate import evaluate_rows, evaluated_comparison, score_labeled_rows
from aucmax.cli.explain import explain_file
from aucmax.cli.export import check_agreement, check_file
from aucmax.cli.fit import FitSettings, fit_model
from aucmax.cli.fit_in_passes import fit_in_passes, is_glob
from aucmax.cli.group import aucmax
from aucmax.cli.options import (
    FILE,
    check_figure,
    check_file_options,
    check_finite,
    check_memory,
    check_model_settings,
    check_reference,
    choose_losses,
    comparison_options,
    data_argument,
    fold_options,
    ignore_option,
    json_option,
    model_option,
    parse_names,
    parse_rate,
    reading_options,
    report_options,
    training_options,
    weight_option,
)
from aucmax.cli.output import check_output
from aucmax.cli.progress import progress_bar
from aucmax.cli.report import write_comparison_report, write_evaluation_report
from aucmax.cli.score import ScoreWriter, write_scores
from aucmax.cli.stream import Progress, StreamRun, stream_format
from aucmax.cli.stream_start import StreamSettings
from aucmax.cli.terminal import echo
from aucmax.cli.training_data import find_training_data, is_file, read_training_data
from aucmax.comparison import DEFAULT_MODELS, STANDARD_MODELS
from aucmax.kernels.functions import KERNEL_NAMES
from aucmax.losses import LOSSES
from aucmax.models import export as export_model
from aucmax.models import load, save
from aucmax.models.exports import FORMATS as EXPORT_FORMATS
from aucmax.models.exports import check_installed
from aucmax.plots.axes import new_figure
from aucmax.solvers import SOLVERS
from aucmax.solvers.registry import losses_of
from aucmax.streaming.drift import Drift
from aucmax.tables.atomic_write import is_pipe_or_device
from aucmax.tables.table_writer import open_writer, text_writer

STREAMING = [name for name, solver in SOLVERS.items() if solver.online]


@aucmax.command()
@data_argument
@training_options
@click.option("-o", "--output", type=FILE, required=True, help="Model file (JSON); parent folders are created.")
@click.option(
    "--loss",
    callback=parse_names(["auto", *LOSSES]),
    help="Pairwise loss, or comma-separated names of which the best is used; default: auto (squared, unless another "
    "is better by more than chance), squared with --kernel, or that of --solver.",
)
@click.option(
    "--l1-ratio",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Fraction of the l1 norm in the penalty.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0),
    callback=check_finite,
    help="Strength of the penalty; chosen by cross-validated AUC if not given.",
)
@click.option(
    "--kernel", type=click.Choice(["auto", *KERNEL_NAMES]), help="Fit a nonlinear model; auto: with the best kernel."
)
@click.option(
    "--stack", is_flag=True, help="Fit a stack: a kernel model, extra trees and, from 500 rows, boosting, blended."
)
@click.option("--solver", type=click.Choice(list(SOLVERS)), help="Fit with this solver, without tuning alpha.")
@fold_options
@click.option(
    "--threshold-at", metavar="RATE", callback=parse_rate, help='Choose the threshold by a rate, e.g. "fpr=0.01".'
)
@click.option("--baseline/--no-baseline", default=True, help="Compare with a tuned logistic regression.")
@click.option(
    "--memory",
    metavar="SIZE",
    callback=check_memory,
    help="Most memory to use, such as 1GB: DATA, a file or a quoted glob, is read in passes (docs/scale.md).",
)
@json_option
@click.option("--quiet", is_flag=True, help="Print only warnings and errors.")
def fit(data, columns, reading, output, as_json, quiet, memory, **settings) -> None:
    """Fit a model to a table, evaluate it by cross-validation, and save it."""
    check_output(output, data)
    settings["loss"] = choose_losses(settings)
    check_model_settings(settings)
    if memory is not None or is_glob(data):
        with progress_bar(f"reading {data}") as update:
            found = fit_in_passes(str(data), columns, reading, FitSettings(**settings), memory, update)
        save(found.model, output)
        if as_json:
            print_json(found.to_dict() | {"model": str(output)})
        elif not quiet:
            show_pass_fit(found, str(output))
        return
    with progress_bar(f"reading {data}") as update:
        rows = read_training_data(data, columns, reading)
        report = fit_model(rows, FitSettings(**settings), update)
    save(report.model, output)
    show_findings(rows.findings)
    if as_json:
        print_json(report.to_dict() | {"model": str(output)})
    elif not quiet:
        show_data(rows, pos_label_given=columns.positive is not None)
        show_fit(report, str(output))


@aucmax.command()
@data_argument
@reading_options
@model_option
@click.option(
    "-o", "--output", type=FILE, help="File to write: .csv, .jsonl, .parquet or .arrow; CSV to stdout if not given."
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


@aucmax.command()
@data_argument
@reading_options
@model_option
@click.option("--target", metavar="COLUMN", help="Column of labels; that of training if not given.")
@weight_option
@ignore_option
@report_options
@json_option
def evaluate(data, reading, model_file, target, weight, ignore, report, group_column, costs, as_json) -> None:
    """Evaluate a saved model on a table with labels."""
    check_output(report, data, model_file)
    model = load(model_file)
    with progress_bar(f"scoring {data}"):
        rows = score_labeled_rows(model, data, target, weight, reading, group_column)
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
        write_evaluation_report(comparison, rows, data, report, group_column=group_column, costs=costs, ignore=ignore)
        echo(f"report: {report}", err=as_json)


@aucmax.command()
@click.argument("model_file", metavar="MODEL", type=FILE)
@data_argument
@reading_options
@click.option("--target", metavar="COLUMN", help="Column of labels; that of training if not given.")
@weight_option
@click.option("--rows", type=click.IntRange(0), default=0, help="Also explain the scores of the first rows.")
@click.option("--plot", type=FILE, callback=check_figure, help="Figure to write (png, svg or pdf).")
@json_option
def explain(model_file, data, reading, target, weight, rows, plot, as_json) -> None:
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
    """Write a saved model as ONNX, SQL or a Python file without dependencies."""
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


@aucmax.command()
@data_argument
@click.option(
    "--target", metavar="COLUMN", help="Column of labels; that of the checkpoint or the model if not given."
)
@click.option("--checkpoint", type=FILE, required=True, help="Model file to write, and to go on from if it exists.")
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
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Random seed.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON after each checkpoint.")
@click.option("--quiet", is_flag=True, help="Print only warnings and errors.")
def stream(data, checkpoint, reading, as_json, quiet, **settings) -> None:
    """Learn from rows as they come, with checkpoints.

    DATA is a CSV or JSON lines file, a pipe, or - for stdin. A rerun goes on from the checkpoint.
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
        show_comparison(comparison)
    if report is not None:  # after the results, so that they are not lost if it cannot be written
        write_comparison_report(comparison, rows, report, seed=seed, group_column=group_column, costs=costs)
        echo(f"report: {report}", err=as_json)
    if plot is not None:
        write_plot(comparison, rows, ax, plot)
        echo(f"figure: {plot}", err=as_json)


@aucmax.command()
@json_option
def solvers(as_json) -> None:
    """List the solvers."""
    items: list[dict[str, Any]] = [
        {
            "name": name,
            "losses": losses_of(solver),
            "default_for": list(solver.default_for),
            "streams": solver.online,
            "description": (solver.__doc__ or "").strip().splitlines()[0],
        }
        for name, solver in SOLVERS.items()
    ]
    print_json(items) if as_json else show_list(items)


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
