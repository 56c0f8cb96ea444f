"""compare: many models, the same folds, one clock, paired tests, and "tie" when it is one.

With AUC A_k of a model on fold k of K, B_k that of the reference, and phi_i the influence of test row i on A_k:

    A = mean A_k,        var(A) = sum_i phi_i^2 / K^2                                     DeLong on every fold
    D = mean A_k - B_k,  var(D) = max(sum_i (phi_i - phi'_i)^2 / K^2,                     the same, paired
                                      (1/K + n_test/n_train) var1(A_k - B_k))             Nadeau and Bengio

    DeLong, DeLong, Clarke-Pearson. "Comparing the areas under two or more correlated ROC curves." Biometrics 1988.
    Nadeau, Bengio. "Inference for the generalization error." Machine Learning 2003.

The p-value of D is that of a normal. DeLong's variance alone is that of new test rows and forgets the training; how
often either sees a difference where there is none, is simulated in benchmarks/bench_verdicts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from aucmax.comparison.baselines import find_models
from aucmax.comparison.trial import OutOfFold, Trial, make_trial, out_of_fold
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV
from aucmax.metrics import auc_limits
from aucmax.selection.splits import Fold

LEVEL = 0.05  # a smaller p-value is a difference, a larger one a tie
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Row:
    """One model of a comparison.

    Parameters
    ----------
    name : str
    auc, sd : float
        Mean of the folds' AUCs, and their standard deviation.
    low, high : float
        95 % interval of the mean, on the logit scale.
    seconds : float
        Median time of one fit, on one thread.
    difference, std_error, p_value : float
        AUC minus that of the reference, its standard error, and the test that it is zero.
    delong_error : float
        The part of the standard error that new test rows alone would explain.
    verdict : {"reference", "better", "tie", "worse"}
    aucs : tuple of float
        AUC of every fold.
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
    """Models side by side, the best first.

    Parameters
    ----------
    rows : tuple of Row
        By decreasing AUC.
    reference : str
        The model that the others are tested against.
    n_rows, n_positive, n_folds : int
        What they were judged on.
    notes : tuple of str
        What the reader should know, such as models that take no weights.
    scores : dict of str to array
        Out-of-fold scores of every model, in the order of the table.
    """

    rows: tuple[Row, ...]
    reference: str
    n_rows: int
    n_positive: int
    n_folds: int
    notes: tuple[str, ...] = ()
    scores: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Row:
        return {row.name: row for row in self.rows}[name]

    @property
    def best(self) -> str:
        """The name of the model with the largest AUC; it may be a tie."""
        return self.rows[0].name

    @property
    def summary(self) -> str:
        """One sentence on aucmax (or on the best model, if it is not there) against the reference."""
        others = [row for row in self.rows if row.name != self.reference]
        if not others:
            row = self.rows[0]
            return f"{row.name} {row.auc:.4f}, 95 % interval {row.low:.4f} to {row.high:.4f}"
        row = next((row for row in others if row.name == "aucmax"), others[0])
        return _sentence(row, self[self.reference])

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values, without the scores."""
        facts = ("reference", "n_rows", "n_positive", "n_folds", "best", "summary")
        rows = [asdict(row) | {"aucs": list(row.aucs)} for row in self.rows]
        return {"rows": rows, **{name: getattr(self, name) for name in facts}, "notes": list(self.notes)}

    def __str__(self) -> str:
        width = max(5, *(len(row.name) for row in self.rows))
        head = f"{'model':{width}}     AUC  95 % interval        sd  seconds  difference      p  verdict"
        lines = [
            f"{row.name:{width}}  {row.auc:.4f}  {row.low:.4f} - {row.high:.4f}  {row.sd:.4f}  {row.seconds:7.3f}"
            f"     {row.difference:+.4f}  {row.p_value:5.3f}  {row.verdict}"
            for row in self.rows
        ]
        return "\n".join([head, *lines, self.summary, *self.notes])


def compare(
    X: Any,
    y: Any,
    models: Mapping[str, Any] | Iterable[str] | None = None,
    *,
    cv: Any = 5,
    sample_weight: Any = None,
    groups: Any = None,
    reference: str | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Cross-validated AUC of several models on the same folds, with paired tests against one of them.

    Parameters
    ----------
    X : table of shape (n, d)
        Handed to the models as it is, row by row.
    y : array of two distinct labels
        The larger one is positive.
    models : names, or a dict of classifiers or names
        Names are those of `STANDARD`, which is the default, and of `SOLVERS` (`AUCClassifier` with that solver).
    cv : int or splitter
        Shuffled stratified folds, or any scikit-learn splitter or iterable of splits.
    sample_weight : array, optional
        Passed to those models that take it, and to the AUC.
    groups : array, optional
        Rows of one group stay in one fold. Models that tune themselves do so without knowing the groups.
    reference : str, optional
        The model to test against; "logistic" if it is there, else the first one.
    random_state : int
        Fixes the folds and the named models.
    progress : callable, optional
        Called with (fits done, fits in all, name of the model) after every fit.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = compare(X, y, ["aucmax", "logistic"], cv=3)
    >>> result["aucmax"].verdict
    'tie'
    >>> print(result.summary)
    tie: aucmax 0.99... and logistic 0.99... differ by no more than chance allows (p = 0...)
    """
    trial = make_trial(X, y, cv, sample_weight, groups, random_state)
    found = find_models(models, trial, random_state)
    if reference is None:
        reference = "logistic" if "logistic" in found else next(iter(found))
    if reference not in found:
        raise ValueError(f"unknown reference {reference!r}; choose one of {list(found)}")
    done, total = count(1), len(found) * len(trial.folds)

    def step(name: str) -> None:
        if progress is not None:
            progress(next(done), total, name)

    with threadpool_limits(1):
        runs = {name: out_of_fold(model, trial, partial(step, name)) for name, model in found.items()}
    return _compared(trial, runs, reference, _linear_and_kernel(found))


