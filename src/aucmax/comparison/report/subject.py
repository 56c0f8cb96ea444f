"""`Subject`: what the sections of a page are about: the comparison, the facts, the chosen model, its ranking."""

from __future__ import annotations

from dataclasses import dataclass

from aucmax.comparison.report.choice import Choice, choose_model
from aucmax.comparison.report.facts import ReportFacts
from aucmax.comparison.report.ranking import Ranking, make_ranking
from aucmax.comparison.result import Comparison, ComparisonRow

__all__ = ["Subject", "make_subject"]

CURVES = 5  # models whose curves are drawn


@dataclass(frozen=True, eq=False)
class Subject:
    """A comparison with all that its page needs.

    Parameters
    ----------
    comparison : Comparison
    facts : ReportFacts
    choice : Choice
        The model to use.
    rankings : dict of str to Ranking
        Of the models whose curves are drawn: the chosen one first, then the reference, then the best others.
    """

    comparison: Comparison
    facts: ReportFacts
    choice: Choice
    rankings: dict[str, Ranking]

    @property
    def chosen(self) -> ComparisonRow:
        """The row of the model to use."""
        return self.choice.row

    @property
    def ranking(self) -> Ranking:
        """The ranking by the model to use."""
        return self.rankings[self.chosen.name]

    @property
    def is_cross_validated(self) -> bool:
        """Whether the rows were tested in folds, rather than all at once by a model fitted to other rows."""
        return len(self.chosen.aucs) > 1

    @property
    def several(self) -> bool:
        """Whether there is more than one model."""
        return len(self.comparison.rows) > 1


def make_subject(comparison: Comparison, facts: ReportFacts) -> Subject:
    """Choose the model and rank the rows."""
    if not comparison.scores or comparison.labels is None:
        raise ValueError("the comparison has no scores; make a report of what `compare` returns")
    choice = choose_model(comparison)
    names = [choice.row.name, comparison.reference, *(row.name for row in comparison.rows)]
    drawn = list(dict.fromkeys(names))[:CURVES]
    return Subject(comparison, facts, choice, {name: make_ranking(comparison, name) for name in drawn})
