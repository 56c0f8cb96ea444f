"""Arguments and options that several commands share, and the validation of option values.

Those that need solvers or models are in `training_options`: `aucmax score` should not import these.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import click

from aucmax.tables.findings.finding import check_codes
from aucmax.tables.read_limits import ReadLimits
from aucmax.tables.read_table import FORMATS

FILE = click.Path(path_type=Path)
STDIN = Path("/dev/stdin")
FIGURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")
RATES = ("fpr", "tpr", "precision")


def parse_rate(context: Any, parameter: Any, text: str | None) -> dict[str, float] | None:
    """fpr=0.01 as {"fpr": 0.01}."""
    if text is None:
        return None
    name, _, number = map(str.strip, text.partition("="))
    try:
        rate = float(number)
    except ValueError:
        rate = math.nan
    if name not in RATES or not 0 <= rate <= 1:
        raise click.BadParameter(f"{text!r}; give fpr=, tpr= or precision= and a rate from 0 to 1")
    return {name: rate}


def check_finite(context: Any, parameter: Any, value: float | None) -> float | None:
    """Refuse NaN and infinity."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value}; give a finite number")
    return value


def parse_names(known: Collection[str]) -> Callable:
    """A callback that parses comma-separated names, all of which must be known."""

    def parse(context: Any, parameter: Any, text: str | None) -> list[str] | None:
        if text is None:
            return None
        names = [name.strip() for name in text.split(",")]
        unknown = [name for name in names if name not in known]
        if unknown:
            raise click.BadParameter(f"unknown {unknown}; choose from {list(known)}")
        return names

    return parse


def parse_codes(context: Any, parameter: Any, given: tuple[str, ...]) -> tuple[str, ...]:
    """Comma-separated codes of findings, given once or several times."""
    codes = tuple(code.strip().upper() for text in given for code in text.split(","))
    try:
        check_codes(codes)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return codes


def check_figure(context: Any, parameter: Any, path: Path | None) -> Path | None:
    """Refuse a figure format that cannot be written."""
    if path is not None and path.suffix.lower() not in FIGURES:
        raise click.BadParameter(f"{str(path)!r}; the file extension must be one of {list(FIGURES)}")
    return path


def check_page(context: Any, parameter: Any, path: Path | None) -> Path | None:
    """Refuse a report that a browser would not open as a page."""
    if path is not None and path.suffix.lower() not in PAGES:
        raise click.BadParameter(f"{str(path)!r}; the file extension must be one of {list(PAGES)}")
    return path


def _dash_is_stdin(context: Any, parameter: Any, path: Path) -> Path:
    return STDIN if str(path) == "-" else path


def combine(*options: Callable) -> Callable:
    """Several options as one decorator, in the order in which the help lists them."""

    def decorate(function: Callable) -> Callable:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_file_options = combine(
    click.option(
        "--format",
        type=click.Choice(list(FORMATS)),
        help="Format of DATA; inferred from the file extension if not given.",
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        default="utf-8",
        show_default=True,
        help="Encoding of a CSV or JSON lines file, such as latin-1.",
    ),
    click.option(
        "--max-line",
        metavar="BYTES",
        type=click.IntRange(1),
        default=ReadLimits.line_bytes,
        show_default=True,
        help="Longest line of a CSV, JSON lines or libsvm file.",
    ),
    click.option(
        "--max-decompressed",
        metavar="BYTES",
        type=click.IntRange(1),
        help="Largest decompressed size of DATA; 200 times its size, at least 64 MiB (Parquet: 1 GiB), if not given.",
    ),
)


def reading_options(command: Callable) -> Callable:
    """The options on how DATA is read, passed on as the keyword arguments `reading` of `aucmax.tables.read`."""

    @functools.wraps(command)
    def collect(
        format: str | None, encoding: str, max_line: int, max_decompressed: int | None, **arguments: Any
    ) -> Any:
        limits = ReadLimits(max_line, max_decompressed)
        return command(reading={"format": format, "encoding": encoding, "limits": limits}, **arguments)

    return _file_options(collect)


data_argument = click.argument("data", type=FILE, callback=_dash_is_stdin)
model_option = click.option("--model", "model_file", type=FILE, required=True, help="Model file from `aucmax fit`.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON to stdout.")
decimal_option = click.option(
    "--decimal",
    type=click.Choice(["auto", ".", ","]),
    default="auto",
    show_default=True,
    help="Decimal mark of columns whose cells are ambiguous, as 1,234 is.",
)
weight_option = click.option(
    "--weight", metavar="COLUMN", help="Column of row weights; a weight of 3 counts as three rows."
)
ignore_option = click.option(
    "--ignore",
    metavar="CODES",
    multiple=True,
    callback=parse_codes,
    help="Comma-separated codes of findings that are not shown, such as AUC105 (docs/findings.md).",
)
fold_options = combine(
    click.option("--cv", type=click.IntRange(2), default=5, show_default=True, help="Number of folds."),
    click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Random seed."),
)
report_options = combine(
    click.option("--report", type=FILE, callback=check_page, help="Page to write (html): one file, for a browser."),
    click.option(
        "--group-column", metavar="COLUMN", help="Column whose values, or months, are evaluated separately."
    ),
    click.option(
        "--costs",
        nargs=2,
        type=click.FloatRange(0),
        metavar="MISSED FALSE_ALARM",
        help="Costs of a missed positive and of a false alarm, for the thresholds of the report.",
    ),
)
