"""What a page says that a comparison does not know: where the data come from, costs, groups, how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from numpy.typing import ArrayLike

from aucmax.tables.findings.finding import Finding

__all__ = ["Costs", "ExplainedRow", "Importance", "ReportFacts"]


class Importance(NamedTuple):
    """How much one column matters, with a 95 % interval, which is the value itself if it is unknown."""

    column: str
    value: float
    low: float
    high: float
    signed: bool = True  # whether a negative value means that larger values of the column lower the score


class ExplainedRow(NamedTuple):
    """Why one row has its score."""

    number: int  # of the row, from 1
    what: str  # such as "the highest score", and whether the row is positive
    parts: tuple[tuple[str, float], ...]  # columns and what they add to the score, the largest first
    others: float  # what all other columns add together


class Costs(NamedTuple):
    """What the two kinds of errors cost, in any unit."""

    missed: float  # a positive row without an alert
    false_alarm: float  # an alert on a negative row


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportFacts:
    """Facts for the page of a comparison; whatever is not given is left out of it.

    Parameters
    ----------
    title : str
        Name of the data.
    positive : str
        What the positive rows are, such as the label "fraud".
    period : str
        From when to when the rows are.
    columns : tuple of str
        The columns that the models use.
    left_out : dict of str to str
        The columns that they do not use, each with the reason.
    findings : tuple of Finding
        What was found about the table, beside the findings of the comparison.
    importances : tuple of Importance
        What matters, the most important column first.
    importance_of : str
        What `importances` and `explained` are, in a sentence: of which model, and in which units.
    explained : tuple of ExplainedRow
        Some rows and why they have their scores.
    groups : array of shape (n_rows,), optional
        The group of each row, such as its month; the AUC of every group is shown.
    group_column : str
        What the groups are.
    costs : Costs, optional
        The costs of the two kinds of errors.
    command, data_hash : str
        How to repeat the comparison, and the SHA-256 of the data.
    seed : int, optional
        The random seed.

    Examples
    --------
    >>> ReportFacts(title="payments.csv", positive="fraud", costs=Costs(missed=500.0, false_alarm=5.0)).costs
    Costs(missed=500.0, false_alarm=5.0)
    """

    title: str = "Comparison of models"
    positive: str = ""
    period: str = ""
    columns: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    importances: tuple[Importance, ...] = ()
    importance_of: str = ""
    explained: tuple[ExplainedRow, ...] = ()
    groups: ArrayLike | None = None
    group_column: str = ""
    costs: Costs | None = None
    command: str = ""
    seed: int | None = None
    data_hash: str = ""
