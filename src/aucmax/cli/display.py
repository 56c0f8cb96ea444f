"""Terminal output for people: tables and sentences. Programs get `print_json` of `terminal`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from aucmax.cli.evaluate import Evaluation
from aucmax.cli.explain import FileExplanation
from aucmax.cli.fit import FitReport
from aucmax.cli.fit_in_passes import PassFitReport
from aucmax.cli.terminal import echo, printable
from aucmax.cli.training_data import TrainingData
from aucmax.comparison import Comparison
from aucmax.explanation import ColumnImportance
from aucmax.explanation.result import KINDS
from aucmax.tables.findings.finding import quoted

COLOURS = {"better": "green", "worse": "red", "equivalent": "blue", "undecided": "yellow"}
NUMBERS = ("AUC", "difference", "p", "s/fit")  # columns of a comparison that are aligned at the right
MOST_COLUMNS = 20  # of an explanation on the screen
WIDTH = 200  # of tables that do not go to a terminal


def show_data(data: TrainingData, pos_label_given: bool) -> None:
    """Number of rows and features, the positive class and its rate, and left-out columns that no warning names."""
    summary = data.to_dict()
    echo(f"{data.name}: {summary['rows']:,} rows, {summary['features']:,} features")
    reason = "" if pos_label_given else " (the rarer class; choose with --positive)"
    rate = f"{summary['positives']:,} rows, {100 * summary['positive_rate']:.3g} %"
    echo(f"positive class: {data.classes[1]!r}{reason}: {rate}")
    for name, why in summary["left_out"].items():
        if not any(name in finding.columns and quoted(name) in finding.message for finding in data.findings):
            echo(f"left out: {name}: {why}")


def show_fit(report: FitReport, output: str) -> None:
    """The chosen penalty, the cross-validated AUC beside the baseline, the verdict, and the model file."""
    training = report.model.metadata.training
    threshold = report.model.metadata.threshold
    _show_choices(training)
    if threshold is not None:
        echo(f"threshold: {threshold:.6g}")
    echo(f"cross-validated AUC, {report.comparison.n_folds} folds:")
    show_comparison(report.comparison, report.comparison.sentence("aucmax"))
    if report.next_steps is not None:
        echo(report.next_steps)
    echo(f"model: {output}")


def show_pass_fit(report: PassFitReport, output: str) -> None:
    """The rows, the chosen penalty, and the AUC of the out-of-fold scores of a fit in passes."""
    facts = report.to_dict()
    echo(f"{facts['data']}: {facts['rows']:,} rows, {facts['features']:,} features, {facts['passes']} passes")
    echo(f"positive class: {facts['positive']!r}, {facts['positives']:,} rows")
    for name, why in facts["left_out"].items():
        echo(f"column {name!r} left out: {why}")
    _show_choices(report.model.metadata.training)
    if facts["threshold"] is not None:
        echo(f"threshold: {facts['threshold']:.6g}")
    if facts["auc"] is not None:
        interval = f"95 % interval {facts['auc_low']:.4f} to {facts['auc_high']:.4f}"
        echo(f"AUC of the out-of-fold scores: {facts['auc']:.4f}, {interval}")
    else:
        echo("not cross-validated: alpha was not tuned; evaluate the model on rows that it has not seen")
    echo(f"model: {output}")


def _show_choices(training: dict[str, Any]) -> None:
    """The weights of the members of a stack, or kernel, alpha, loss, penalty and solver: of the heaviest setting."""
    if "weights" in training:
        echo("weights: " + ", ".join(f"{name} {weight:.2f}" for name, weight in training["weights"].items()))
        return
    penalty = "L2" if training["l1_ratio"] == 0 else f"l1_ratio {training['l1_ratio']:g}"
    if "averaged" in training:
        gamma = "" if training["gamma"] is None else f", gamma {training['gamma']:.3g}"
        several = f", the heaviest of {training['averaged']} settings that are averaged"
        echo(f"kernel: {training['kernel']}{gamma}{several if training['averaged'] > 1 else ''}")
    settings = f"{training['loss']} loss, {penalty}, solver {training['solver']}"
    echo(f"alpha: {training['alpha']:.4g} ({settings})")


def show_comparison(comparison: Comparison, sentence: str) -> None:
    """A table of the models, the best first, the verdict in that sentence, and what should be known of the models."""
    header, rows = comparison.cells()
    _print_table(header, rows, right=[j for j, name in enumerate(header) if name in NUMBERS])
    verdict, colon, rest = sentence.partition(": ")
    echo(colon + rest, start=click.style(verdict, fg=COLOURS.get(verdict)))
    for remark in (*comparison.notes, *comparison.findings):
        echo(str(remark))


def show_evaluation(evaluation: Evaluation, classes: Sequence[Any]) -> None:
    """AUC with its interval, and the confusion matrix at the threshold."""
    negative, positive = classes
    it = evaluation
    echo(f"{it.rows:,} rows, {it.positives:,} of them {positive!r}")
    if it.low is None or it.high is None:
        interval = "no interval: a class has a single row"
    else:
        interval = f"95 % interval {it.low:.4f} to {it.high:.4f}"
    echo(f"AUC {it.auc:.4f}, {interval}")
    echo(f"break-even point: precision = recall = {it.break_even:.4f}")
    echo(f"confusion matrix at the threshold {it.threshold:.6g}:")
    rows = [
        (f"actual {positive}", _weight(it.tp), _weight(it.fn)),
        (f"actual {negative}", _weight(it.fp), _weight(it.tn)),
    ]
    _print_table(("", f"predicted {positive}", f"predicted {negative}"), rows, right=(1, 2))
    rates = ("tpr", "fpr", "precision", "f1")
    echo(", ".join(f"{name} {getattr(it, name):.4f}" for name in rates))


def _weight(total: float) -> str:
    """A number of rows, or the sum of their weights, of which six digits are shown.

    Examples
    --------
    >>> _weight(1811213.0), _weight(1811213.25), _weight(17.25)
    ('1,811,213', '1,811,213', '17.25')
    """
    return f"{total:,.0f}" if total == round(total) or total >= 1e6 else f"{total:,g}"


def show_explanation(found: FileExplanation) -> None:
    """The most important columns with their intervals, correlated groups, and contributions to scores of rows."""
    it = found.explanation
    echo(f"importance: {KINDS[it.kind]}, on {it.n_rows:,} rows")
    cells = map(_importance_cells, it.columns[:MOST_COLUMNS])
    _print_table(("column", "importance", "95 % interval"), cells, right=(1,))
    if len(it.columns) > MOST_COLUMNS:
        echo(f"{len(it.columns) - MOST_COLUMNS} less important columns are not shown; --json lists all")
    if it.note:
        echo(it.note)
    for group in it.groups:
        echo(f"correlated, so that one may stand for the others: {', '.join(group)}")
    for number, (score, values) in enumerate(zip(found.rows.scores, found.rows.values), 1):
        largest = sorted(zip(found.rows.names, values), key=lambda pair: -abs(pair[1]))[:5]
        parts = ", ".join(f"{name} {value:+.4f}" for name, value in largest)
        rest = ", and others" if len(found.rows.names) > len(largest) else ""
        echo(f"row {number}: score {score:.4f} = {found.rows.baseline:.4f} on average, {parts}{rest}")


def _importance_cells(column: ColumnImportance) -> tuple[str, ...]:
    sign = "" if column.direction is None else "+" if column.direction >= 0 else "-"
    interval = "" if column.low is None else f"{column.low:.4f} - {column.high:.4f}"
    return (column.name, f"{sign}{column.importance:.4f}", interval)


def show_list(items: list[dict[str, Any]]) -> None:
    """A table with a column for every key."""
    _print_table(tuple(items[0]), [tuple(_cell(value) for value in item.values()) for item in items])


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _print_table(header: Iterable[str], rows: Iterable[tuple[str, ...]], right: Sequence[int] = ()) -> None:
    """Print cells that may look like markup, control characters escaped."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for j, name in enumerate(header):
        table.add_column(printable(name), justify="right" if j in right else "left")
    for cells in rows:
        table.add_row(*map(printable, cells))
    console = Console(markup=False, highlight=False, emoji=False)
    console.width = console.width if console.is_terminal else WIDTH
    console.print(table)
