"""The command `aucmax fit`: its options, and what it prints."""

from __future__ import annotations

import click

from aucmax.cli.display import show_data, show_fit, show_pass_fit
from aucmax.cli.fit import fit_model
from aucmax.cli.fit_in_passes import fit_in_passes
from aucmax.cli.fit_settings import FitSettings
from aucmax.cli.group import aucmax
from aucmax.cli.options import (
    FILE,
    check_finite,
    data_argument,
    fold_options,
    json_option,
    parse_names,
    parse_rate,
)
from aucmax.cli.output import check_output
from aucmax.cli.progress import pass_progress, progress_bar
from aucmax.cli.terminal import print_json, show_findings
from aucmax.cli.training_data import read_training_data
from aucmax.cli.training_options import (
    check_model_settings,
    choose_decision,
    choose_losses,
    memory_option,
    training_options,
)
from aucmax.kernels.functions import KERNEL_NAMES
from aucmax.losses import LOSSES
from aucmax.models import save
from aucmax.scale.source import is_glob
from aucmax.solvers import SOLVERS


@aucmax.command()
@data_argument
@training_options
@click.option("-o", "--output", type=FILE, required=True, help="Model file (JSON); parent folders are created.")
@click.option(
    "--loss",
    callback=parse_names(["auto", *LOSSES]),
    help="Pairwise loss, or comma-separated names, the best of which is used; default: auto (squared, unless another "
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
    "--kernel",
    type=click.Choice(["auto", *KERNEL_NAMES]),
    help="Fit a nonlinear model, an average over settings of the kernel; auto: of several kernels.",
)
@click.option(
    "--stack", is_flag=True, help="Fit a stack: a kernel model, extra trees and, from 500 rows, boosting, blended."
)
@click.option("--solver", type=click.Choice(list(SOLVERS)), help="Fit with this solver, without tuning alpha.")
@fold_options
@click.option(
    "--threshold-at", metavar="RATE", callback=parse_rate, help='Choose the threshold by a rate, e.g. "fpr=0.01".'
)
@click.option(
    "--decision",
    type=click.Choice(["prior", "probability", "balanced"]),
    help="Where predictions cut the scores: so that as many are positive as in training (prior, the default), at "
    "probability 1/2, or midway between the class means.",
)
@click.option("--baseline/--no-baseline", default=True, help="Compare with a tuned logistic regression.")
@memory_option
@json_option
@click.option("--quiet", is_flag=True, help="Print only warnings and errors.")
def fit(data, columns, reading, output, as_json, quiet, memory, **settings) -> None:
    """Fit a model to a table, evaluate it by cross-validation, and save it."""
    check_output(output, data)
    settings["loss"] = choose_losses(settings)
    settings["decision"] = choose_decision(settings)
    check_model_settings(settings)
    if memory is not None or is_glob(data):
        with pass_progress(f"reading {data}", quiet) as progress:
            fitted = fit_in_passes(str(data), columns, reading, FitSettings(**settings), memory, progress)
        save(fitted.model, output)
        if as_json:
            print_json(fitted.to_dict() | {"model": str(output)})
        elif not quiet:
            show_pass_fit(fitted, str(output))
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
