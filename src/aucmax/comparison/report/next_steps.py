"""What to do next, and caveats: sentences that follow from the numbers and the findings."""

from __future__ import annotations

import numpy as np

from aucmax.comparison.report.markup import shorten
from aucmax.comparison.report.subject import Subject
from aucmax.metrics.auc import roc_auc

__all__ = ["caveats", "next_steps"]

MOST_STEPS = 8
POOLED_LOSS = 0.005  # difference of pooled and mean AUC from which on the folds' scores are not on one scale


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
    remarks = ["The figures hold for new rows that are like these; they say nothing of rows from elsewhere or later."]
    if subject.is_cross_validated:
        remarks.append(_pooling(subject))
    else:
        remarks.append("If the model was fitted to some of these rows, the figures are too good.")
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


def _pooling(subject: Subject) -> str:
    """What pooling the scores of the folds does to the curves."""
    scores = subject.comparison.scores[subject.chosen.name]
    tested = ~np.isnan(scores)
    weight = None if subject.comparison.weight is None else subject.comparison.weight[tested]
    pooled = roc_auc(np.asarray(subject.comparison.labels)[tested], scores[tested], sample_weight=weight)
    text = f"Curves and thresholds pool the scores of all folds, with AUC {pooled:.4f}"
    if abs(pooled - subject.chosen.auc) > POOLED_LOSS:
        return f"{text}, not {subject.chosen.auc:.4f}: the scores of the folds are not on one scale."
    return f"{text}; the model fitted to all rows needs its own threshold."
