"""compare: cross-validated AUC of several models on the same folds, with paired tests against one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from aucmax.comparison.out_of_fold import ComparisonData, OutOfFoldScores, make_comparison_data, out_of_fold_scores
from aucmax.comparison.result import Comparison, ComparisonRow
from aucmax.comparison.standard_models import find_models
from aucmax.comparison.statistics import format_p_value, interval_of_mean, paired_difference
from aucmax.estimators.kernel import KernelAUCClassifier
from aucmax.estimators.linear_cv import AUCClassifierCV

__all__ = ["Progress", "compare"]

Progress = Callable[[int, int, str], None]


def compare(
    X: Any,
    y: Any,
    models: Mapping[str, Any] | Iterable[Any] | None = None,
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
    X : array, sparse matrix or data frame of shape (n, d)
        Passed to the models without conversion.
    y : array of two distinct labels
        The larger one is positive.
    models : list or dict of classifiers and names
        Names from `STANDARD_MODELS`, which are the default, or `SOLVERS` (`AUCClassifier` with that solver). In a
        list, a classifier is called after its class.
    cv : int or splitter
        Number of shuffled stratified folds, fewer if a fold would have less than two test rows of a class; or any
        scikit-learn splitter or iterable of splits.
    sample_weight : array, optional
        Passed to the models that support it, and to the AUC.
    groups : array, optional
        Rows of a group stay in the same fold. The inner cross-validation of the models ignores the groups.
    reference : str, optional
        The model to test against; by default "logistic" if it is among the models, else the first one.
    random_state : int
        Random seed of the folds and of the named models.
    progress : callable, optional
        Called with (fits done, fits in total, name of the model) after every fit.

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
    tie: aucmax 0.99... and logistic 0.99... show no significant difference (p = 0...)
    """
    data = make_comparison_data(X, y, cv, sample_weight, groups, random_state)
    found = find_models(models, data, random_state)
    reference = _find_reference(reference, list(found))
    done = count(1)
    total = len(found) * len(data.folds)

    def report(name: str) -> None:
        if progress is not None:
            progress(next(done), total, name)

    with threadpool_limits(1):
        runs = {name: out_of_fold_scores(model, data, partial(report, name)) for name, model in found.items()}
    rows = [_row(name, run, runs, reference, data) for name, run in runs.items()]
    return Comparison(
        rows=tuple(sorted(rows, key=lambda row: -row.auc)),
        reference=reference,
        n_rows=len(data.y),
        n_positive=int(data.is_pos.sum()),
        n_folds=len(data.folds),
        notes=(*_unweighted_note(runs, data), *_kernel_note(found, runs, data)),
        scores={name: run.scores for name, run in runs.items()},
    )


def _find_reference(reference: str | None, names: list[str]) -> str:
    """The name of the reference model: "logistic" by default, or the first one."""
    if reference is None:
        return "logistic" if "logistic" in names else names[0]
    if reference not in names:
        raise ValueError(f"unknown reference {reference!r}; choose one of {names}")
    return reference


def _row(
    name: str, run: OutOfFoldScores, runs: dict[str, OutOfFoldScores], reference: str, data: ComparisonData
) -> ComparisonRow:
    low, high = interval_of_mean(run, data)
    paired = paired_difference(run, runs[reference], data.folds)
    return ComparisonRow(
        name=name,
        auc=float(run.aucs.mean()),
        sd=float(run.aucs.std(ddof=1)) if run.aucs.size > 1 else 0.0,
        low=low,
        high=high,
        seconds=float(np.median(run.seconds)),
        verdict="reference" if name == reference else paired.verdict,
        aucs=tuple(run.aucs.tolist()),
        **paired._asdict(),
    )


def _unweighted_note(runs: dict[str, OutOfFoldScores], data: ComparisonData) -> list[str]:
    """A note on which models were fitted without the sample weights, if any."""
    unweighted = [name for name, run in runs.items() if not run.weighted]
    if data.weight is None or not unweighted:
        return []
    return [f"note: fitted without sample weights, which they do not support: {', '.join(unweighted)}"]


def _kernel_note(models: dict[str, Any], runs: dict[str, OutOfFoldScores], data: ComparisonData) -> list[str]:
    """A note to prefer our linear model to our kernel model, unless the latter ranks significantly better."""
    linear = next((name for name, model in models.items() if isinstance(model, AUCClassifierCV)), None)
    kernel = next((name for name, model in models.items() if isinstance(model, KernelAUCClassifier)), None)
    if linear is None or kernel is None:
        return []
    paired = paired_difference(runs[kernel], runs[linear], data.folds)
    p = format_p_value(paired.p_value)
    if paired.verdict == "better":
        by = f"{paired.difference:.4f} +- {paired.std_error:.4f}"
        return [f"note: {kernel} ranks better than {linear} by {by} ({p})"]
    reason = "ranks better" if paired.verdict == "worse" else "is not significantly worse"
    return [
        f"note: prefer {linear}: it {reason} and is simpler than {kernel} ({kernel} {paired.difference:+.4f}, {p})"
    ]
