"""Options of the commands that fit models, and checks of the settings that depend on each other."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any

import click

from aucmax.cli.options import FILE, combine, decimal_option, ignore_option, reading_options, weight_option
from aucmax.cli.training_data import ColumnOptions
from aucmax.comparison.statistics import ROPE
from aucmax.scale.memory import parse_memory
from aucmax.solvers import SOLVERS
from aucmax.solvers.registry import losses_of


def check_memory(context: Any, parameter: Any, memory: str | None) -> str | None:
    """Refuse a value that is not a size in bytes."""
    if memory is not None:
        try:
            parse_memory(memory)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return memory


memory_option = click.option(
    "--memory",
    metavar="SIZE",
    callback=check_memory,
    help="Memory for chunks, such as 1GB: DATA, a file or a quoted glob, is read in chunks (docs/scale.md).",
)


def choose_losses(settings: dict[str, Any]) -> list[str]:
    """The losses of --loss, or else the default; losses that the solver does not support are refused."""
    solver = settings["solver"]
    losses = settings["loss"]
    if solver is None:
        return losses or ["squared" if settings["kernel"] else "auto"]
    losses = losses or [SOLVERS[solver].losses[0].name]
    supported = losses_of(SOLVERS[solver])
    if len(losses) > 1 or losses[0] not in supported:
        raise click.UsageError(
            f"--solver {solver} supports the losses {supported}; choose one of them with --loss, or omit --loss"
        )
    return losses


def choose_decision(settings: dict[str, Any]) -> str:
    """Where predictions cut the scores: --decision, or else the default; refused where something else decides."""
    if settings["decision"] is not None and settings["threshold_at"] is not None:
        raise click.UsageError("--decision and --threshold-at both choose the threshold; give one of them")
    if settings["decision"] == "probability" and settings["solver"] is not None:
        raise click.UsageError("--decision probability needs probabilities, which a fit with --solver does not give")
    return settings["decision"] or "prior"


def check_model_settings(settings: dict[str, Any]) -> None:
    """Refuse settings that a stack or a kernel model does not have."""
    given = [name for name in ("kernel", "solver", "alpha") if settings[name] is not None]
    given += [name for name in ("l1_ratio",) if settings[name] > 0]
    if settings["stack"] and (given or settings["loss"] != ["auto"]):
        raise click.UsageError(
            "--stack chooses its models itself; omit --kernel, --solver, --alpha, --l1-ratio and --loss"
        )
    if settings["kernel"] is None:
        return
    if settings["solver"] is not None or settings["l1_ratio"] > 0 or len(settings["loss"]) > 1:
        raise click.UsageError("--kernel supports the L2 penalty and a single --loss; omit --solver and --l1-ratio")


def check_file_options(name: str, options: Collection[str]) -> None:
    """Refuse options of files for a named data set."""
    given = [f"--{option}" for option in options]
    if given:
        raise click.UsageError(f"there is no file {name!r}, and {' and '.join(given)} cannot be used with a data set")


def check_reference(reference: str | None, models: Collection[str]) -> None:
    """Refuse a reference that is not among the models."""
    if reference is not None and reference not in models:
        raise click.BadParameter(f"{reference!r}; choose from {list(models)}", param_hint="--reference")


_column_options = combine(
    click.option("--target", metavar="COLUMN", help="Column of labels; not for libsvm and npz files."),
    click.option(
        "--positive", metavar="LABEL", help="Positive class; the rarer one if not given. Others are the rest."
    ),
    weight_option,
    click.option("--time", metavar="COLUMN", help="Column of times: train on the past, test on what follows."),
    click.option("--keep", metavar="COLUMN", multiple=True, help="Use a column although it looks like an id."),
    click.option("--drop", metavar="COLUMN", multiple=True, help="Leave a column out; may be repeated, as --keep."),
    decimal_option,
    ignore_option,
    reading_options,
)


def training_options(command: Callable) -> Callable:
    """The options on what the columns of DATA are used for, passed on as `columns`, and those on reading it."""
    names = [field.name for field in fields(ColumnOptions)]

    @functools.wraps(command)
    def collect(**arguments: Any) -> Any:
        columns = ColumnOptions(**{name: arguments.pop(name) for name in names})
        return command(columns=columns, **arguments)

    return _column_options(collect)


comparison_options = combine(
    click.option(
        "--repeats", type=click.IntRange(1), default=1, show_default=True, help="How often to split into folds."
    ),
    click.option(
        "--rope",
        type=click.FloatRange(0, 1),
        default=ROPE,
        show_default=True,
        help="Differences of AUC up to this do not matter.",
    ),
    click.option("--resume", type=FILE, help="File of finished fits, to resume an interrupted comparison."),
    click.option("--jobs", "n_jobs", type=int, help="Processes that fit at the same time; -1 for all cores."),
)
