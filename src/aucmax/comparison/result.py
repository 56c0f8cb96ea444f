"""Comparison: the result of `compare`, one row per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aucmax.comparison.measures import Estimate
from aucmax.comparison.pooled_scores import PooledScores
from aucmax.comparison.statistics import format_p_value
from aucmax.tables.findings.finding import Finding

if TYPE_CHECKING:
    from aucmax.comparison.report.facts import ReportFacts

__all__ = ["Comparison", "ComparisonRow"]

# of the table that is shown to people
_AUC_HEADER = ("model", "AUC", "95 % interval")
_FIT_HEADER = ("s/fit", "tuned")


@dataclass(frozen=True)
class ComparisonRow:
    """One model of a comparison.

    Parameters
    ----------
    name : str
    auc, low, high : float
        Mean AUC of the folds and its 95 % confidence interval.
    sd : float
        Standard deviation of the AUCs of the folds.
    train_auc : float
        Mean AUC on the rows the models were fitted to.
    measures : mapping of str to Estimate
        Average precision, partial AUC up to a false-positive rate of 10 % (standardised: 0.5 at random, 1 if
        perfect), and recall at false-positive rates of 1 and 5 %, each with a 95 % interval; computed when first
        asked for.
    fit_seconds, score_seconds : float
        Median time to fit one fold and to score its test rows, on one thread.
    nonzeros : float or None
        Mean number of non-zero weights of a linear model.
    ranges : dict of str to (float, float)
        The smallest and the largest of `fit_seconds`, `score_seconds` and `nonzeros` over the folds.
    tuned : str
        What the model chooses by itself, such as "alpha, loss"; "no" if nothing.
    converged : bool
        Whether all fits converged.
    edges : tuple of str
        "smallest" or "largest" for each fold whose alpha was the last of its grid.
    aucs, errors : tuple of float
        AUC of each fold, and its standard error (DeLong).
    difference, difference_low, difference_high : float
        AUC minus that of the reference, and its 95 % confidence interval.
    equivalence_low, equivalence_high : float
        The 90 % interval of the difference: the models are equivalent if it lies within +-rope.
    std_error, delong_error : float
        Standard error of the difference, and DeLong's, which accounts for new test rows only.
    p_value : float
        Two-sided, of the hypothesis that the difference is zero, corrected for the number of models (Holm).
    verdict : {"reference", "better", "worse", "equivalent", "undecided"}
        Relative to the reference.
    rows_needed : int or None
        If undecided, about how many rows would decide.
    own : bool
        Whether it is an estimator of aucmax, or a pipeline or search of one.
    """

    name: str
    auc: float
    low: float
    high: float
    sd: float
    train_auc: float
    measures: Mapping[str, Estimate]
    fit_seconds: float
    score_seconds: float
    nonzeros: float | None
    tuned: str
    converged: bool
    edges: tuple[str, ...]
    aucs: tuple[float, ...]
    errors: tuple[float, ...]
    difference: float = 0.0
    difference_low: float = 0.0
    difference_high: float = 0.0
    equivalence_low: float = 0.0
    equivalence_high: float = 0.0
    std_error: float = 0.0
    delong_error: float = 0.0
    p_value: float = 1.0
    verdict: str = "reference"
    rows_needed: int | None = None
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    own: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON-serialisable values; a measure becomes three: itself and its interval; likewise ranges."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name == "measures":
                for measure, (estimate, low, high) in value.items():
                    values |= {measure: estimate, f"{measure}_low": low, f"{measure}_high": high}
            elif name == "ranges":
                for measure, (low, high) in value.items():
                    values |= {f"{measure}_low": low, f"{measure}_high": high}
            else:
                values[name] = list(value) if isinstance(value, tuple) else value
        return values


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of models, the best first.

    Parameters
    ----------
    rows : tuple of ComparisonRow
        By decreasing AUC.
    reference : str
        The model that the others are tested against.
    rope : float
        Differences of AUC up to this do not matter.
    n_rows, n_positive, n_folds, n_repeats : int
        Size of the data, number of folds, and how often the rows were split into them.
    notes : tuple of str
        Remarks, such as which models failed.
    findings : tuple of Finding
        What a reader should know of the models (codes AUC201 and higher).
    scores, probabilities : dict of str to array
        Out-of-fold scores of every model, and probabilities of those that give any, in the order of the rows of X;
        the mean over the repeats.
    pooled : dict of str to PooledScores
        The scores of all folds on one scale, for curves and thresholds.
    labels : array of bool
        Which rows are positive.
    weight : array or None
        The sample weights.
    weights : dict of str to array of shape (n_folds * n_repeats, d)
        Weights of the linear models in every fold, in units of deviations: what one standard deviation of a column
        adds to the score.
    """

    rows: tuple[ComparisonRow, ...]
    reference: str
    rope: float
    n_rows: int
    n_positive: int
    n_folds: int
    n_repeats: int = 1
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    scores: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    pooled: dict[str, PooledScores] = field(default_factory=dict, repr=False)
    probabilities: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    labels: np.ndarray | None = field(default=None, repr=False)
    weight: np.ndarray | None = field(default=None, repr=False)
    weights: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> ComparisonRow:
        return {row.name: row for row in self.rows}[name]

    @property
    def best(self) -> str:
        """The name of the model with the largest AUC, whether or not the difference is significant."""
        return self.rows[0].name

    @property
    def summary(self) -> str:
        """One sentence on how the best model of aucmax (or, if there is none, of all) compares with the reference."""
        others = [row for row in self.rows if row.name != self.reference] or self.rows
        return self.sentence(next((row for row in others if row.own), others[0]).name)

    def sentence(self, name: str) -> str:
        """One sentence on how a model compares with the reference.

        Parameters
        ----------
        name : str
            The model.
        """
        row = self[name]
        if name == self.reference:
            return f"{name} {row.auc:.4f}, 95 % interval {row.low:.4f} to {row.high:.4f}"
        return _sentence(row, self[self.reference], self.rope)

    def plot(self, ax: Any = None) -> Any:
        """Plot the paired differences to the reference (extra `plot`): see `aucmax.plots.plot_comparison`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from aucmax.plots.comparison import plot_comparison

        return plot_comparison(self, ax)

    def report(
        self, path: str | Path, facts: ReportFacts | None = None, *, X: Any = None, feature_names: Sequence[str] = ()
    ) -> None:
        """Write one HTML file for decision makers: which model, what it finds, thresholds, what matters, caveats.

        Parameters
        ----------
        path : str or Path
            The file; it appears complete or not at all.
        facts : ReportFacts, optional
            What the comparison does not know: the name of the data, costs, groups, and more.
        X : array or sparse matrix, optional
            The table that was compared on; three of its rows are explained.
        feature_names : sequence of str
            The names of its columns.

        Examples
        --------
        >>> from aucmax.comparison import compare
        >>> from aucmax.comparison.report import ReportFacts
        >>> from sklearn.datasets import load_breast_cancer
        >>> result = compare(*load_breast_cancer(return_X_y=True), ["exact", "cg"], cv=2)
        >>> result.report("tumours.html", ReportFacts(title="Tumours", positive="benign"))
        """
        from aucmax.comparison.report import with_importances, write_report

        write_report(self, path, with_importances(self, facts, X, feature_names))

    def to_frame(self) -> Any:
        """The rows as a pandas data frame, indexed by the name of the model."""
        import pandas

        return pandas.DataFrame([row.to_dict() for row in self.rows]).set_index("name")

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-serialisable values, without the scores."""
        names = ("reference", "rope", "n_rows", "n_positive", "n_folds", "n_repeats", "best", "summary")
        values = {name: getattr(self, name) for name in names}
        findings = [finding.to_dict() for finding in self.findings]
        return {
            "rows": [row.to_dict() for row in self.rows],
            **values,
            "notes": list(self.notes),
            "findings": findings,
        }

    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and rows of the table that is shown to people."""
        if len(self.rows) == 1:  # which is compared with nothing
            return (*_AUC_HEADER, *_FIT_HEADER), [(*_auc_cells(row), *_fit_cells(row)) for row in self.rows]
        header = (*_AUC_HEADER, "difference", "95 % interval", "p", "verdict", *_FIT_HEADER)
        return header, [(*_auc_cells(row), *_difference_cells(row), *_fit_cells(row)) for row in self.rows]

    def __str__(self) -> str:
        header, rows = self.cells()
        widths = [max(len(row[j]) for row in (header, *rows)) for j in range(len(header))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in (header, *rows)]
        return "\n".join([*lines, self.summary, *self.notes, *map(str, self.findings)])

    def _repr_html_(self) -> str:
        header, rows = self.cells()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        remarks = "".join(f"<p>{escape(text)}</p>" for text in (self.summary, *self.notes, *map(str, self.findings)))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{remarks}"


def _auc_cells(row: ComparisonRow) -> tuple[str, ...]:
    return row.name, f"{row.auc:.4f}", f"{row.low:.4f} to {row.high:.4f}"


def _difference_cells(row: ComparisonRow) -> tuple[str, ...]:
    if row.verdict == "reference":
        return "", "", "", row.verdict
    p_value = f"{row.p_value:.3f}" if row.p_value >= 0.001 else "<0.001"
    interval = f"{row.difference_low:+.4f} to {row.difference_high:+.4f}"
    return f"{row.difference:+.4f}", interval, p_value, row.verdict


def _fit_cells(row: ComparisonRow) -> tuple[str, ...]:
    return f"{row.fit_seconds:.3f}", row.tuned


def _sentence(row: ComparisonRow, reference: ComparisonRow, rope: float) -> str:
    model = f"{row.name} {row.auc:.4f}"
    other = f"{reference.name} {reference.auc:.4f}"
    interval = f"95 % interval {row.difference_low:+.4f} to {row.difference_high:+.4f}"
    if row.verdict == "equivalent":
        narrower = f"90 % interval {row.equivalence_low:+.4f} to {row.equivalence_high:+.4f}"
        return f"equivalent: {model} and {other} differ by less than {rope:g} ({narrower})"
    if row.verdict == "undecided":
        enough = f"about {row.rows_needed:,} rows would decide"
        return f"undecided: {model} and {other} cannot be told apart here; {enough} ({interval})"
    by = f"by {abs(row.difference):.4f}, {interval}, {format_p_value(row.p_value)}"
    return f"{row.verdict}: {model} ranks {row.verdict} than {other} ({by})"
