"""The first sections: the answer in a sentence, the data, the models, and what the verdicts are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan

from aucmax.comparison.measures import Estimate
from aucmax.comparison.report.choice import headline
from aucmax.comparison.report.figures import figure
from aucmax.comparison.report.intervals import NamedInterval, interval_chart
from aucmax.comparison.report.markup import MISSING, Markup, details, element, join, shorten, table
from aucmax.comparison.report.subject import Subject
from aucmax.comparison.result import ComparisonRow
from aucmax.comparison.statistics import format_p_value
from aucmax.tables.findings.finding import Finding

__all__ = ["answer_section", "data_section", "difference_section", "finding_list", "model_section"]

MOST_NAMES = 100  # columns listed
MEASURES = {
    "average_precision": "average precision",
    "recall_at_fpr_1": "found at 1 % false alarms",
    "recall_at_fpr_5": "found at 5 % false alarms",
}


def answer_section(subject: Subject) -> Markup:
    """One sentence in plain words, and which model to use."""
    row = subject.chosen
    sentence = element("p", headline(subject.ranking, subject.facts.positive), class_="headline")
    interval = f"AUC {row.auc:.4f}, 95 % interval {row.low:.4f} to {row.high:.4f}"
    verb = "Use " if subject.several else "Model: "
    use = element("p", verb, element("strong", shorten(row.name)), f": {interval}; {subject.choice.reason}.")
    how = (
        "All figures are from rows that the models had not seen when they were fitted: "
        f"{subject.comparison.n_folds}-fold cross-validation"
        + (f", repeated {subject.comparison.n_repeats} times." if subject.comparison.n_repeats > 1 else ".")
        if subject.is_cross_validated
        else "All figures are from the rows of this table, scored by the saved model."
    )
    return join([sentence, use, element("p", how, class_="note")])


def data_section(subject: Subject) -> Markup:
    """Rows, positives, period, columns, and findings on the table."""
    comparison, facts = subject.comparison, subject.facts
    rate = 100 * comparison.n_positive / comparison.n_rows
    entries = [("Rows", f"{comparison.n_rows:,}"), ("Positives", f"{comparison.n_positive:,} ({rate:.3g} %)")]
    entries += [("Positive means", shorten(facts.positive))] if facts.positive else []
    entries += [("Period", facts.period)] if facts.period else []
    entries += [("Row weights", "yes: counts below are sums of weights")] if comparison.weight is not None else []
    entries += [("Columns used", f"{len(facts.columns):,}")] if facts.columns else []
    entries += [("Columns left out", f"{len(facts.left_out):,}")] if facts.left_out else []
    parts = [element("dl", *(element("div", element("dt", key), element("dd", text)) for key, text in entries))]
    if facts.columns:
        parts.append(details("Columns used", element("p", _listing(facts.columns))))
    if facts.left_out:
        rows = [(shorten(name), shorten(why, 200)) for name, why in list(facts.left_out.items())[:MOST_NAMES]]
        parts.append(table("Columns left out, and why", ("column", "reason"), rows, text_columns=2))
    return join([*parts, finding_list("Findings on the table", facts.findings)])


def model_section(subject: Subject) -> Markup:
    """A table of the models with all measures, and findings on them."""
    header = ["model", "AUC", *MEASURES.values()]
    rows = [
        (_name(row, subject), _estimate(row.auc, row.low, row.high), *_measures(row))
        for row in subject.comparison.rows
    ]
    shown = table("Models and their measures, with 95 % intervals", header, rows)
    parts = [shown]
    if subject.is_cross_validated:
        header = ["model", "verdict", "tuned", "fit (s)", "score (s)", "training AUC", "non-zero weights"]
        rows = [(shorten(row.name), *_fitting(row)) for row in subject.comparison.rows]
        parts.append(
            table(
                "Verdicts and fits: times of one fold and non-zero weights, with their ranges over the folds",
                header,
                rows,
                text_columns=3,
            )
        )
    notes = [element("p", note, class_="note") for note in subject.comparison.notes]
    return join([*parts, *notes, finding_list("Findings on the models", subject.comparison.findings)])


def difference_section(subject: Subject) -> Markup:
    """Paired differences to the reference, with the zero line and the region of practical equivalence."""
    comparison = subject.comparison
    tested = [row for row in comparison.rows if row.verdict != "reference"]
    lines = [
        NamedInterval(
            row.name, row.difference, row.difference_low, row.difference_high, _difference(row), row.verdict
        )
        for row in tested
    ]
    axis = f"AUC minus that of {shorten(comparison.reference, 24)}"
    rope = comparison.rope
    chart = interval_chart("differences of AUC to the reference", axis, lines, zero=0.0, rope=rope)
    rows = [
        (
            shorten(row.name),
            row.verdict,
            f"{row.difference:+.4f}",
            f"{row.difference_low:+.4f} to {row.difference_high:+.4f}",
            f"{row.equivalence_low:+.4f} to {row.equivalence_high:+.4f}",
            format_p_value(row.p_value),
            "" if row.rows_needed is None else f"{row.rows_needed:,}",
        )
        for row in tested
    ]
    header = ("model", "verdict", "difference", "95 % interval", "90 % interval", "p (Holm)", "rows needed")
    caption = (
        f"Differences on the same folds, with 95 % intervals. Right of the line at zero: better than "
        f"{comparison.reference}. Differences within the band, {rope:g} either way, do not matter."
    )
    shown = figure(caption, [chart.render()], table("Paired differences", header, rows, text_columns=2))
    words = (
        "Better or worse: the corrected test is significant at 5 %. Equivalent: the 90 % interval lies within the "
        "band. Undecided: neither, because the table is too small to tell."
    )
    return join([shown, element("p", words, class_="note")])


def finding_list(title: str, findings: Sequence[Finding]) -> Markup:
    """Findings with their codes and advice; nothing if there are none."""
    if not findings:
        return Markup("")
    items = [
        element(
            "li", element("code", finding.code), f" {shorten(finding.message, 400)}; {shorten(finding.advice, 300)}."
        )
        for finding in findings[:MOST_NAMES]
    ]
    return join([element("h3", title), element("ul", *items, class_="findings")])


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(shorten(name) for name in names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES:,} more"


def _name(row: ComparisonRow, subject: Subject) -> Markup:
    mark = element("strong", " ✓ use this") if subject.several and row is subject.chosen else Markup("")
    return join([shorten(row.name), mark])


def _estimate(value: float, low: float, high: float) -> Markup:
    return join([f"{value:.4f} ", element("span", f"{low:.4f} to {high:.4f}", class_="interval-text")])


def _measures(row: ComparisonRow) -> Iterable[Markup | str]:
    for measure in MEASURES:
        estimate: Estimate | None = row.measures.get(measure)
        yield MISSING if estimate is None else _estimate(*estimate)


def _fitting(row: ComparisonRow) -> tuple[str | Markup, ...]:
    return (
        element("span", row.verdict, class_=f"verdict {row.verdict}"),
        row.tuned,
        _ranged(row, "fit_seconds"),
        _ranged(row, "score_seconds"),
        MISSING if isnan(row.train_auc) else f"{row.train_auc:.4f}",
        _ranged(row, "nonzeros"),
    )


def _ranged(row: ComparisonRow, name: str) -> str | Markup:
    """A value and its range over the folds."""
    value = getattr(row, name)
    if value is None or isnan(value):
        return MISSING
    low, high = row.ranges.get(name, (value, value))
    shown = f"{value:.3g}"
    return join([f"{shown} ", element("span", f"{low:.3g} to {high:.3g}", class_="interval-text")])


def _difference(row: ComparisonRow) -> str:
    return (
        f"{row.name}: {row.verdict}, {row.difference:+.4f}, 95 % interval {row.difference_low:+.4f} to "
        f"{row.difference_high:+.4f}, {format_p_value(row.p_value)}"
    )
