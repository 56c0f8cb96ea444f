"""The commands: words in, a call, and a screen."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import click

from aucmax import datasets as named_sets
from aucmax.cli.errors import ErrorHandlingGroup
from aucmax.cli.fitting import FitSettings, fit_model
from aucmax.cli.output import check_output
from aucmax.cli.progress import watching
from aucmax.cli.scoring import evaluate_file, write_scores
from aucmax.cli.screen import as_json, show_comparison, show_evaluation, show_fit, show_list, show_source, title
from aucmax.cli.source import is_file, load_source, read_source
from aucmax.comparison import STANDARD_MODELS
from aucmax.comparison import compare as compare_models
from aucmax.estimators.kernel_checks import NAMES as KERNEL_NAMES
from aucmax.losses import LOSSES
from aucmax.models import load, save
from aucmax.plots.axes import new_axes
from aucmax.plots.comparison import plot_comparison
from aucmax.solvers import SOLVERS
from aucmax.tables import FORMATS
from aucmax.tables.writing import atomic_write, is_special

FILE = click.Path(path_type=Path)
STDIN = Path("/dev/stdin")
PICTURES = (".png", ".svg", ".pdf")


def _demand(context: Any, parameter: Any, text: str | None) -> dict[str, float] | None:
    """fpr=0.01 as {"fpr": 0.01}."""
    if text is None:
        return None
    goal, _, bound = text.partition("=")
    try:
        demand = {goal.strip(): float(bound)}
    except ValueError:
        demand = {}
    if not demand.keys() & {"fpr", "tpr", "precision"} or not 0 <= demand[goal.strip()] <= 1:
        raise click.BadParameter(f"{text!r}; give fpr=, tpr= or precision= and a rate from 0 to 1")
    return demand


def _finite(context: Any, parameter: Any, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value}; give a finite number")
    return value


def _names(known: Collection[str]) -> Callable:
    """A callback that takes a,b as ["a", "b"], all of them known."""

    def split(context: Any, parameter: Any, text: str | None) -> list[str] | None:
        if text is None:
            return None
        names = [name.strip() for name in text.split(",")]
        unknown = [name for name in names if name not in known]
        if unknown:
            raise click.BadParameter(f"unknown {unknown}; choose from {list(known)}")
        return names

    return split


def _check_kernel(solver: str | None, l1_ratio: float, loss: list[str], **others: Any) -> None:
    """Refuse what a kernel has no use for."""
    if solver is not None or l1_ratio > 0 or len(loss) > 1:
        raise click.UsageError("--kernel goes with L2 and a single --loss; leave --solver and --l1-ratio out")


def _piped(context: Any, parameter: Any, path: Path) -> Path:
    """- as what is piped in."""
    return STDIN if str(path) == "-" else path


def _check_named(name: str, **options: str | None) -> None:
    """Refuse the options of files for what is none."""
    given = [f"--{option}" for option, value in options.items() if value is not None]
    if given:
        raise click.UsageError(f"there is no file {name!r}, and a data set takes no {' and no '.join(given)}")


def _picture(context: Any, parameter: Any, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in PICTURES:
        raise click.BadParameter(f"{str(path)!r}; the name must end in one of {list(PICTURES)}")
    return path


def _options(*options: Callable) -> Callable:
    """Several options as one decorator, in the order in which the help lists them."""

    def decorate(function: Callable) -> Callable:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _check_solver(*, solver: str | None, loss: list[str], **others: Any) -> None:
    """A solver fits one loss, and one that it takes."""
    if solver is None:
        return
    taken = [name for name, kind in LOSSES.items() if issubclass(kind, SOLVERS[solver].losses)]
    if len(loss) > 1 or loss[0] not in taken:
        raise click.UsageError(f"--solver {solver} fits one of the losses {taken}; give --loss so, or leave it out")


data_file = click.argument("data", type=FILE, callback=_piped)
with_format = click.option(
    "--format", type=click.Choice(list(FORMATS)), help="Format of DATA; told by the end of its name if not given."
)
as_machine = click.option("--json", "machine", is_flag=True, help="JSON on stdout, for machines.")
weighted = click.option("--weight", metavar="COLUMN", help="Column of row weights; 3 counts as three rows.")
rows_in = _options(
    click.option("--target", metavar="COLUMN", help="Column of labels; not for libsvm and npz files."),
    click.option("--positive", metavar="LABEL", help="Label to rank first; the rarer one if not given."),
    weighted,
    with_format,
)
folds = _options(
    click.option("--cv", type=click.IntRange(2), default=5, show_default=True, help="Number of folds."),
    click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Fixes the folds."),
)


@click.group(cls=ErrorHandlingGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="aucmax")
def aucmax() -> None:
    """Rank positives above negatives by maximising AUC itself."""


@aucmax.command()
@data_file
@rows_in
@click.option(
    "-o", "--output", type=FILE, required=True, help="The model file to write (JSON); its folder is made if need be."
)
@click.option(
    "--loss",
    callback=_names(LOSSES),
    help="Several with commas: the best. If not given: squared, or that of the solver.",
)
@click.option("--l1-ratio", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of l1.")
@click.option(
    "--alpha", type=click.FloatRange(0), callback=_finite, help="Strength of the penalty; chosen by AUC if not given."
)
@click.option(
    "--kernel", type=click.Choice(["auto", *KERNEL_NAMES]), help="A nonlinear model; auto: the best kernel."
)
@click.option("--solver", type=click.Choice(list(SOLVERS)), help="Fit with this solver, without tuning alpha.")
@folds
@click.option("--threshold-at", metavar="RATE", callback=_demand, help='Where to decide, e.g. "fpr=0.01".')
@click.option("--baseline/--no-baseline", default=True, help="Compare with a tuned logistic regression.")
@as_machine
@click.option("--quiet", is_flag=True, help="Say nothing unless something is wrong.")
def fit(data, target, positive, weight, format, output, machine, quiet, **settings) -> None:
    """Fit a model to a table, judge it on rows it has not seen, and save it."""
    check_output(output, data)
    if settings["loss"] is None:
        settings["loss"] = ["squared" if settings["solver"] is None else SOLVERS[settings["solver"]].losses[0].name]
    _check_solver(**settings)
    if settings["kernel"] is not None:
        _check_kernel(**settings)
    with watching(f"reading {data}") as report:
        source = read_source(data, target, positive, weight, format)
        fitted = fit_model(source, FitSettings(**settings), report)
    save(fitted.model, output)
    if machine:
        as_json(fitted.to_dict() | {"model": str(output)})
    elif not quiet:
        show_source(source, chosen=positive is not None)
        show_fit(fitted, str(output))


@aucmax.command()
@data_file
@with_format
@click.option("--model", "model_file", type=FILE, required=True, help="A model written by `aucmax fit`.")
@click.option("-o", "--output", type=FILE, help="The CSV file to write; stdout if not given.")
@click.option("--id", "id_column", metavar="COLUMN", help="Column to copy in front of the scores.")
@click.option("--json", "machine", is_flag=True, help="JSON on stdout, for machines; needs --output.")
def score(data, format, model_file, output, id_column, machine) -> None:
    """Score the rows of a table with a saved model, chunk by chunk."""
    check_output(output, data, model_file)
    if output is None and machine:
        raise click.UsageError("--json needs --output, since the scores themselves go to stdout")
    model = load(model_file)
    if output is None:
        write_scores(model, data, sys.stdout, id_column, lambda *done: None, format)
        return
    with watching(f"scoring {data}") as report, atomic_write(output) as file:
        rows = write_scores(model, data, file, id_column, report, format)
    if machine:
        as_json({"data": str(data), "model": str(model_file), "rows": rows, "output": str(output)})
    else:
        click.echo(f"{rows:,} rows scored: {output}", err=is_special(output))


@aucmax.command()
@data_file
@with_format
@click.option("--model", "model_file", type=FILE, required=True, help="A model written by `aucmax fit`.")
@click.option("--target", metavar="COLUMN", help="Column of labels; that of the training if not given.")
@weighted
@as_machine
def evaluate(data, format, model_file, target, weight, machine) -> None:
    """Judge a saved model on a table with labels."""
    model = load(model_file)
    with watching(f"scoring {data}"):
        evaluation = evaluate_file(model, data, target, weight, format)
    if machine:
        as_json({"data": str(data), "model": str(model_file), **evaluation.to_dict()})
    else:
        show_evaluation(evaluation, model.classes)


@aucmax.command()
@data_file
@rows_in
@click.option(
    "--models",
    callback=_names([*STANDARD_MODELS, *SOLVERS]),
    help="Names with commas between; all standard ones if not given.",
)
@click.option("--reference", help="The model to test against; logistic if it is there, else the first.")
@folds
@click.option("--plot", type=FILE, callback=_picture, help="A picture to write (png, svg or pdf).")
@as_machine
def compare(data, target, positive, weight, format, models, reference, cv, seed, plot, machine) -> None:
    """Compare models on the same folds of DATA: a file, or the name of a data set (see `aucmax datasets`)."""
    check_output(plot, data)
    if not is_file(data):
        _check_named(str(data), target=target, weight=weight, format=format)
    if reference is not None and reference not in (models or STANDARD_MODELS):
        choices = list(models or STANDARD_MODELS)
        raise click.BadParameter(f"{reference!r}; choose from {choices}", param_hint="--reference")
    ax = None if plot is None else new_axes(len(models or STANDARD_MODELS))
    with watching(f"reading {data}") as report:
        if is_file(data):
            source = read_source(data, target, positive, weight, format)
        else:
            source = load_source(str(data), positive)
        settings = {"cv": cv, "random_state": seed, "reference": reference, "sample_weight": source.weight}
        comparison = compare_models(source.X, source.y, models, progress=report, **settings)
    if ax is not None:
        plot_comparison(comparison, ax).set_title(title(source))
        with atomic_write(plot, "wb") as file:
            ax.figure.savefig(file, format=plot.suffix[1:].lower(), dpi=150)
    if machine:
        as_json({**source.to_dict(), **comparison.to_dict(), "plot": None if plot is None else str(plot)})
        return
    show_source(source, chosen=positive is not None or not is_file(data))
    show_comparison(comparison)
    if plot is not None:
        click.echo(f"picture: {plot}")


@aucmax.command()
@as_machine
def solvers(machine) -> None:
    """List the solvers."""
    items: list[dict[str, Any]] = [
        {
            "name": name,
            "losses": [loss for loss, kind in LOSSES.items() if issubclass(kind, solver.losses)],
            "streams": solver.online,
            "what": (solver.__doc__ or "").strip().splitlines()[0],
        }
        for name, solver in SOLVERS.items()
    ]
    as_json(items) if machine else show_list([item | {"losses": ", ".join(item["losses"])} for item in items])


@aucmax.command()
@as_machine
def datasets(machine) -> None:
    """List the named data sets; most need a folder of files, named by AUCMAX_DATA."""
    here = named_sets.names(available=True)
    items = [
        {"name": name, "available": name in here, "source": named_sets.source(name)} for name in named_sets.names()
    ]
    as_json(items) if machine else show_list(items)
