"""The later sections: curves, thresholds, what matters, stability, what to do next, and how to repeat it."""

from __future__ import annotations

from typing import Any

from aucmax import __version__
from aucmax.comparison.report.curves import gains_figure, precision_recall_figure, roc_figure
from aucmax.comparison.report.distributions import calibration_figure, histogram_figure
from aucmax.comparison.report.facts import ExplainedRow
from aucmax.comparison.report.figures import figure, tabs
from aucmax.comparison.report.intervals import NamedInterval, interval_chart
from aucmax.comparison.report.markup import MISSING, Markup, element, join, shorten, table
from aucmax.comparison.report.next_steps import caveats, next_steps
from aucmax.comparison.report.operating_points import OperatingPoint, cheapest, operating_points
from aucmax.comparison.report.ranking import Ranking
from aucmax.comparison.report.stability import PartAUC, fold_aucs, group_aucs
from aucmax.comparison.report.subject import Subject
from aucmax.comparison.report.svg import percent

__all__ = [
    "curve_section",
    "footer",
    "importance_section",
    "next_section",
    "stability_section",
    "threshold_section",
]


def curve_section(subject: Subject) -> Markup:
    """Five figures of the rankings, in tabs."""
    calibration = calibration_figure(subject)
    panels = [
        ("ROC", roc_figure(subject)),
        ("Precision and recall", precision_recall_figure(subject)),
        ("Gains and lift", gains_figure(subject)),
        *([] if calibration is None else [("Calibration", calibration)]),
        ("Scores", histogram_figure(subject)),
    ]
    left = len(subject.comparison.rows) - len(subject.rankings)
    note = element("p", f"Curves of {left} more models are not drawn.", class_="note") if left else Markup("")
    return join([tabs("Curves", panels), note])


def threshold_section(subject: Subject) -> Markup:
    """What thresholds of the chosen model find, miss and cost."""
    ranking, costs = subject.ranking, subject.facts.costs
    points: list[OperatingPoint | str] = operating_points(ranking)
    if costs is not None:
        points.append(cheapest(ranking, costs))
    header = ["threshold", "alerts per 1,000 rows", "found", "missed", "precision"]
    header += [] if costs is None else ["cost per 1,000 rows"]
    header += [] if subject.is_cross_validated else ["score of at least"]
    rows = [_threshold_cells(point, subject, len(header)) for point in points]
    shown = table(f"Thresholds of {shorten(subject.chosen.name)}", header, rows)
    parts = [shown]
    if costs is not None:
        text = f"A missed positive costs {costs.missed:g}, a false alarm {costs.false_alarm:g}."
        parts.append(element("p", text, class_="note"))
    return join(parts)


def _threshold_cells(point: OperatingPoint | str, subject: Subject, width: int) -> tuple[Any, ...]:
    if isinstance(point, str):
        return point, "not reached", *(MISSING for _ in range(width - 2))
    ranking, costs = subject.ranking, subject.facts.costs
    cells = [
        point.rule,
        _per_thousand(point.alerts, ranking),
        f"{round(point.found, 1):,.6g} ({percent(round(point.recall, 3))})",
        f"{round(point.missed, 1):,.6g}",
        percent(round(point.precision, 3)) if point.alerts else MISSING,
    ]
    cells += [] if costs is None else [_per_thousand(point.cost(costs), ranking)]
    cells += [] if subject.is_cross_validated else [f"{point.threshold:.6g}" if point.alerts else MISSING]
    return tuple(cells)


