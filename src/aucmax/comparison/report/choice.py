"""Which model to use, and why: the simplest of the models that are not worse; and what it finds, in one sentence."""

from __future__ import annotations

from typing import NamedTuple

from aucmax.comparison.report.operating_points import OperatingPoint, review
from aucmax.comparison.report.ranking import Ranking
from aucmax.comparison.result import Comparison, ComparisonRow
from aucmax.comparison.statistics import SIGNIFICANCE_LEVEL, format_p_value
from aucmax.metrics.cross_validated import corrected_test

__all__ = ["Choice", "choose_model", "headline", "headline_point"]

SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # of the rows, to be reviewed


class Choice(NamedTuple):
    """A model and why it was chosen."""

    row: ComparisonRow
    reason: str


def choose_model(comparison: Comparison) -> Choice:
    """The simplest of the models that are not worse than another, by the verdicts of the comparison.

    Linear models are simpler than others, and the reference, which is better known, comes first among them. A model
    that is better than the reference replaces it; one whose difference is undecided does not.
    """
    reference = comparison[comparison.reference]
    if len(comparison.rows) == 1:
        return Choice(reference, "the only model evaluated")
    better = [row for row in comparison.rows if row.verdict == "better"]
    if better:
        return _simplest_of_better(better, comparison)
    replacing = [row for row in comparison.rows if _may_replace(row, reference, comparison.rope)]
    if replacing:
        row = max(replacing, key=lambda row: row.auc)
        return Choice(row, f"not worse than {reference.name}, and simpler: it is linear")
    return Choice(reference, _why_reference(comparison))


def _simplest_of_better(better: list[ComparisonRow], comparison: Comparison) -> Choice:
    best = better[0]
    alike = [row for row in better if row is best or not _is_clearly_below(row, best, comparison.n_folds)]
    row = min(alike, key=lambda row: (row.nonzeros is None, -row.auc))
    tested = f"by {row.difference:.4f}, {format_p_value(row.p_value)}"
    reason = f"it ranks better than {comparison.reference} ({tested})"
    if row is not best:
        reason += f"; {best.name} is not clearly better still, and less simple"
    return Choice(row, reason)


def _may_replace(row: ComparisonRow, reference: ComparisonRow, rope: float) -> bool:
    """Whether a linear model is as good as a reference that is not linear."""
    if reference.nonzeros is not None or row.nonzeros is None:
        return False
    return row.verdict == "equivalent" or (row.verdict == "undecided" and row.difference >= -rope)


def _why_reference(comparison: Comparison) -> str:
    above = [row.name for row in comparison.rows if row.verdict == "undecided" and row.difference > comparison.rope]
    if above:
        return f"no model is shown to be better; {above[0]} has a larger AUC, but the table is too small to be sure"
    return "no other model is better"


def _is_clearly_below(row: ComparisonRow, best: ComparisonRow, n_folds: int) -> bool:
    if len(row.aucs) < 2:
        return row.auc < best.auc
    return corrected_test(best.aucs, row.aucs, n_train=n_folds - 1, n_test=1).p_value < SIGNIFICANCE_LEVEL


def headline_point(ranking: Ranking) -> OperatingPoint:
    """Review as many rows as are positive, or a little more: the next round share."""
    rate = ranking.positives / ranking.rows
    return review(ranking, next(share for share in SHARES if share >= rate))


def headline(ranking: Ranking, positive: str) -> str:
    """What the review of the highest scores finds, in one sentence; `positive` names the positive rows."""
    point = headline_point(ranking)
    share = f"{100 * point.alerts / ranking.rows:.3g} %"
    what = f"the rows that are {positive}" if positive else "the positives"
    real = f"{round(point.found, 1):,.6g} of {round(point.alerts, 1):,.6g}"
    return f"Reviewing the top {share} of rows finds {100 * point.recall:.3g} % of {what}; {real} alerts are real."