def _linear_and_kernel(models: dict[str, Any]) -> tuple[str, str] | None:
    """The names of our linear model and of our kernel model, if both are there."""
    kinds = (AUCClassifierCV, KernelAUCClassifier)
    names = [next((name for name, model in models.items() if isinstance(model, kind)), None) for kind in kinds]
    return (names[0], names[1]) if names[0] is not None and names[1] is not None else None


def _compared(
    trial: Trial, runs: dict[str, OutOfFold], reference: str, rivals: tuple[str, str] | None = None
) -> Comparison:
    rows = sorted((_row(name, run, runs[reference], trial) for name, run in runs.items()), key=lambda row: -row.auc)
    unweighted = ", ".join(name for name, run in runs.items() if not run.weighted)
    note = f"note: fitted without the weights, which they do not take: {unweighted}"
    notes = (note,) if unweighted and trial.weight is not None else ()
    if rivals is not None:
        notes = (*notes, _simplest(rivals, runs, trial))
    counts = len(trial.y), int(trial.is_pos.sum()), len(trial.folds)
    return Comparison(tuple(rows), reference, *counts, notes, {name: run.scores for name, run in runs.items()})


def _row(name: str, run: OutOfFold, reference: OutOfFold, trial: Trial) -> Row:
    K, auc = run.aucs.size, float(run.aucs.mean())
    rare = int(np.bincount(trial.is_pos[~np.isnan(run.scores)], minlength=2).min())
    low, high = auc_limits(auc, float(np.linalg.norm(run.influence)) / K, rare, 1.0 - LEVEL)
    difference, std_error, delong, p_value = _paired(run, reference, trial.folds)
    verdict = "tie" if p_value >= LEVEL else "better" if difference > 0 else "worse"
    verdict = "reference" if run is reference else verdict
    spread = float(run.aucs.std(ddof=1)) if K > 1 else 0.0
    seconds, aucs = float(np.median(run.seconds)), tuple(run.aucs.tolist())
    return Row(name, auc, spread, low, high, seconds, difference, std_error, delong, p_value, verdict, aucs)


def _paired(a: OutOfFold, b: OutOfFold, folds: list[Fold]) -> tuple[float, float, float, float]:
    """Difference of the mean AUCs, its standard error, DeLong's part of it, and the two-sided p-value."""
    K, differences = a.aucs.size, a.aucs - b.aucs
    difference = float(differences.mean())
    delong = std_error = float(np.linalg.norm(a.influence - b.influence)) / K
    if K > 1:
        share = np.mean([test.size / train.size for train, test in folds])
        std_error = max(std_error, float(np.sqrt((1.0 / K + share) * differences.var(ddof=1))))
    if std_error == 0.0:
        return difference, std_error, delong, float(difference == 0.0)
    return difference, std_error, delong, float(2.0 * ndtr(-abs(difference) / std_error))


def _simplest(rivals: tuple[str, str], runs: dict[str, OutOfFold], trial: Trial) -> str:
    """Which of our two models to prefer: the linear one, unless the other ranks better by more than chance allows."""
    linear, kernel = rivals
    difference, std_error, _, p_value = _paired(runs[kernel], runs[linear], trial.folds)
    p = f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"
    if p_value < LEVEL and difference > 0:
        return f"note: {kernel} ranks better than {linear} by {difference:.4f} +- {std_error:.4f} ({p})"
    how = "better" if p_value < LEVEL else "as good"
    return f"note: prefer {linear}: it ranks {how}, and is simpler than {kernel} ({kernel} {difference:+.4f}, {p})"


def _sentence(row: Row, reference: Row) -> str:
    a, b = f"{row.name} {row.auc:.4f}", f"{reference.name} {reference.auc:.4f}"
    p = f"p = {row.p_value:.3f}" if row.p_value >= 0.001 else "p < 0.001"
    if row.verdict == "tie":
        return f"tie: {a} and {b} differ by no more than chance allows ({p})"
    by = f"by {abs(row.difference):.4f} +- {row.std_error:.4f}, {p}"
    return f"{row.verdict}: {a} ranks {row.verdict} than {b} ({by})"
