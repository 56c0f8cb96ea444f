"""What a person sees: tables and sentences. Machines get `as_json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from aucmax.cli.fitting import FitReport
from aucmax.cli.scoring import Evaluation
from aucmax.cli.source import Source
from aucmax.comparison import Comparison, ComparisonRow

COLOURS = {"better": "green", "worse": "red", "tie": "yellow"}


def as_json(value: dict[str, Any] | list[Any]) -> None:
    """Plain JSON on stdout, and nothing else."""
    click.echo(json.dumps(value, indent=2, allow_nan=False))


def show_source(source: Source, chosen: bool) -> None:
    """Rows, positive rate and the columns that were left out."""
    facts = source.to_dict()
    click.echo(f"{source.name}: {facts['rows']:,} rows, {facts['features']:,} features")
    how = "" if chosen else ", the rarer label (--positive chooses the other)"
    rate = f"{facts['positives']:,} rows, {100 * facts['positive_rate']:.3g} %"
    click.echo(f"positive: {source.labels[1]!r}{how}: {rate}")
    for name, reason in facts["left_out"].items():
        click.echo(f"left out: {name}: {reason}")


def title(source: Source) -> str:
    """What stands above a picture."""
    return f"{source.name}: {len(source.y):,} rows, {int(source.y.sum()):,} of them positive"


def show_fit(report: FitReport, output: str) -> None:
    """The chosen penalty, AUC beside the baseline, the verdict, and where the model is."""
    training = report.model.training
    penalty = "L2" if training["l1_ratio"] == 0 else f"l1_ratio {training['l1_ratio']:g}"
    how = f"{training['loss']} loss, {penalty}, solver {training['solver']}"
    if training["kernel"] != "linear":
        click.echo(f"kernel: {training['kernel']}")
    click.echo(f"alpha: {training['alpha']:.4g} ({how})")
    if report.model.threshold is not None:
        click.echo(f"threshold: {report.model.threshold:.6g}")
    click.echo(f"out-of-fold AUC, {report.comparison.n_folds} folds:")
    show_comparison(report.comparison)
    click.echo(f"model: {output}")


def show_comparison(comparison: Comparison) -> None:
    """A table of the models, the best first, and the verdict in a sentence."""
    head = ("model", "AUC", "95 % interval", "difference", "p", "s/fit", "verdict")
    _show_table(head, [_cells(row) for row in comparison.rows], right=(1, 3, 4, 5))
    verdict, colon, rest = comparison.summary.partition(": ")
    click.echo(click.style(verdict, fg=COLOURS.get(verdict)) + colon + rest)
    for note in comparison.notes:
        click.echo(note)


def show_evaluation(evaluation: Evaluation, labels: Sequence[Any]) -> None:
    """AUC with its interval, and the decisions at the threshold."""
    it = evaluation
    click.echo(f"{it.rows:,} rows, {it.positives:,} of them {labels[1]!r}")
    one = it.low is None or it.high is None
    interval = "no interval for a class of one row" if one else f"95 % interval {it.low:.4f} to {it.high:.4f}"
    click.echo(f"AUC {it.auc:.4f}, {interval}")
    click.echo(f"precision = recall = {it.break_even:.4f} when as many rows are called positive as are")
    click.echo(f"at the threshold {it.threshold:.6g}:")
    rows = [
        (f"really {labels[1]}", f"{it.tp:,g}", f"{it.fn:,g}"),
        (f"really {labels[0]}", f"{it.fp:,g}", f"{it.tn:,g}"),
    ]
    _show_table(("", f"called {labels[1]}", f"called {labels[0]}"), rows, right=(1, 2))
    rates = ("tpr", "fpr", "precision", "f1")
    click.echo(", ".join(f"{name} {getattr(it, name):.4f}" for name in rates))


def show_list(items: list[dict[str, Any]]) -> None:
    """A table with a column for every key."""
    _show_table(tuple(items[0]), [tuple(str(value) for value in item.values()) for item in items])


def _cells(row: ComparisonRow) -> tuple[str, ...]:
    interval = f"{row.low:.4f} - {row.high:.4f}"
    compared = ("", "") if row.verdict == "reference" else (f"{row.difference:+.4f}", f"{row.p_value:.3f}")
    return (row.name, f"{row.auc:.4f}", interval, *compared, f"{row.seconds:.3f}", row.verdict)


def _show_table(head: Iterable[str], rows: Iterable[tuple[str, ...]], right: Sequence[int] = ()) -> None:
    """Plain words: what looks like markup in a label stays as it is."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for j, name in enumerate(head):
        table.add_column(name, justify="right" if j in right else "left")
    for cells in rows:
        table.add_row(*cells)
    console = Console(markup=False, highlight=False, emoji=False)
    console.width = console.width if console.is_terminal else 200
    console.print(table)
