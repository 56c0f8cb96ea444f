"""What to do next, and caveats: sentences that follow from the numbers and the findings."""

from __future__ import annotations

import numpy as np

from aucmax.comparison.report.markup import shorten
from aucmax.comparison.report.subject import Subject

__all__ = ["caveats", "next_steps"]

MOST_STEPS = 8
POOLED = (
    "Curves and thresholds are means over the folds, each of which has its own threshold at the same rate of false "
    "alarms; the model fitted to all rows needs its own too."
)


def next_steps(subject: Subject) -> list[str]:
    """Sentences in the order of their importance, the findings' advice among them."""
    comparison, chosen = subject.comparison, subject.chosen
    steps = []
    if subject.several:
        steps.append(f"Fit {chosen.name} to all rows, and choose its threshold by one of the rules above.")
    undecided = [row for row in comparison.rows if row.verdict == "undecided" and row.rows_needed is not None]
    if undecided:
        row = max(undecided, key=lambda row: row.auc)
        more = f"about {row.rows_needed:,} rows would decide between {row.name} and {comparison.reference}"
        steps.append(f"If the difference matters, collect more rows: {more}.")
    for finding in (*subject.facts.findings, *comparison.findings):
        if not finding.models or chosen.name in finding.models or finding.code == "AUC205":
            steps.append(f"{finding.code}: {shorten(finding.message, 300)}; {shorten(finding.advice, 200)}.")
    if not steps:
        steps.append("Check the AUC again when new rows with known labels arrive.")
    return steps[:MOST_STEPS]


def caveats(subject: Subject) -> list[str]:
    """What the figures do not say."""
    comparison = subject.comparison
    remarks = ["The figures hold for new rows like these; they say nothing about rows from elsewhere or later."]
    if subject.is_cross_validated:
        remarks.append(POOLED)
    else:
        remarks.append("If the model was fitted to some of these rows, the figures are too optimistic.")
    untested = int(np.isnan(comparison.scores[subject.chosen.name]).sum())
    if untested:
        rows = f"{untested:,} of the rows were in no test set"
        remarks.append(
            f"{rows}: they count as data, but not in curves and thresholds, and intervals of weights are rough."
        )
    rare = min(comparison.n_positive, comparison.n_rows - comparison.n_positive)
    if rare < 100:
        remarks.append(f"The rarer class has {rare} rows: rates at few false alarms rest on very few of them.")
    if subject.several and subject.chosen.name == comparison.best and len(comparison.rows) > 2:
        remarks.append(
            "The chosen model is the best of several on these rows, so that its AUC is slightly optimistic."
        )
    if subject.facts.costs is not None:
        remarks.append(
            "The threshold of lowest cost was found on the same rows, so that its cost is slightly optimistic."
        )
    return remarks
