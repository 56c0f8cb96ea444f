"""compare: cross-validated AUC of several models on the same folds, with paired tests against one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from aucmax.comparison.checks import check_models
from aucmax.comparison.data import ComparisonData, Splitting, make_comparison_data
from aucmax.comparison.finished_fits import FinishedFits
from aucmax.comparison.measures import MeasureIntervals
from aucmax.comparison.out_of_fold import FoldFit, ModelRun, collect, fit_fold, weight_argument
from aucmax.comparison.result import Comparison, ComparisonRow
from aucmax.comparison.standard_models import find_models, how_tuned, is_own
from aucmax.comparison.statistics import (
    EQUIVALENCE_CONFIDENCE,
    ROPE,
    PairedDifference,
    paired_difference,
    rows_needed,
)
from aucmax.metrics.cross_validated import holm, mean_auc_interval
from aucmax.validation.params import Number, check_param

__all__ = ["Progress", "compare"]

#: Called with the number of fits done, that of all fits, and the name of the model.
Progress = Callable[[int, int, str], None]
RANGED = ("fit_seconds", "score_seconds", "nonzeros")  # what a row states with its range over the folds


def compare(
    X: Any,
    y: Any,
    models: Mapping[str, Any] | Iterable[Any] | None = None,
    *,
    cv: Any = 5,
    repeats: int = 1,
    sample_weight: Any = None,
    groups: Any = None,
    reference: str | None = None,
    rope: float = ROPE,
    random_state: int = 0,
    n_jobs: int | None = None,
    resume: str | Path | None = None,
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
        Names from `STANDARD_MODELS` or `SOLVERS` (`AUCClassifier` with that solver); `DEFAULT_MODELS` if None. In a
        list, a classifier is called after its class.
    cv : int or splitter
        Number of shuffled stratified folds, fewer if a fold would have less than two test rows of a class; or any
        scikit-learn splitter or iterable of splits.
    repeats : int
        How often the rows are split into `cv` folds; more repeats average out the luck of the split.
    sample_weight : array, optional
        Passed to the models that support it, and to the AUC.
    groups : array, optional
        Rows of a group stay in the same fold. The inner cross-validation of the models ignores the groups.
    reference : str, optional
        The model to test against; by default "logistic" if it is among the models, else the first one.
    rope : float
        Region of practical equivalence: differences of AUC up to this do not matter.
    random_state : int
        Random seed of the folds and of the named models.
    n_jobs : int, optional
        Processes that fit at the same time; -1 for all cores. Times are then those of a busy machine.
    resume : str or Path, optional
        A file of finished fits: an interrupted comparison continues from it. Fits of other data are refused.
    progress : callable, optional
        Called with (fits done, fits in total, name of the model) after every fit.

    Returns
    -------
    Comparison
        A model that fails on a fold is left out, with a note, and if it was the reference, another one takes its
        place; it is an error only if all models fail.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = compare(X, y, ["exact", "logistic"], cv=3, rope=0.02)
    >>> result["exact"].verdict
    'equivalent'
    >>> print(result.summary)
    equivalent: exact 0.99... and logistic 0.99... differ by less than 0.02 (...)
    """
    check_param("rope", rope, Number(0, 1))
    data = make_comparison_data(X, y, sample_weight, Splitting(cv, repeats, groups, random_state))
    found = find_models(models, data, random_state)
    reference = _find_reference(reference, list(found))
    fits, failures = _fit_all(found, data, FinishedFits(resume, data), n_jobs, progress)
    _check_failures(failures, len(found))
    runs = {name: collect(fits[name], data) for name in found if name not in failures}
    notes = [*_failure_notes(failures), *_unweighted_note(found, data)]
    if reference in failures:
        reference = _find_reference(None, list(runs))
        notes.append(f"note: the reference failed; the others are tested against {reference} instead")
    rows = [_row(name, found[name], run, data) for name, run in runs.items()]
    verdicts = _verdicts(runs, reference, data, rope)
    result = Comparison(
        rows=tuple(sorted((replace(row, **verdicts[row.name]) for row in rows), key=lambda row: -row.auc)),
        reference=reference,
        rope=rope,
        n_rows=len(data.y),
        n_positive=int(data.is_pos.sum()),
        n_folds=round(data.n_folds),
        n_repeats=repeats,
        notes=tuple(notes),
        labels=data.is_pos,
        weight=data.weight,
        **_by_model(runs),
    )
    return replace(result, findings=tuple(check_models(result, {name: found[name] for name in runs})))


def _by_model(runs: dict[str, ModelRun]) -> dict[str, Any]:
    """What a comparison holds of every model, or of those that have it."""
    return {
        "scores": {name: run.scores for name, run in runs.items()},
        "pooled": {name: run.pooled for name, run in runs.items()},
        "probabilities": {name: run.probabilities for name, run in runs.items() if run.probabilities is not None},
        "weights": {name: weights for name, run in runs.items() if (weights := _weights(run)) is not None},
    }


def _weights(run: ModelRun) -> np.ndarray | None:
    """The weights of a linear model in every fold; None if it has none, or if the folds have different columns."""
    weights = [fit.weights for fit in run.fits if fit.weights is not None]
    if len(weights) < len(run.fits) or len({array.size for array in weights}) > 1:
        return None
    return np.array(weights)


def _find_reference(reference: str | None, names: list[str]) -> str:
    """The name of the reference model: "logistic" by default, or the first one."""
    if reference is None:
        return "logistic" if "logistic" in names else names[0]
    if reference not in names:
        raise ValueError(f"unknown reference {reference!r}; choose one of {names}")
    return reference


