"""Comparison: the result of `compare`, one row per model."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from aucmax.comparison.statistics import format_p_value

__all__ = ["Comparison", "ComparisonRow"]


@dataclass(frozen=True)
class ComparisonRow:
    """One model of a comparison.

    Parameters
    ----------
    name : str
    auc, sd : float
        Mean and standard deviation of the AUCs of the folds.
    low, high : float
        95 % confidence interval of the mean, computed on the logit scale.
    seconds : float
        Median time of one fit, on one thread.
    difference, std_error : float
        AUC minus that of the reference, and its standard error.
    delong_error : float
        DeLong's standard error, which accounts for new test rows only.
    p_value : float
        Two-sided p-value of the hypothesis that the difference is zero.
    verdict : {"reference", "better", "tie", "worse"}
        Relative to the reference; "tie" if there is no significant difference.
    aucs : tuple of float
        AUC of each fold.
    """

    name: str
    auc: float
    sd: float
    low: float
    high: float
    seconds: float
    difference: float
    std_error: float
    delong_error: float
    p_value: float
    verdict: str
    aucs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of models, the best first.

    Parameters
    ----------
    rows : tuple of ComparisonRow
        By decreasing AUC.
    reference : str
        The model that the others are tested against.
    n_rows, n_positive, n_folds : int
        Size of the data and number of folds.
    notes : tuple of str
        Remarks, such as which models were fitted without sample weights.
    scores : dict of str to array
        Out-of-fold scores of every model, in the order of the rows of X.
    """

    rows: tuple[ComparisonRow, ...]
    reference: str
    n_rows: int
    n_positive: int
    n_folds: int
    notes: tuple[str, ...] = ()
    scores: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> ComparisonRow:
        return {row.name: row for row in self.rows}[name]

    @property
    def best(self) -> str:
        """The name of the model with the largest AUC, whether or not the difference is significant."""
        return self.rows[0].name

    @property
    def summary(self) -> str:
        """One sentence on how aucmax (or, if it was not compared, the best model) compares with the reference."""
        others = [row for row in self.rows if row.name != self.reference]
        if not others:
            row = self.rows[0]
            return f"{row.name} {row.auc:.4f}, 95 % interval {row.low:.4f} to {row.high:.4f}"
        row = next((row for row in others if row.name == "aucmax"), others[0])
        return _sentence(row, self[self.reference])

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-serialisable values, without the scores."""
        rows = [asdict(row) | {"aucs": list(row.aucs)} for row in self.rows]
        names = ("reference", "n_rows", "n_positive", "n_folds", "best", "summary")
        return {"rows": rows, **{name: getattr(self, name) for name in names}, "notes": list(self.notes)}

    def __str__(self) -> str:
        width = max(5, *(len(row.name) for row in self.rows))
        header = f"{'model':{width}}     AUC  95 % interval        sd  seconds  difference      p  verdict"
        lines = [
            f"{row.name:{width}}  {row.auc:.4f}  {row.low:.4f} - {row.high:.4f}  {row.sd:.4f}  {row.seconds:7.3f}"
            f"     {row.difference:+.4f}  {row.p_value:5.3f}  {row.verdict}"
            for row in self.rows
        ]
        return "\n".join([header, *lines, self.summary, *self.notes])


def _sentence(row: ComparisonRow, reference: ComparisonRow) -> str:
    model = f"{row.name} {row.auc:.4f}"
    other = f"{reference.name} {reference.auc:.4f}"
    p = format_p_value(row.p_value)
    if row.verdict == "tie":
        return f"tie: {model} and {other} show no significant difference ({p})"
    by = f"by {abs(row.difference):.4f} +- {row.std_error:.4f}, {p}"
    return f"{row.verdict}: {model} ranks {row.verdict} than {other} ({by})"