def _per_thousand(amount: float, ranking: Ranking) -> str:
    """An amount per 1,000 rows, to a tenth if it is small."""
    value = 1000 * amount / ranking.rows
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def importance_section(subject: Subject) -> Markup | None:
    """The columns that matter and some explained rows; None if nothing is known."""
    facts = subject.facts
    if not facts.importances:
        return None
    lines = [
        NamedInterval(
            it.column, it.value, it.low, it.high, f"{it.column}: {it.value:+.4g}, {it.low:+.4g} to {it.high:+.4g}"
        )
        for it in facts.importances
    ]
    signed = all(it.signed for it in facts.importances)
    axis = "lowers the score | raises the score" if signed else "importance; if negative, it lowers the score"
    chart = interval_chart("importance of columns", axis, lines, zero=0.0)
    rows = [
        (
            shorten(it.column),
            ("raises the score" if it.value > 0 else "lowers the score") if it.signed else MISSING,
            f"{it.value:+.4g}",
            MISSING if it.low == it.high else f"{it.low:+.4g} to {it.high:+.4g}",
        )
        for it in facts.importances
    ]
    header = ("column", "a larger value", "importance", "95 % interval")
    behind = table("Importance of columns", header, rows, text_columns=2)
    parts = [figure(facts.importance_of, [chart.render()], behind)]
    if facts.explained:
        items = [_explained(row) for row in facts.explained]
        parts += [element("h3", "Some rows explained"), element("ul", *items)]
    return join(parts)


def _explained(row: ExplainedRow) -> Markup:
    """A row and what adds most to its score, or takes away."""
    parts = [f"{shorten(name, 40)} {value:+.3g}" for name, value in row.parts]
    parts += [f"all others {row.others:+.3g}"] if row.others else []
    return element("li", element("strong", f"Row {row.number:,}"), f", {row.what}: {', '.join(parts)}.")


def stability_section(subject: Subject) -> Markup | None:
    """The AUC of the chosen model by fold and by group; None if there is one fold and no group."""
    row, facts = subject.chosen, subject.facts
    parts = []
    if subject.is_cross_validated:
        folds = fold_aucs(row, subject.comparison.n_folds)
        parts.append(_auc_figure("AUC by fold", folds, row.auc, f"The AUC of {row.name} in every fold"))
    if facts.groups is not None:
        groups = group_aucs(subject.comparison, row.name, facts.groups)
        by = f"AUC by {shorten(facts.group_column, 40) or 'group'}"
        if groups:
            parts.append(_auc_figure(by, groups, row.auc, f"The AUC of {row.name} in every group"))
        else:
            parts.append(element("p", f"{by}: no group has two rows of each class."))
    return join(parts) if parts else None


def _auc_figure(title: str, parts: list[PartAUC], overall: float, what: str) -> Markup:
    lines = [
        NamedInterval(it.name, it.auc, it.low, it.high, f"{it.name}: AUC {it.auc:.4f}, {it.low:.4f} to {it.high:.4f}")
        for it in parts
    ]
    chart = interval_chart(title, "AUC", lines, zero=overall, within=(-0.002, 1.002))
    header = ["part", "AUC", "95 % interval"]
    rows = [[shorten(it.name), f"{it.auc:.4f}", f"{it.low:.4f} to {it.high:.4f}"] for it in parts]
    if parts[0].rows is not None:
        header += ["rows", "positives"]
        rows = [[*cells, f"{it.rows:,}", f"{it.positives:,}"] for cells, it in zip(rows, parts, strict=True)]
    caption = f"{what}, with 95 % intervals; the line is the AUC of all of them, {overall:.4f}."
    return join([element("h3", title), figure(caption, [chart.render()], table(title, header, rows))])


def next_section(subject: Subject) -> Markup:
    """What to do next, and what to keep in mind."""
    steps = element("ol", *(element("li", step) for step in next_steps(subject)))
    remarks = element("ul", *(element("li", remark) for remark in caveats(subject)))
    return join([steps, element("h3", "Caveats"), remarks])


def footer(subject: Subject) -> Markup:
    """How to repeat the comparison."""
    facts = subject.facts
    entries = [("Command", facts.command), ("aucmax", __version__)]
    entries += [] if facts.seed is None else [("Seed", str(facts.seed))]
    entries += [("SHA-256 of the data", facts.data_hash)] if facts.data_hash else []
    shown = [
        element("div", element("dt", key), element("dd", element("code", shorten(text, 1000))))
        for key, text in entries
        if text
    ]
    return element("dl", *shown)