def _fit_all(
    models: dict[str, Any],
    data: ComparisonData,
    finished: FinishedFits,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[dict[str, list[FoldFit]], dict[str, str]]:
    """The fits of all models on all folds, and why models failed."""
    fits: dict[str, dict[int, FoldFit]] = {name: {} for name in models}
    failures: dict[str, str] = {}
    total = len(models) * len(data.folds)
    for done, (name, fold, fit) in enumerate(_outcomes(models, data, finished, n_jobs), 1):
        if isinstance(fit, FoldFit):
            fits[name][fold] = fit
        else:
            failures.setdefault(name, f"fold {fold + 1} of {len(data.folds)}: {fit}")
        if progress is not None:
            progress(done, total, name)
    return {name: [of_model[k] for k in sorted(of_model)] for name, of_model in fits.items()}, failures


def _outcomes(
    models: dict[str, Any], data: ComparisonData, finished: FinishedFits, n_jobs: int | None
) -> Iterator[tuple[str, int, FoldFit | str]]:
    """Name, fold, and fit or error message, each as soon as it is there."""
    missing = []
    for name, model in models.items():
        for fold in range(len(data.folds)):
            known = finished.get(name, model, fold)
            if known is None:
                missing.append((name, fold))
            else:
                yield name, fold, known
    tasks = (delayed(_try_fold)(name, models[name], data, fold) for name, fold in missing)
    for name, fold, fit in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
        if isinstance(fit, FoldFit):
            finished.add(name, models[name], fold, fit)
        yield name, fold, fit


def _try_fold(name: str, model: Any, data: ComparisonData, fold: int) -> tuple[str, int, FoldFit | str]:
    """A fit, or the message of the error that ended it."""
    try:
        return name, fold, fit_fold(model, data, fold)
    except Exception as error:
        return name, fold, f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _check_failures(failures: dict[str, str], n_models: int) -> None:
    """Raise if nothing can be compared."""
    if len(failures) == n_models:
        (name, why), *others = failures.items()
        also = f"; {len(others)} other models failed too" if others else ""
        raise ValueError(f"model {name!r} failed on {why}{also}")


def _verdicts(
    runs: dict[str, ModelRun], reference: str, data: ComparisonData, rope: float
) -> dict[str, dict[str, Any]]:
    """What each row says of its difference to the reference; that of the reference says nothing."""
    differences = {name: _difference(runs[name], runs[reference], data) for name in runs if name != reference}
    p_values = holm([paired.p_value for paired in differences.values()]).tolist()
    found = zip(differences.items(), p_values, strict=True)
    return {reference: {}} | {name: _verdict(paired, p, rope, len(data.y)) for (name, paired), p in found}


def _difference(run: ModelRun, reference: ModelRun, data: ComparisonData) -> PairedDifference:
    n_train, n_test = data.mean_sizes
    influence = run.influence - reference.influence
    return paired_difference(run.aucs, reference.aucs, influence, n_train=n_train, n_test=n_test)


def _row(name: str, model: Any, run: ModelRun, data: ComparisonData) -> ComparisonRow:
    """The row of a model, not yet compared with the reference."""
    auc = float(run.aucs.mean())
    tested = ~np.isnan(run.scores)
    interval = mean_auc_interval(auc, run.influence[tested], data.is_pos[tested], data.n_folds)
    fits = run.fits
    return ComparisonRow(
        name=name,
        auc=auc,
        low=interval.low,
        high=interval.high,
        sd=float(run.aucs.std(ddof=1)) if run.aucs.size > 1 else 0.0,
        train_auc=float(np.mean([fit.train_auc for fit in fits])),
        measures=MeasureIntervals(run.folds, len(data.y)),
        fit_seconds=float(np.median([fit.fit_seconds for fit in fits])),
        score_seconds=float(np.median([fit.score_seconds for fit in fits])),
        nonzeros=None if fits[0].nonzeros is None else float(np.mean([fit.nonzeros for fit in fits])),
        tuned=how_tuned(model),
        converged=all(fit.converged for fit in fits),
        edges=tuple(fit.edge for fit in fits if fit.edge is not None),
        aucs=tuple(run.aucs.tolist()),
        errors=tuple(run.errors.tolist()),
        ranges={name: found for name in RANGED if (found := _range(fits, name)) is not None},
        own=is_own(model),
    )


def _range(fits: list[FoldFit], name: str) -> tuple[float, float] | None:
    """The smallest and the largest value over the folds; None if the model has none."""
    values = [float(value) for fit in fits if (value := getattr(fit, name)) is not None]
    return (min(values), max(values)) if values else None


def _verdict(paired: PairedDifference, p_value: float, rope: float, n_rows: int) -> dict[str, Any]:
    """What a row says of its difference to the reference."""
    verdict = paired.verdict(p_value, rope)
    low, high = paired.interval()
    equivalence_low, equivalence_high = paired.interval(EQUIVALENCE_CONFIDENCE)
    return {
        "difference": paired.difference,
        "difference_low": low,
        "difference_high": high,
        "equivalence_low": equivalence_low,
        "equivalence_high": equivalence_high,
        "std_error": paired.std_error,
        "delong_error": paired.delong_error,
        "p_value": p_value,
        "verdict": verdict,
        "rows_needed": rows_needed(paired, n_rows, rope) if verdict == "undecided" else None,
    }


def _failure_notes(failures: dict[str, str]) -> list[str]:
    return [f"note: {name} failed and is left out: {why}" for name, why in failures.items()]


def _unweighted_note(models: dict[str, Any], data: ComparisonData) -> list[str]:
    """A note on which models were fitted without the sample weights, if any."""
    unweighted = [name for name, model in models.items() if weight_argument(model) is None]
    if data.weight is None or not unweighted:
        return []
    return [f"note: fitted without sample weights, which they do not support: {', '.join(unweighted)}"]
